import type { DType } from "../dtype.js";
import { allocateRowMajor } from "../handle.js";
import { isRecorded, record } from "../record.js";
import { runAxes } from "../run.js";
import type { Tensor } from "../tensor.js";
import { savedSlots } from "./saved-slots.js";
import type { OperationSpec } from "./spec.js";

/**
 * Runs a kernel that sees axes into a row-major output of the first input's dtype, and records it.
 *
 * @param operands - what the kernel sees of the inputs, where that is not the inputs themselves.
 */
export function structural<D extends DType>(
  spec: OperationSpec,
  shape: readonly number[],
  inputs: readonly [Tensor<D>, ...Tensor[]],
  ints: readonly number[],
  floats: readonly number[] = [],
  operands: readonly Tensor[] = inputs,
): Tensor<D> {
  const { kind } = spec;
  const [first] = inputs;
  const out = allocateRowMajor(first, kind, first.dtype, shape);
  runOrDispose(spec, [out], operands, ints, floats);
  if (!inputs.some(isRecorded)) return out;
  return record(out, { kind, inputs, saved: savedSlots(spec, inputs, [out]), ints, floats });
}

/** Runs a kernel unless there is nothing to write, and returns the outputs' memory where that throws. */
export function runOrDispose(
  spec: OperationSpec,
  outputs: readonly [Tensor, ...Tensor[]],
  operands: readonly Tensor[],
  ints: readonly number[],
  floats: readonly number[],
): void {
  try {
    if (outputs[0].size > 0) runAxes(spec, outputs, operands, ints, floats);
  } catch (error) {
    for (const out of outputs) out.dispose();
    throw error;
  }
}
