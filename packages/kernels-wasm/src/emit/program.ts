import type { Program } from "@sw/tensor/seam";
import type { FunctionReference, ModuleBuilder } from "../assembler/index.js";
import { BINARY_KINDS, UNARY_KINDS } from "../kernels/kinds.js";
import { emitBlockLoop, type Pattern } from "./block-loop.js";
import type { Expression, Node } from "./expression.js";
import { emitLargeReduction } from "./functions/trigonometry.js";
import { Lanes, select } from "./lanes.js";
import { BINARY_VALUES, UNARY_VALUES } from "./values.js";

// A program as one loop: its steps are what the kernels of their names compute, on vectors that stay in registers. A value of
// bool is a mask, and has no other form: it is neither an input nor an output.

type StepValue = (e: Expression, operands: readonly Node[], floats: readonly number[]) => Node;

/** Steps that are no kernels of their own here, and which of their operands and results are masks. */
interface OwnStep {
  readonly value: StepValue;
  readonly masks: readonly number[];
  readonly isMask: boolean;
}

const comparison = (relation: "eq" | "lt" | "gt" | "le" | "ge"): OwnStep => ({
  value: (e, [a, b]) => new Lanes(e, "f32x4").compare(a!, relation, b!),
  masks: [],
  isMask: true,
});

const logical = (name: "and" | "or" | "xor"): OwnStep => ({
  value: (e, [a, b]) => e.op(`v128.${name}`, a!, b!),
  masks: [0, 1],
  isMask: true,
});

const not = (e: Expression, mask: Node): Node => e.op("v128.not", mask);

const OWN_STEPS: { readonly [kind in string]?: OwnStep } = {
  eq: comparison("eq"),
  lt: comparison("lt"),
  gt: comparison("gt"),
  le: comparison("le"),
  ge: comparison("ge"),
  ne: { value: (e, [a, b]) => not(e, new Lanes(e, "f32x4").compare(a!, "eq", b!)), masks: [], isMask: true },
  isNaN: { value: (e, [x]) => not(e, new Lanes(e, "f32x4").compare(x!, "eq", x!)), masks: [], isMask: true },
  isFinite: { value: (e, [x]) => sizeIs(e, x!, "lt"), masks: [], isMask: true },
  isInfinite: { value: (e, [x]) => sizeIs(e, x!, "eq"), masks: [], isMask: true },
  logicalAnd: logical("and"),
  logicalOr: logical("or"),
  logicalXor: logical("xor"),
  logicalNot: { value: (e, [x]) => not(e, x!), masks: [0], isMask: true },
  where: { value: (e, [mask, a, b]) => select(e, mask!, a!, b!), masks: [0], isMask: false },
  clamp: {
    value: (e, [x, low, high]) => e.op("f32x4.min", e.op("f32x4.max", x!, low!), high!),
    masks: [],
    isMask: false,
  },
  leakyRelu: { value: (e, [x], [slope]) => leakyRelu(e, x!, slope!), masks: [], isMask: false },
};

function sizeIs(e: Expression, x: Node, relation: "lt" | "eq"): Node {
  const f = new Lanes(e, "f32x4");
  return f.compare(f.abs(x), relation, f.of(Number.POSITIVE_INFINITY));
}

function leakyRelu(e: Expression, x: Node, slope: number): Node {
  const f = new Lanes(e, "f32x4");
  return select(e, f.compare(x, "lt", f.of(0)), f.mul(f.of(slope), x), x);
}

const isUnary = (kind: string): kind is (typeof UNARY_KINDS)[number] => UNARY_KINDS.some((name) => name === kind);
const isBinary = (kind: string): kind is (typeof BINARY_KINDS)[number] => BINARY_KINDS.some((name) => name === kind);

/** Steps of a few instructions of which so many are unrolled; more would not stay in registers. */
const UNROLLED_STEPS = 8;

/** Whether a program that was checked is of float32, with masks inside of it at most, and of steps that there are. */
export function canEmit({ inputs, constants, steps, outputs }: Program): boolean {
  if (inputs.some((dtype) => dtype !== "float32") || constants.some(({ dtype }) => dtype !== "float32")) return false;
  const isMask = new Array<boolean>(inputs.length + constants.length).fill(false);
  for (const { kind, operands } of steps) {
    const own = Object.hasOwn(OWN_STEPS, kind) ? OWN_STEPS[kind] : undefined;
    if (own === undefined && !isUnary(kind) && !isBinary(kind)) return false;
    // A choice between masks would be one; comparisons of them are of bool.
    if (operands.some((operand, i) => isMask[operand] !== (own?.masks.includes(i) ?? false))) return false;
    isMask.push(own?.isMask ?? false);
  }
  return outputs.every((output) => !isMask[output]);
}

/** Names all that the loop of a program depends on: of its constants how many there are, for they are read as inputs are. */
export function structureOf({ inputs, constants, steps, outputs }: Program): string {
  const parts = steps.map(
    ({ kind, operands, floats = [] }) => `${kind}(${operands})${floats.length > 0 ? floats : ""}`,
  );
  return `program ${inputs.length + constants.length}; ${parts.join(" ")}; ${outputs}`;
}

/**
 * Emits the loop of a program (see `emitBlockLoop`), as `values`; its inputs are those of the program, then the constants.
 * `patterns` say how each moves.
 */
export function emitProgram(module: ModuleBuilder, program: Program, patterns: readonly Pattern[]): void {
  const { steps, outputs } = program;
  const isShort = ({ kind }: Program["steps"][number]): boolean => !isUnary(kind) || UNARY_VALUES[kind].unroll === 4;
  const isTrigonometric = steps.some(({ kind }) => kind === "sin" || kind === "cos");
  const reduction = isTrigonometric ? emitLargeReduction(module) : undefined;
  emitBlockLoop(module, {
    name: "values",
    inputs: patterns,
    outputs: outputs.length,
    unroll: steps.length <= UNROLLED_STEPS && steps.every(isShort) ? 4 : 1,
    values: (e, ...inputs) => valuesOf(e, program, inputs, reduction),
  });
}

function valuesOf(
  e: Expression,
  { steps, outputs }: Program,
  inputs: readonly Node[],
  reduction: FunctionReference | undefined,
): Node[] {
  const values = [...inputs];
  for (const { kind, operands, floats = [] } of steps) {
    const [a, b] = operands.map((operand) => values[operand]!);
    if (isUnary(kind)) values.push(UNARY_VALUES[kind].value(e, a!, reduction!));
    else if (isBinary(kind)) values.push(BINARY_VALUES[kind](e, a!, b!));
    else {
      const from = operands.map((operand) => values[operand]!);
      values.push(OWN_STEPS[kind]!.value(e, from, floats));
    }
  }
  return outputs.map((output) => values[output]!);
}
