import { FLOATS, NUMBERS, type OperationSpec } from "../spec.js";

// Operations along one axis, which their kernels see as the last one.

export type DifferentiableRows = "softmax" | "logSoftmax";
export type PlainRows = "argmax";

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
