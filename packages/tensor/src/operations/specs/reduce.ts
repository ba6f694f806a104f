import { FLOATS, NUMBERS, type OperationSpec } from "../spec.js";

// Reductions over any axes.

export type DifferentiableReduce = "sum" | "mean";
export type PlainReduce = never;

export const SUM: OperationSpec<"sum", true> = {
  kind: "sum",
  family: "reduce",
  outputs: ["r:sum"],
  inputs: ["x"],
  ints: [],
  floats: [],
  recordInts: ["axis…"],
  kinds: NUMBERS,
  saves: [],
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
