import { EVERYTHING, NUMBERS, type OperationSpec } from "../spec.js";

// What moves elements and leaves them what they are, or converts them.

export type DifferentiableMovement = "cast" | "concat";
export type PlainMovement = "copy" | "accumulate";

export const CAST: OperationSpec<"cast", true> = {
  kind: "cast",
  family: "loops",
  outputs: ["r:any"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: EVERYTHING,
  saves: [],
  differentiable: true,
};

/** Copies elements as they are. @since 0.1.0 */
export const COPY: OperationSpec<"copy", false> = {
  kind: "copy",
  family: "loops",
  outputs: ["r"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: EVERYTHING,
  saves: [],
  differentiable: false,
};

/** Adds elements to those of the output, which may overlap itself. @since 0.1.0 */
export const ACCUMULATE: OperationSpec<"accumulate", false> = {
  kind: "accumulate",
  family: "loops",
  outputs: ["r!"],
  inputs: ["x"],
  ints: [],
  floats: [],
  kinds: NUMBERS,
  saves: [],
  differentiable: false,
};

export const CONCAT: OperationSpec<"concat", true> = {
  kind: "concat",
  family: "composed",
  outputs: ["r"],
  inputs: ["x…"],
  ints: ["axis"],
  floats: [],
  kinds: EVERYTHING,
  saves: [],
  differentiable: true,
};
