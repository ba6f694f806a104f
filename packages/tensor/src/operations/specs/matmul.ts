import { FLOATS, type OperationSpec } from "../spec.js";

// Products of matrices.

export type DifferentiableMatmul = "matmul";
export type PlainMatmul = never;

export const MATMUL: OperationSpec<"matmul", true> = {
  kind: "matmul",
  family: "axes",
  outputs: ["r"],
  inputs: ["a", "b"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [
    [0, 1],
    [1, 0],
  ],
  differentiable: true,
};
