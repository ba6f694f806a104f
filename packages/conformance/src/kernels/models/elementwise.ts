import { OPERATIONS, type OperationSpec } from "@sw/tensor/seam";
import { type Bound, ROUNDED, wide } from "../../bounds.js";
import type { Role } from "../../operands/forms.js";
import { sizeOf } from "../../operands/placing.js";
import type { Random } from "../../random.js";
import { type DType, isFloat, roundTo, type Value, wrapTo } from "../../values.js";
import { loops } from "../loops.js";
import { type KernelModel, range } from "../model.js";
import { between, everyday, unwritten, valued } from "../plans.js";
import type { Expected, Plan } from "../sample.js";

/** What an element is of the elements at its coordinate: of floats in float64, of integers exactly. */
interface Rule {
  readonly spec: OperationSpec;
  readonly inputs: number;
  readonly float: (a: number, b: number) => number;
  readonly integer?: (a: bigint, b: bigint) => bigint;
  readonly ordinary?: (dtype: DType, source: Random) => Value;
  /** Default: one right answer. */
  readonly bound?: Bound;
  readonly exactBound?: Bound;
}

/** The bounds of functions that no host computes exactly. */
function ofTwoUlp(of: string): Pick<Rule, "bound" | "exactBound"> {
  return { bound: { rule: "ulp", ulp: 2 }, exactBound: wide(of, { constant: 4 }) };
}

function forExp(dtype: DType, source: Random): Value {
  return source.next() < 0.5 ? between(dtype, -4, 4, source) : between(dtype, -110, 100, source);
}

function forLog(dtype: DType, source: Random): Value {
  const size = roundTo(dtype, 2 ** (source.next() * 40 - 20));
  const kind = source.next();
  if (kind < 0.1) return -size;
  return kind < 0.4 ? between(dtype, 0.5, 1.5, source) : size;
}

function rules(): readonly Rule[] {
  return [
    { spec: OPERATIONS.add, inputs: 2, float: (a, b) => a + b, integer: (a, b) => a + b },
    { spec: OPERATIONS.sub, inputs: 2, float: (a, b) => a - b, integer: (a, b) => a - b },
    { spec: OPERATIONS.mul, inputs: 2, float: (a, b) => a * b, integer: (a, b) => a * b },
    { spec: OPERATIONS.div, inputs: 2, float: (a, b) => a / b },
    { spec: OPERATIONS.reluBackward, inputs: 2, float: (cotangent, output) => (output > 0 ? cotangent : 0) },
    { spec: OPERATIONS.neg, inputs: 1, float: (a) => -a, integer: (a) => -a },
    // Below zero makes +0; NaN and -0 pass.
    { spec: OPERATIONS.relu, inputs: 1, float: (a) => (a >= 0 || Number.isNaN(a) ? a : 0) },
    { spec: OPERATIONS.exp, inputs: 1, float: Math.exp, ...ofTwoUlp("y"), ordinary: forExp },
    { spec: OPERATIONS.log, inputs: 1, float: Math.log, ...ofTwoUlp("|y|"), ordinary: forLog },
  ];
}

function valuesOf({ float, integer }: Rule, dtype: DType, inputs: readonly Plan[], count: number): Value[] {
  const a = inputs[0]!.values!;
  const b = inputs[1]?.values ?? a;
  return Array.from({ length: count }, (_, i) =>
    isFloat(dtype) ? float(a[i] as number, b[i] as number) : wrapTo(dtype, integer!(BigInt(a[i]!), BigInt(b[i]!))),
  );
}

function model(rule: Rule): KernelModel {
  const roles: readonly Role[] = ["out", ...Array.from({ length: rule.inputs }, () => "in" as const)];
  const ordinary = rule.ordinary ?? everyday;
  return {
    ...loops(),
    spec: rule.spec,
    bound: rule.bound ?? ROUNDED,
    ...(rule.exactBound === undefined ? {} : { exactBound: rule.exactBound }),
    roles,
    largest: true,
    special: range(1, rule.inputs),
    own: [],
    sample(dtype, shape, placers, draw, source) {
      const count = sizeOf(shape);
      const inputs = range(1, rule.inputs).map((i) =>
        valued(
          dtype,
          placers[i]!(shape),
          draw(i, dtype, count, () => ordinary(dtype, source)),
        ),
      );
      const output = unwritten(dtype, placers[0]!(shape));
      const expected = (): readonly Expected[] => [{ values: valuesOf(rule, dtype, inputs, count) }];
      return { outputs: [output], inputs, ints: [], floats: [], expected };
    },
  };
}

/** The element-wise kernels that only write their output. */
export function elementwiseModels(): readonly KernelModel[] {
  return rules().map(model);
}
