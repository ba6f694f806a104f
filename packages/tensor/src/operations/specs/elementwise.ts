import { EVERYTHING, FLOATS, NUMBERS, type OperationSpec } from "../spec.js";

// Element-wise arithmetic: an element of the result is computed of the elements at its coordinate. Functions of one operand
// are in functions.ts, what answers yes or no in comparisons.ts.

export type DifferentiableElementwise =
  | "add"
  | "sub"
  | "mul"
  | "div"
  | "pow"
  | "remainder"
  | "minimum"
  | "maximum"
  | "clamp"
  | "where"
  | "reluBackward";
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

export const POW: OperationSpec<"pow", true> = {
  kind: "pow",
  family: "loops",
  outputs: ["r"],
  inputs: ["a", "b"],
  ints: [],
  floats: ["number?"],
  kinds: NUMBERS,
  saves: [[0], [1, 0], [-1, 1]],
  differentiable: true,
};

export const REMAINDER: OperationSpec<"remainder", true> = {
  kind: "remainder",
  family: "loops",
  outputs: ["r"],
  inputs: ["a", "b"],
  ints: [],
  floats: ["number?"],
  kinds: NUMBERS,
  saves: [
    [0, 1],
    [1, 1],
  ],
  differentiable: true,
};

export const MINIMUM: OperationSpec<"minimum", true> = {
  kind: "minimum",
  family: "loops",
  outputs: ["r"],
  inputs: ["a", "b"],
  ints: [],
  floats: ["number?"],
  kinds: NUMBERS,
  saves: [[0], [1]],
  differentiable: true,
};

export const MAXIMUM: OperationSpec<"maximum", true> = {
  kind: "maximum",
  family: "loops",
  outputs: ["r"],
  inputs: ["a", "b"],
  ints: [],
  floats: ["number?"],
  kinds: NUMBERS,
  saves: [[0], [1]],
  differentiable: true,
};

export const CLAMP: OperationSpec<"clamp", true> = {
  kind: "clamp",
  family: "loops",
  outputs: ["r"],
  inputs: ["x", "low", "high"],
  ints: [],
  floats: [],
  kinds: NUMBERS,
  saves: [[0], [1], [2]],
  differentiable: true,
};

export const WHERE: OperationSpec<"where", true> = {
  kind: "where",
  family: "loops",
  outputs: ["r"],
  inputs: ["condition:bool", "a", "b"],
  ints: [],
  floats: [],
  kinds: EVERYTHING,
  saves: [[0]],
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
