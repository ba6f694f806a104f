import { EVERYTHING, FLOATS, NUMBERS, type OperationSpec } from "../spec.js";

// What picks elements by the numbers in another tensor. Records name the tensor that elements are put into first.

export type DifferentiableIndexing =
  | "gather"
  | "scatter"
  | "scatterAdd"
  | "indexSelect"
  | "indexAdd"
  | "embedding"
  | "nllLoss"
  | "nllLossBackward";
export type PlainIndexing = never;

export const GATHER: OperationSpec<"gather", true> = {
  kind: "gather",
  family: "axes",
  outputs: ["r"],
  inputs: ["x", "index:index"],
  ints: ["axis"],
  floats: [],
  kinds: EVERYTHING,
  saves: [[1]],
  differentiable: true,
};

/** Its records' inputs are x, index and source. */
export const SCATTER: OperationSpec<"scatter", true> = {
  kind: "scatter",
  family: "axes",
  outputs: ["r!"],
  inputs: ["index:index", "source"],
  ints: ["axis"],
  floats: [],
  kinds: EVERYTHING,
  saves: [[1]],
  differentiable: true,
};

/** Its records' inputs are x, index and source. */
export const SCATTER_ADD: OperationSpec<"scatterAdd", true> = {
  kind: "scatterAdd",
  family: "axes",
  outputs: ["r!"],
  inputs: ["index:index", "source"],
  ints: ["axis"],
  floats: [],
  kinds: NUMBERS,
  saves: [[1, 2]],
  differentiable: true,
};

export const INDEX_SELECT: OperationSpec<"indexSelect", true> = {
  kind: "indexSelect",
  family: "axes",
  outputs: ["r"],
  inputs: ["x", "index:index"],
  ints: ["axis"],
  floats: [],
  kinds: EVERYTHING,
  saves: [[1]],
  differentiable: true,
};

/** Its records' inputs are x, index and source. */
export const INDEX_ADD: OperationSpec<"indexAdd", true> = {
  kind: "indexAdd",
  family: "axes",
  outputs: ["r!"],
  inputs: ["index:index", "source"],
  ints: ["axis"],
  floats: [],
  kinds: NUMBERS,
  saves: [[1, 2]],
  differentiable: true,
};

/** A skipId of -1 is none. */
export const EMBEDDING: OperationSpec<"embedding", true> = {
  kind: "embedding",
  family: "composed",
  outputs: ["r"],
  inputs: ["table", "ids:index"],
  ints: ["skipId"],
  floats: [],
  kinds: EVERYTHING,
  saves: [[1]],
  differentiable: true,
};

/** A reduction of 0 is the mean, 1 the sum, 2 none. */
export const NLL_LOSS: OperationSpec<"nllLoss", true> = {
  kind: "nllLoss",
  family: "axes",
  outputs: ["r"],
  inputs: ["x", "target:index"],
  ints: ["reduction", "ignoredClass?"],
  floats: [],
  kinds: FLOATS,
  saves: [[1]],
  differentiable: true,
};

export const NLL_LOSS_BACKWARD: OperationSpec<"nllLossBackward", true> = {
  kind: "nllLossBackward",
  family: "axes",
  outputs: ["r"],
  inputs: ["cotangent", "target:index"],
  ints: ["classes", "reduction", "ignoredClass?"],
  floats: [],
  kinds: FLOATS,
  saves: [[1]],
  differentiable: true,
};
