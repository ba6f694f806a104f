import { FLOATS, NUMBERS, type OperationSpec } from "../spec.js";

// Element-wise functions of one operand. What is constant between jumps has records as well, whose rule gives zeros.

export type DifferentiableFunctions =
  | "neg"
  | "abs"
  | "sign"
  | "floor"
  | "ceil"
  | "round"
  | "trunc"
  | "exp"
  | "expm1"
  | "log"
  | "log1p"
  | "sqrt"
  | "rsqrt"
  | "reciprocal"
  | "sin"
  | "cos"
  | "tanh"
  | "erf"
  | "relu"
  | "leakyRelu"
  | "elu"
  | "sigmoid"
  | "silu"
  | "softplus"
  | "gelu"
  | "geluTanh";
export type PlainFunctions = never;

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

export const ABS: OperationSpec<"abs", true> = {
  kind: "abs",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: NUMBERS,
  saves: [[0]],
  differentiable: true,
};

export const SIGN: OperationSpec<"sign", true> = {
  kind: "sign",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: NUMBERS,
  saves: [],
  differentiable: true,
};

export const FLOOR: OperationSpec<"floor", true> = {
  kind: "floor",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [],
  differentiable: true,
};

export const CEIL: OperationSpec<"ceil", true> = {
  kind: "ceil",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [],
  differentiable: true,
};

export const ROUND: OperationSpec<"round", true> = {
  kind: "round",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [],
  differentiable: true,
};

export const TRUNC: OperationSpec<"trunc", true> = {
  kind: "trunc",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [],
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

export const EXPM1: OperationSpec<"expm1", true> = {
  kind: "expm1",
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

export const LOG1P: OperationSpec<"log1p", true> = {
  kind: "log1p",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [[0]],
  differentiable: true,
};

export const SQRT: OperationSpec<"sqrt", true> = {
  kind: "sqrt",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [[-1]],
  differentiable: true,
};

export const RSQRT: OperationSpec<"rsqrt", true> = {
  kind: "rsqrt",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [[-1]],
  differentiable: true,
};

export const RECIPROCAL: OperationSpec<"reciprocal", true> = {
  kind: "reciprocal",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [[-1]],
  differentiable: true,
};

export const SIN: OperationSpec<"sin", true> = {
  kind: "sin",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [[0]],
  differentiable: true,
};

export const COS: OperationSpec<"cos", true> = {
  kind: "cos",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [[0]],
  differentiable: true,
};

export const TANH: OperationSpec<"tanh", true> = {
  kind: "tanh",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [[-1]],
  differentiable: true,
};

export const ERF: OperationSpec<"erf", true> = {
  kind: "erf",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [[0]],
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

export const LEAKY_RELU: OperationSpec<"leakyRelu", true> = {
  kind: "leakyRelu",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: ["slope"],
  kinds: FLOATS,
  saves: [[0]],
  differentiable: true,
};

export const ELU: OperationSpec<"elu", true> = {
  kind: "elu",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: ["alpha"],
  kinds: FLOATS,
  saves: [[0]],
  differentiable: true,
};

export const SIGMOID: OperationSpec<"sigmoid", true> = {
  kind: "sigmoid",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [[-1]],
  differentiable: true,
};

export const SILU: OperationSpec<"silu", true> = {
  kind: "silu",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [[0]],
  differentiable: true,
};

export const SOFTPLUS: OperationSpec<"softplus", true> = {
  kind: "softplus",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [[0]],
  differentiable: true,
};

export const GELU: OperationSpec<"gelu", true> = {
  kind: "gelu",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [[0]],
  differentiable: true,
};

export const GELU_TANH: OperationSpec<"geluTanh", true> = {
  kind: "geluTanh",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [[0]],
  differentiable: true,
};
