import type { Program } from "@sw/tensor/seam";
import type { FunctionReference, ModuleBuilder } from "../assembler/index.js";
import { BINARY_KINDS, UNARY_KINDS } from "../kernels/kinds.js";
import { emitBlockLoop, type Pattern } from "./block-loop.js";
import type { Expression, Node } from "./expression.js";
import { emitLargeReduction } from "./functions/trigonometry.js";
import { Lanes, select } from "./lanes.js";
import { BINARY_VALUES, UNARY_VALUES } from "./values.js";

// A program as one loop: its steps are what the kernels of their names compute, on vectors that stay in registers. A value of
// bool is a mask inside; as an input and an output it is 0 or 1 of float32, which others make of bytes.

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

/**
 * Which values of a program are masks; `undefined` where it is not of float32 and bool, or has steps that there are not.
 * The program was checked.
 */
export function masksOf({ inputs, constants, steps, outputs, reduce }: Program): readonly boolean[] | undefined {
  if (inputs.some((dtype) => dtype !== "float32" && dtype !== "bool")) return undefined;
  if (constants.some(({ dtype }) => dtype !== "float32")) return undefined;
  const isMask = [...inputs.map((dtype) => dtype === "bool"), ...constants.map(() => false)];
  for (const { kind, operands } of steps) {
    const own = Object.hasOwn(OWN_STEPS, kind) ? OWN_STEPS[kind] : undefined;
    if (own === undefined && !isUnary(kind) && !isBinary(kind)) return undefined;
    // A choice between masks would be one; comparisons of them are of bool.
    if (operands.some((operand, i) => isMask[operand] !== (own?.masks.includes(i) ?? false))) return undefined;
    isMask.push(own?.isMask ?? false);
  }
  return reduce !== undefined && isMask[outputs[0]!] === true ? undefined : isMask;
}

/** Names all that the loop of a program depends on: of its constants how many there are, for they are read as inputs are. */
export function structureOf({ inputs, constants, steps, outputs }: Program): string {
  const parts = steps.map(
    ({ kind, operands, floats = [] }) => `${kind}(${operands})${floats.length > 0 ? floats : ""}`,
  );
  return `program ${inputs.map((dtype) => dtype[0]).join("")} ${constants.length}; ${parts.join(" ")}; ${outputs}`;
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
  program: Program,
  inputs: readonly Node[],
  reduction: FunctionReference | undefined,
): Node[] {
  const { steps, outputs } = program;
  const f = new Lanes(e, "f32x4");
  const isMask = masksOf(program)!;
  const values = inputs.map((input, k) => (isMask[k] ? f.compare(input, "gt", f.of(0)) : input));
  for (const { kind, operands, floats = [] } of steps) {
    const [a, b] = operands.map((operand) => values[operand]!);
    if (isUnary(kind)) values.push(UNARY_VALUES[kind].value(e, a!, reduction!));
    else if (isBinary(kind)) values.push(BINARY_VALUES[kind](e, a!, b!));
    else {
      const from = operands.map((operand) => values[operand]!);
      values.push(OWN_STEPS[kind]!.value(e, from, floats));
    }
  }
  return outputs.map((output) => (isMask[output] ? e.op("v128.and", values[output]!, f.of(1)) : values[output]!));
}
