import { FLOATS, type OperationSpec } from "../spec.js";

// What picks elements by the numbers in another tensor.

export type DifferentiableIndexing = "nllLoss" | "nllLossBackward";
export type PlainIndexing = never;

export const NLL_LOSS: OperationSpec<"nllLoss", true> = {
  kind: "nllLoss",
  family: "axes",
  outputs: ["r"],
  inputs: ["x", "target:index"],
  ints: [],
  floats: [],
  recordInts: ["classes"],
  kinds: FLOATS,
  saves: [[1]],
  differentiable: true,
};

export const NLL_LOSS_BACKWARD: OperationSpec<"nllLossBackward", true> = {
  kind: "nllLossBackward",
  family: "axes",
  outputs: ["r"],
  inputs: ["cotangent", "target:index"],
  ints: ["classes"],
  floats: [],
  kinds: FLOATS,
  saves: [[1]],
  differentiable: true,
};
