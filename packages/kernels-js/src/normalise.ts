import type { Operand } from "@sw/tensor/seam";
import { driveTwo, rowOf } from "./driver.js";
import { logSoftmaxRows, softmaxRows } from "./generated/rows.js";

// A row is one turn of the last axis. It is read whole before anything of it is written, so the output may be the very
// same elements as the input. A row of no elements writes nothing.

/**
 * Writes `exp(a - max) / sum exp(a - max)` along the last axis, `max` being the row's. All in float64, the sum
 * sequential, each element rounded once. An element of -Infinity gets 0. A row with a NaN or a +Infinity is NaN
 * throughout, and so is a row of -Infinity alone: it has no largest element to be measured against (NumPy and PyTorch
 * say the same).
 */
export function softmax(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  const out = outputs[0]!;
  driveTwo(rowOf("softmax", softmaxRows, out.dtype), out, inputs[0]!, [], []);
}

/**
 * Writes `(a - max) - log(sum exp(a - max))` along the last axis, `max` being the row's. All in float64, the sum
 * sequential, each element rounded once; no exponential is ever rounded before its logarithm. An element of -Infinity
 * stays -Infinity; rows with a NaN or a +Infinity, or of -Infinity alone, are NaN throughout.
 */
export function logSoftmax(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  const out = outputs[0]!;
  driveTwo(rowOf("logSoftmax", logSoftmaxRows, out.dtype), out, inputs[0]!, [], []);
}
