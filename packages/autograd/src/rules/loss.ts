import { nllLoss } from "@sw/tensor";
import { type BackwardRule, nllLossBackward, unpack } from "@sw/tensor/seam";

// Each is the other's transpose, so each is the other's rule.
export const nllLossRule: BackwardRule = (record, g) => [
  nllLossBackward(g, unpack(record, 0), record.ints[0] ?? 0),
  undefined,
];

export const nllLossBackwardRule: BackwardRule = (record, g) => [nllLoss(g, unpack(record, 0)), undefined];
