import { EVERYTHING, NUMBERS, type OperationSpec } from "../spec.js";

// Views, and their transposes. They have no kernel: the layout of the result says it all.

export type DifferentiableViews =
  | "slice"
  | "select"
  | "flip"
  | "permute"
  | "reshape"
  | "expand"
  | "views"
  | "scatterInto"
  | "gatherFrom";
export type PlainViews = never;

export const SLICE: OperationSpec<"slice", true> = {
  kind: "slice",
  family: "view",
  outputs: ["r"],
  inputs: ["x"],
  ints: ["axis", "start", "end", "step"],
  floats: [],
  kinds: EVERYTHING,
  saves: [],
  differentiable: true,
};

export const SELECT: OperationSpec<"select", true> = {
  kind: "select",
  family: "view",
  outputs: ["r"],
  inputs: ["x"],
  ints: ["axis", "index"],
  floats: [],
  kinds: EVERYTHING,
  saves: [],
  differentiable: true,
};

export const FLIP: OperationSpec<"flip", true> = {
  kind: "flip",
  family: "view",
  outputs: ["r"],
  inputs: ["x"],
  ints: ["axis"],
  floats: [],
  kinds: EVERYTHING,
  saves: [],
  differentiable: true,
};

export const PERMUTE: OperationSpec<"permute", true> = {
  kind: "permute",
  family: "view",
  outputs: ["r"],
  inputs: ["x"],
  ints: ["axis…"],
  floats: [],
  kinds: EVERYTHING,
  saves: [],
  differentiable: true,
};

export const RESHAPE: OperationSpec<"reshape", true> = {
  kind: "reshape",
  family: "view",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: EVERYTHING,
  saves: [],
  differentiable: true,
};

export const EXPAND: OperationSpec<"expand", true> = {
  kind: "expand",
  family: "view",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: EVERYTHING,
  saves: [],
  differentiable: true,
};

export const VIEWS: OperationSpec<"views", true> = {
  kind: "views",
  family: "view",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: EVERYTHING,
  saves: [[0]],
  differentiable: true,
};

export const SCATTER_INTO: OperationSpec<"scatterInto", true> = {
  kind: "scatterInto",
  family: "view",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: NUMBERS,
  saves: [],
  differentiable: true,
};

export const GATHER_FROM: OperationSpec<"gatherFrom", true> = {
  kind: "gatherFrom",
  family: "view",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: NUMBERS,
  saves: [],
  differentiable: true,
};
