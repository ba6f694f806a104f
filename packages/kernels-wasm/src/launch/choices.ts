import type { Program, ProgramStep } from "@sw/tensor/seam";
import type { Family, RoomKernel } from "./family.js";
import { programKernel } from "./program.js";

// Kernels that are programs: emitted when they are first called.

const step = (kind: string, ...operands: number[]): ProgramStep => ({ kind, operands });

function kernel(
  inputs: number,
  constants: number,
  steps: readonly ProgramStep[],
  constantsOf?: (floats: readonly number[]) => readonly number[],
): RoomKernel {
  const program: Program = {
    inputs: new Array<"float32">(inputs).fill("float32"),
    constants: new Array(constants).fill({ dtype: "float32", value: 0 }),
    steps,
    outputs: [inputs + constants + steps.length - 1],
  };
  return programKernel(program, constantsOf) as RoomKernel;
}

export const CHOICES: Family<"clamp" | "leakyRelu"> = {
  clamp: kernel(3, 0, [step("clamp", 0, 1, 2)]),
  // x < 0 ? slope · x : x, of constants 0 and slope: another slope is the same program.
  leakyRelu: kernel(1, 2, [step("lt", 0, 1), step("mul", 0, 2), step("where", 3, 4, 0)], ([slope]) => [0, slope!]),
};
