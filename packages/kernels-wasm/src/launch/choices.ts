import type { Program, ProgramStep } from "@sw/tensor/seam";
import type { Family, RoomKernel } from "./family.js";
import { programKernel } from "./program.js";

// Kernels that are programs: emitted when they are first called.

const step = (kind: string, ...operands: number[]): ProgramStep => ({ kind, operands });

function kernel(
  inputs: readonly ("float32" | "bool")[],
  steps: readonly ProgramStep[],
  constants = 0,
  constantsOf?: (floats: readonly number[]) => readonly number[],
): RoomKernel {
  const program: Program = {
    inputs,
    constants: new Array(constants).fill({ dtype: "float32", value: 0 }),
    steps,
    outputs: [inputs.length + constants + steps.length - 1],
  };
  return programKernel(program, constantsOf) as RoomKernel;
}

const one = (kind: string): RoomKernel => kernel(["float32"], [step(kind, 0)]);
const two = (kind: string): RoomKernel => kernel(["float32", "float32"], [step(kind, 0, 1)]);

type Kind =
  | "clamp"
  | "leakyRelu"
  | "where"
  | "eq"
  | "ne"
  | "lt"
  | "le"
  | "gt"
  | "ge"
  | "isNaN"
  | "isFinite"
  | "isInfinite";

export const CHOICES: Family<Kind> = {
  clamp: kernel(["float32", "float32", "float32"], [step("clamp", 0, 1, 2)]),
  // x < 0 ? slope · x : x, of constants 0 and slope: another slope is the same program.
  leakyRelu: kernel(["float32"], [step("lt", 0, 1), step("mul", 0, 2), step("where", 3, 4, 0)], 2, ([slope]) => [
    0,
    slope!,
  ]),
  where: kernel(["bool", "float32", "float32"], [step("where", 0, 1, 2)]),
  eq: two("eq"),
  ne: two("ne"),
  lt: two("lt"),
  le: two("le"),
  gt: two("gt"),
  ge: two("ge"),
  isNaN: one("isNaN"),
  isFinite: one("isFinite"),
  isInfinite: one("isInfinite"),
};
