import { BOOLS, EVERYTHING, FLOATS, type OperationSpec } from "../spec.js";

// Element-wise operations whose result is bool. Nothing is recorded of them.

export type DifferentiableComparisons = never;
export type PlainComparisons =
  | "eq"
  | "ne"
  | "lt"
  | "le"
  | "gt"
  | "ge"
  | "logicalAnd"
  | "logicalOr"
  | "logicalXor"
  | "logicalNot"
  | "isNaN"
  | "isFinite"
  | "isInfinite";

export const EQ: OperationSpec<"eq", false> = {
  kind: "eq",
  family: "loops",
  outputs: ["r:bool"],
  inputs: ["a", "b"],
  ints: [],
  floats: [],
  kinds: EVERYTHING,
  saves: [],
  differentiable: false,
};

export const NE: OperationSpec<"ne", false> = {
  kind: "ne",
  family: "loops",
  outputs: ["r:bool"],
  inputs: ["a", "b"],
  ints: [],
  floats: [],
  kinds: EVERYTHING,
  saves: [],
  differentiable: false,
};

export const LT: OperationSpec<"lt", false> = {
  kind: "lt",
  family: "loops",
  outputs: ["r:bool"],
  inputs: ["a", "b"],
  ints: [],
  floats: [],
  kinds: EVERYTHING,
  saves: [],
  differentiable: false,
};

export const LE: OperationSpec<"le", false> = {
  kind: "le",
  family: "loops",
  outputs: ["r:bool"],
  inputs: ["a", "b"],
  ints: [],
  floats: [],
  kinds: EVERYTHING,
  saves: [],
  differentiable: false,
};

export const GT: OperationSpec<"gt", false> = {
  kind: "gt",
  family: "loops",
  outputs: ["r:bool"],
  inputs: ["a", "b"],
  ints: [],
  floats: [],
  kinds: EVERYTHING,
  saves: [],
  differentiable: false,
};

export const GE: OperationSpec<"ge", false> = {
  kind: "ge",
  family: "loops",
  outputs: ["r:bool"],
  inputs: ["a", "b"],
  ints: [],
  floats: [],
  kinds: EVERYTHING,
  saves: [],
  differentiable: false,
};

export const LOGICAL_AND: OperationSpec<"logicalAnd", false> = {
  kind: "logicalAnd",
  family: "loops",
  outputs: ["r:bool"],
  inputs: ["a:bool", "b:bool"],
  ints: [],
  floats: [],
  kinds: BOOLS,
  saves: [],
  differentiable: false,
};

export const LOGICAL_OR: OperationSpec<"logicalOr", false> = {
  kind: "logicalOr",
  family: "loops",
  outputs: ["r:bool"],
  inputs: ["a:bool", "b:bool"],
  ints: [],
  floats: [],
  kinds: BOOLS,
  saves: [],
  differentiable: false,
};

export const LOGICAL_XOR: OperationSpec<"logicalXor", false> = {
  kind: "logicalXor",
  family: "loops",
  outputs: ["r:bool"],
  inputs: ["a:bool", "b:bool"],
  ints: [],
  floats: [],
  kinds: BOOLS,
  saves: [],
  differentiable: false,
};

export const LOGICAL_NOT: OperationSpec<"logicalNot", false> = {
  kind: "logicalNot",
  family: "loops",
  outputs: ["r:bool"],
  inputs: ["x:bool"],
  ints: [],
  floats: [],
  kinds: BOOLS,
  saves: [],
  differentiable: false,
};

export const IS_NAN: OperationSpec<"isNaN", false> = {
  kind: "isNaN",
  family: "loops",
  outputs: ["r:bool"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [],
  differentiable: false,
};

export const IS_FINITE: OperationSpec<"isFinite", false> = {
  kind: "isFinite",
  family: "loops",
  outputs: ["r:bool"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [],
  differentiable: false,
};

export const IS_INFINITE: OperationSpec<"isInfinite", false> = {
  kind: "isInfinite",
  family: "loops",
  outputs: ["r:bool"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: FLOATS,
  saves: [],
  differentiable: false,
};
