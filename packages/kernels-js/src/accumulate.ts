import type { Operand } from "@sw/tensor/seam";
import { driveTwo, rowOf } from "./driver.js";
import { accumulateRows } from "./generated/movement.js";

/**
 * Adds a source to a target, element by element in the order of the loops: `r += a`. The one kernel whose output is
 * read as well and may overlap itself (a stride of 0, overlapping windows): contributions to a shared element add up
 * (field case 14), each addition rounded to the dtype as it is stored. Values as in `add`. Source: NumPy, `add.at`.
 */
export function accumulate(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  const out = outputs[0]!;
  driveTwo(rowOf("accumulate", accumulateRows, out.dtype), out, inputs[0]!, [], []);
}
