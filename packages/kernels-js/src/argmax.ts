import type { Operand } from "@sw/tensor/seam";
import { driveTwo, rowOf } from "./driver.js";
import { KernelEmptyAxisError } from "./errors.js";
import { argmaxRows } from "./generated/rows.js";

/**
 * Writes the position of the largest element along the last axis of the input, as int64. Of equal elements the first
 * wins (-0 and 0 are equal). A NaN is larger than every number, and the first NaN wins, as in NumPy. Integers are
 * compared exactly.
 *
 * @throws KernelEmptyAxisError `SW_KERNELS_EMPTY_AXIS` when the axis has no element and the output has some.
 */
export function argmax(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  const out = outputs[0]!;
  const input = inputs[0]!;
  const axis = input.shape.length - 1;
  const n = input.shape[axis]!;
  if (n === 0) {
    if (out.shape.includes(0)) return;
    throw new KernelEmptyAxisError("argmax", input.shape);
  }
  driveTwo(rowOf("argmax", argmaxRows, input.dtype), out, input, [n, input.strides[axis]!], []);
}
