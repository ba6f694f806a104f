import { EVERYTHING, FLOATS, NUMBERS, type OperationSpec } from "../spec.js";

// Operations along one axis, which their kernels see as the last one; of batchNorm the first axis is the channels.

export type DifferentiableRows = "cumsum" | "softmax" | "logSoftmax" | "layerNorm" | "rmsNorm" | "batchNorm";
export type PlainRows = "argmax" | "argmin" | "argsort" | "topK";

export const ARGMAX: OperationSpec<"argmax", false> = {
  kind: "argmax",
  family: "axes",
  outputs: ["r:int64"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: NUMBERS,
  saves: [],
  differentiable: false,
};

export const ARGMIN: OperationSpec<"argmin", false> = {
  kind: "argmin",
  family: "axes",
  outputs: ["r:int64"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: NUMBERS,
  saves: [],
  differentiable: false,
};

export const ARGSORT: OperationSpec<"argsort", false> = {
  kind: "argsort",
  family: "axes",
  outputs: ["r:int64"],
  inputs: ["x"],
  ints: ["descending"],
  floats: [],
  kinds: NUMBERS,
  saves: [],
  differentiable: false,
};

export const TOP_K: OperationSpec<"topK", false> = {
  kind: "topK",
  family: "axes",
  outputs: ["r:int64"],
  inputs: ["x"],
  ints: ["largest"],
  floats: [],
  kinds: NUMBERS,
  saves: [],
  differentiable: false,
};

export const CUMSUM: OperationSpec<"cumsum", true> = {
  kind: "cumsum",
  family: "axes",
  outputs: ["r:sum"],
  inputs: ["x"],
  ints: [],
  floats: [],
  recordInts: ["axis"],
  kinds: EVERYTHING,
  saves: [],
  differentiable: true,
};

export const SOFTMAX: OperationSpec<"softmax", true> = {
  kind: "softmax",
  family: "axes",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  recordInts: ["axis"],
  kinds: FLOATS,
  saves: [[-1]],
  differentiable: true,
};

export const LOG_SOFTMAX: OperationSpec<"logSoftmax", true> = {
  kind: "logSoftmax",
  family: "axes",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  recordInts: ["axis"],
  kinds: FLOATS,
  saves: [[-1]],
  differentiable: true,
};

export const LAYER_NORM: OperationSpec<"layerNorm", true> = {
  kind: "layerNorm",
  family: "axes",
  outputs: ["r", "normalised?", "inverseDeviation?"],
  inputs: ["x", "weight?", "bias?"],
  ints: [],
  floats: ["epsilon"],
  recordInts: ["axes"],
  kinds: FLOATS,
  saves: [
    [-2, 0, 1],
    [-3, 0],
    [1, 0],
  ],
  differentiable: true,
};

export const RMS_NORM: OperationSpec<"rmsNorm", true> = {
  kind: "rmsNorm",
  family: "axes",
  outputs: ["r", "normalised?", "inverseRoot?"],
  inputs: ["x", "weight?"],
  ints: [],
  floats: ["epsilon"],
  recordInts: ["axes"],
  kinds: FLOATS,
  saves: [
    [-2, 0, 1],
    [-3, 0],
    [1, 0],
  ],
  differentiable: true,
};

export const BATCH_NORM: OperationSpec<"batchNorm", true> = {
  kind: "batchNorm",
  family: "axes",
  outputs: ["r", "mean", "variance", "normalised?", "inverseDeviation?"],
  inputs: ["x", "weight?", "bias?"],
  ints: [],
  floats: ["epsilon"],
  kinds: FLOATS,
  saves: [
    [-4, 0, 1],
    [-5, 0],
    [1, 0],
  ],
  differentiable: true,
};
