import { FLOATS, NUMBERS, type OperationSpec } from "../spec.js";

// Element-wise operations: an element of the result is computed of the elements at its coordinate.

export type DifferentiableElementwise = "add" | "sub" | "mul" | "div" | "neg" | "relu" | "reluBackward" | "exp" | "log";
export type PlainElementwise = never;

export const ADD: OperationSpec<"add", true> = {
  kind: "add",
  family: "loops",
  outputs: ["r"],
  inputs: ["a", "b"],
  ints: [],
  floats: [],
  kinds: NUMBERS,
  saves: [],
  differentiable: true,
};

export const SUB: OperationSpec<"sub", true> = {
  kind: "sub",
  family: "loops",
  outputs: ["r"],
  inputs: ["a", "b"],
  ints: [],
  floats: [],
  kinds: NUMBERS,
  saves: [],
  differentiable: true,
};

export const MUL: OperationSpec<"mul", true> = {
  kind: "mul",
  family: "loops",
  outputs: ["r"],
  inputs: ["a", "b"],
  ints: [],
  floats: ["number?"],
  kinds: NUMBERS,
  saves: [
    [0, 1],
    [1, 0],
  ],
  differentiable: true,
};

export const DIV: OperationSpec<"div", true> = {
  kind: "div",
  family: "loops",
  outputs: ["r"],
  inputs: ["a", "b"],
  ints: [],
  floats: ["number?"],
  kinds: FLOATS,
  saves: [[0, 1], [1]],
  differentiable: true,
};

export const NEG: OperationSpec<"neg", true> = {
  kind: "neg",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: NUMBERS,
  saves: [],
  differentiable: true,
};

export const RELU: OperationSpec<"relu", true> = {
  kind: "relu",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [[-1]],
  differentiable: true,
};

export const RELU_BACKWARD: OperationSpec<"reluBackward", true> = {
  kind: "reluBackward",
  family: "loops",
  outputs: ["r"],
  inputs: ["cotangent", "output"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [[1]],
  differentiable: true,
};

export const EXP: OperationSpec<"exp", true> = {
  kind: "exp",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [[-1]],
  differentiable: true,
};

export const LOG: OperationSpec<"log", true> = {
  kind: "log",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [[0]],
  differentiable: true,
};
