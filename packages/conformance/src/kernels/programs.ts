import { type Backend, OPERATIONS, type OperationSpec, type Program } from "@sw/tensor/seam";
import { type Bound, ROUNDED } from "../bounds.js";
import type { Case, CaseOutcome, Tools } from "../case.js";
import type { Role } from "../operands/forms.js";
import { sizeOf } from "../operands/placing.js";
import { type DType, isFloat, roundTo, type Value } from "../values.js";
import { needsOf, tryKernel } from "./cases.js";
import { everyKind, type Kind } from "./kinds.js";
import { loops } from "./loops.js";
import { type KernelModel, type Problem, range } from "./model.js";
import { elementOf, elementwiseRules, type Rule } from "./models/elementwise.js";
import { type ReductionRule, reductionRule } from "./models/reduce.js";
import { everyday, unwritten, valued } from "./plans.js";
import { programOf, type Recipe, recipes } from "./recipes.js";
import type { Expected, Plan } from "./sample.js";

// Fused programs (S-48 to S-52): each is tried as a kernel of its own, against the rules of its steps, evaluated one
// after another with a rounding in between. A problem of one that reduces is `[kept, ...shape]`.

/** Lengths around the widths of vectors and the blocks that a program may go through. */
const LENGTHS: readonly number[] = [2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65, 127, 129, 511, 512, 513, 1027];

/** The values of a program's steps: rounded, as later steps read them, and as a bound is measured from. */
interface Evaluated {
  readonly dtype: DType;
  readonly rounded: readonly Value[];
  readonly exact: readonly Value[];
}

function ruleOf(rules: readonly Rule[], kind: string): Rule {
  return rules.find(({ spec }) => spec.kind === kind)!;
}

/** Evaluates every step for every element. */
function evaluate(program: Program, inputs: readonly Plan[], rules: readonly Rule[]): readonly Evaluated[] {
  const count = inputs[0]!.values!.length;
  const values: Evaluated[] = inputs.map(({ dtype, values: of }) => ({ dtype, rounded: of!, exact: of! }));
  for (const { dtype, value } of program.constants) {
    const of = new Array<Value>(count).fill(value);
    values.push({ dtype, rounded: of, exact: of });
  }
  for (const { kind, operands, floats = [] } of program.steps) {
    const rule = ruleOf(rules, kind);
    const from = operands.map((k) => values[k]!);
    // A condition has a dtype of its own.
    const shared = from[from.length - 1]!.dtype;
    const dtype = rule.spec.outputs[0]!.endsWith(":bool") ? "bool" : shared;
    const exact = Array.from({ length: count }, (_, i) =>
      elementOf(
        rule,
        shared,
        from.map(({ rounded }) => rounded[i]!),
        floats,
      ),
    );
    const rounded = isFloat(dtype) ? exact.map((value) => roundTo(dtype, value as number)) : exact;
    values.push({ dtype, rounded, exact });
  }
  return values;
}

/** A program has the bound of its last step, or of its reduction: what comes before is rounded. */
function boundOf({ steps }: Program, reduction: ReductionRule | undefined, rules: readonly Rule[]): Bound {
  return reduction?.bound ?? ruleOf(rules, steps[steps.length - 1]!.kind).bound ?? ROUNDED;
}

/** Extents of programs that reduce. */
function reduced(
  empty: boolean,
): Pick<KernelModel, "problems" | "sizes" | "ones" | "empty" | "small" | "randomProblem"> {
  return {
    problems: [
      [0, 7],
      [1, 4, 5],
      [2, 3, 4, 5],
      [1, 3, 2, 4],
    ],
    sizes: LENGTHS.flatMap((n) => [
      [0, n],
      [1, 3, n],
      [1, n, 3],
    ]),
    ones: [[0], [0, 1], [1, 1], [1, 1, 1], [1, 5, 1]],
    empty: empty
      ? [
          [0, 0],
          [1, 3, 0],
        ]
      : [],
    small: range(1, 5).map((n) => [1, 2, n]),
    randomProblem: (source) => {
      const shape = Array.from({ length: source.integer(1, 4) }, () => source.integer(1, 6));
      return [source.integer(0, shape.length - 1), ...shape];
    },
  };
}

