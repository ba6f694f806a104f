import type { OperationSpec } from "@sw/tensor/seam";
import { type Bound, ROUNDED } from "../../bounds.js";
import type { Role } from "../../operands/forms.js";
import { sizeOf } from "../../operands/placing.js";
import type { Random } from "../../random.js";
import { type DType, isFloat, type Value, wrapTo } from "../../values.js";
import { loops } from "../loops.js";
import { type KernelModel, range } from "../model.js";
import { everyday, unwritten, valued } from "../plans.js";
import type { Expected, Plan } from "../sample.js";
import { arithmeticRules } from "./arithmetic.js";
import { functionRules } from "./functions.js";

/** What an element is of the elements at its coordinate: of floats in float64, of integers and bool exactly. */
export interface Rule {
  readonly spec: OperationSpec;
  /** Of the inputs' elements, then the numbers of the call. */
  readonly float?: (...x: number[]) => number | boolean;
  readonly integer?: (...x: bigint[]) => bigint | boolean;
  readonly ordinary?: (dtype: DType, source: Random) => Value;
  /** Default: one right answer. */
  readonly bound?: Bound;
  readonly exactBound?: Bound;
  /** The kernel's `floats`, one choice of which a call has. */
  readonly numbers?: readonly number[];
  /** See `Expected`: by the element of the first input, of float64 or not. */
  readonly distance?: (x: number, dtype: DType) => number;
}

/** The dtype of an operand by its name in the spec. */
function dtypeOf(operand: string, dtype: DType): DType {
  return operand.endsWith(":bool") ? "bool" : dtype;
}

/** What an element is of those of the inputs, in the precision of the rule. */
export function elementOf(
  { float, integer }: Rule,
  dtype: DType,
  x: readonly Value[],
  numbers: readonly number[],
): Value {
  if (isFloat(dtype)) return Number(float!(...x.map(Number), ...numbers));
  const exact = integer!(...x.map(BigInt));
  return typeof exact === "boolean" ? Number(exact) : wrapTo(dtype, exact);
}

function expectedOf(
  rule: Rule,
  dtype: DType,
  inputs: readonly Plan[],
  count: number,
  numbers: readonly number[],
): Expected {
  const elements = Array.from({ length: count }, (_, i) => inputs.map(({ values }) => values![i]!));
  const { distance } = rule;
  return {
    values: elements.map((x) => elementOf(rule, dtype, x, numbers)),
    ...(distance === undefined ? {} : { distances: elements.map(([x]) => distance(Number(x), dtype)) }),
  };
}

function model(rule: Rule): KernelModel {
  const { spec } = rule;
  const { inputs: names } = spec;
  const roles: readonly Role[] = ["out", ...names.map(() => "in" as const)];
  const ordinary = rule.ordinary ?? everyday;
  return {
    ...loops(),
    spec,
    bound: rule.bound ?? ROUNDED,
    ...(rule.exactBound === undefined ? {} : { exactBound: rule.exactBound }),
    roles,
    largest: true,
    // A condition has no special values beside those that it is drawn of.
    special: range(1, names.length).filter((i) => spec.kinds.length === 1 || !names[i - 1]!.endsWith(":bool")),
    own: [],
    sample(dtype, shape, placers, draw, source) {
      const count = sizeOf(shape);
      const inputs = names.map((name, k) => {
        const own = dtypeOf(name, dtype);
        const values = draw(k + 1, own, count, () => (own === dtype ? ordinary : everyday)(own, source));
        return valued(own, placers[k + 1]!(shape), values);
      });
      const output = unwritten(dtypeOf(spec.outputs[0]!, dtype), placers[0]!(shape));
      const floats = rule.numbers === undefined ? [] : [source.pick(rule.numbers)];
      const expected = (): readonly Expected[] => [expectedOf(rule, dtype, inputs, count, floats)];
      return { outputs: [output], inputs, ints: [], floats, expected };
    },
  };
}

export function elementwiseRules(): readonly Rule[] {
  return [...arithmeticRules(), ...functionRules()];
}

/** The element-wise kernels that only write their output. */
export function elementwiseModels(): readonly KernelModel[] {
  return elementwiseRules().map(model);
}
