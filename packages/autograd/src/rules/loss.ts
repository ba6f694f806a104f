import { maximum, ne, nllLoss, sum } from "@sw/tensor";
import { type BackwardRule, nllLossBackward, unpack } from "@sw/tensor/seam";
import { divided } from "./divided.js";

// Each is the other's transpose, so each is the other's rule.

const REDUCTIONS = ["mean", "sum", "none"] as const;

/** The options of a loss, of the numbers in its record. */
function optionsOf([reduction, ignoredClass]: readonly number[]): Parameters<typeof nllLoss>[2] {
  return { reduction: REDUCTIONS[reduction ?? 0]!, ...(ignoredClass === undefined ? {} : { ignoredClass }) };
}

export const nllLossRule: BackwardRule = (record, g) => [
  nllLossBackward(g, unpack(record, 0), record.inputs[0]?.shape[1] ?? 0, optionsOf(record.ints)),
  undefined,
];

export const nllLossBackwardRule: BackwardRule = (record, g) => {
  const target = unpack(record, 0);
  const [, reduction, ignoredClass] = record.ints;
  if (reduction !== 0 || ignoredClass === undefined)
    return [nllLoss(g, target, optionsOf(record.ints.slice(1))), undefined];
  // The mean of no rows is NaN, but its gradient, whatever the cotangent, is 0: so is the transpose of that.
  const total = nllLoss(g, target, { reduction: "sum", ignoredClass });
  return [divided(total, maximum(sum(ne(target, ignoredClass)), 1)), undefined];
};