/** A recipe as a model: what the kinds of cases ask for. */
function modelOf(recipe: Recipe, dtype: DType): KernelModel {
  const rules = elementwiseRules();
  const program = programOf(recipe, dtype);
  const reduction = recipe.reduce === undefined ? undefined : reductionRule(recipe.reduce);
  const roles: readonly Role[] = [
    ...program.outputs.map(() => "out" as const),
    ...program.inputs.map(() => "in" as const),
  ];
  const { family } = reduction === undefined ? OPERATIONS.add : OPERATIONS.sum;
  const spec: OperationSpec = { ...OPERATIONS.add, kind: "program", family };
  return {
    ...loops(),
    sizes: LENGTHS.flatMap((n) => [[n], [3, n]]),
    ...(reduction === undefined ? {} : reduced(reduction.empty)),
    pointwise: reduction === undefined,
    spec,
    bound: boundOf(program, reduction, rules),
    roles,
    largest: reduction === undefined,
    special: program.inputs.map((_, k) => program.outputs.length + k),
    own: [],
    sample(_, problem: Problem, placers, draw, source) {
      const shape = reduction === undefined ? problem : problem.slice(1);
      const kept = reduction === undefined ? shape.length : problem[0]!;
      const first = program.outputs.length;
      const inputs = program.inputs.map((own, k) => {
        const values = draw(first + k, own, sizeOf(shape), () => everyday(own, source));
        return valued(own, placers[first + k]!(shape), values);
      });
      const outputs = program.outputs.map((_output, k): Plan => {
        const placement = placers[k]!(shape.slice(0, kept));
        if (reduction !== undefined) {
          const strides = shape.map((_extent, loop) => (loop < kept ? placement.strides[loop]! : 0));
          return { dtype: reduction.result(dtype), placement: { ...placement, shape, strides }, loops: kept };
        }
        // The first output has the program's dtype; a second one may be bool.
        return unwritten(dtypeOfOutput(program, k, dtype), placement);
      });
      const expected = (): readonly Expected[] => {
        const values = evaluate(program, inputs, rules);
        if (reduction === undefined) return program.outputs.map((number) => ({ values: values[number]!.exact }));
        const results = sizeOf(shape.slice(0, kept));
        const { rounded } = values[program.outputs[0]!]!;
        return [reduction.expected(dtype, rounded, results, sizeOf(shape.slice(kept)))];
      };
      return { outputs, inputs, ints: [], floats: [], expected };
    },
  };
}

function dtypeOfOutput({ inputs, constants, outputs, steps }: Program, k: number, dtype: DType): DType {
  const { kind } = steps[outputs[k]! - inputs.length - constants.length]!;
  return OPERATIONS[kind as "lt"].outputs[0]!.endsWith(":bool") ? "bool" : dtype;
}

function programCase(recipe: Recipe, dtype: DType, kind: Kind, id: string): Case<Backend> {
  return {
    id,
    since: "0.1.0",
    subject: "program",
    needs: needsOf("compile", kind),
    run(candidate: Backend, tools: Tools): CaseOutcome {
      const kernel = candidate.compile!(programOf(recipe, dtype));
      if (kernel === undefined) return { skipped: "compile() declines the program", checks: 0, declined: 0 };
      const model = modelOf(recipe, dtype);
      return tryKernel(candidate, { id, name: "program", kernel, model, dtype, bound: model.bound }, kind, tools);
    },
  };
}

/** Builds the cases of programs whose ids pass a filter: `programs/<program>/<dtype>/<what is in question>`. */
export function programCases(filter: (id: string) => boolean): readonly Case<Backend>[] {
  return recipes().flatMap((recipe) =>
    recipe.dtypes.flatMap((dtype) =>
      everyKind().flatMap((kind) => {
        const id = `programs/${recipe.name}/${dtype}/${kind.name}`;
        if (!filter(id) || (kind.applies !== undefined && !kind.applies(modelOf(recipe, dtype), dtype))) return [];
        return [programCase(recipe, dtype, kind, id)];
      }),
    ),
  );
}
