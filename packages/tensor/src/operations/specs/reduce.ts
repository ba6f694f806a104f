import { EVERYTHING, FLOATS, NUMBERS, type OperationSpec } from "../spec.js";

// Reductions over any axes.

export type DifferentiableReduce = "sum" | "prod" | "mean" | "min" | "max" | "variance" | "norm" | "logSumExp";
export type PlainReduce = "any" | "all";

export const SUM: OperationSpec<"sum", true> = {
  kind: "sum",
  family: "reduce",
  outputs: ["r:sum"],
  inputs: ["x"],
  ints: [],
  floats: [],
  recordInts: ["axis…"],
  kinds: EVERYTHING,
  saves: [],
  differentiable: true,
};

export const PROD: OperationSpec<"prod", true> = {
  kind: "prod",
  family: "reduce",
  outputs: ["r:sum"],
  inputs: ["x"],
  ints: [],
  floats: [],
  recordInts: ["axis…"],
  kinds: EVERYTHING,
  saves: [[0], [-1]],
  differentiable: true,
};

export const MEAN: OperationSpec<"mean", true> = {
  kind: "mean",
  family: "reduce",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  recordInts: ["axis…"],
  kinds: FLOATS,
  saves: [],
  differentiable: true,
};

export const MIN: OperationSpec<"min", true> = {
  kind: "min",
  family: "reduce",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  recordInts: ["axis…"],
  kinds: NUMBERS,
  saves: [[0], [-1]],
  differentiable: true,
};

export const MAX: OperationSpec<"max", true> = {
  kind: "max",
  family: "reduce",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  recordInts: ["axis…"],
  kinds: NUMBERS,
  saves: [[0], [-1]],
  differentiable: true,
};

export const ANY: OperationSpec<"any", false> = {
  kind: "any",
  family: "reduce",
  outputs: ["r:bool"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: EVERYTHING,
  saves: [],
  differentiable: false,
};

export const ALL: OperationSpec<"all", false> = {
  kind: "all",
  family: "reduce",
  outputs: ["r:bool"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: EVERYTHING,
  saves: [],
  differentiable: false,
};

export const VARIANCE: OperationSpec<"variance", true> = {
  kind: "variance",
  family: "reduce",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: ["correction"],
  recordInts: ["axis…"],
  kinds: FLOATS,
  saves: [[0]],
  differentiable: true,
};

export const NORM: OperationSpec<"norm", true> = {
  kind: "norm",
  family: "reduce",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: ["order"],
  recordInts: ["axis…"],
  kinds: FLOATS,
  saves: [[0], [-1]],
  differentiable: true,
};

export const LOG_SUM_EXP: OperationSpec<"logSumExp", true> = {
  kind: "logSumExp",
  family: "reduce",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  recordInts: ["axis…"],
  kinds: FLOATS,
  saves: [[0], [-1]],
  differentiable: true,
};
