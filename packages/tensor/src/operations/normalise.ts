import { rowMajor } from "@sw/layout";
import type { DType } from "../dtype.js";
import { checkAxis, checkKind, plain } from "../gate.js";
import { allocateLike } from "../handle.js";
import { isRecorded, record } from "../record.js";
import { runAxes } from "../run.js";
import type { Tensor } from "../tensor.js";
import { withAxisLast } from "./reduce.js";
import { savedSlots } from "./saved-slots.js";
import type { OperationSpec } from "./spec.js";
import { LOG_SOFTMAX, SOFTMAX } from "./specs/rows.js";

function overAxis<D extends DType>(spec: OperationSpec, x: Tensor<D>, axis: number): Tensor<D> {
  const { kind } = spec;
  plain(x, kind);
  checkKind(kind, x.dtype, spec.kinds);
  const a = checkAxis(kind, axis, x.rank);
  const out = allocateLike(x, kind, x.dtype, rowMajor(x.shape));
  try {
    if (out.size > 0) runAxes(spec, [withAxisLast(out, a, kind)], [withAxisLast(x, a, kind)]);
  } catch (error) {
    out.dispose();
    throw error;
  }
  if (!isRecorded(x)) return out;
  return record(out, { kind, inputs: [x], saved: savedSlots(spec, [x], [out]), ints: [a] });
}

/**
 * Normalises `exp(x)` along one axis to sum 1, the largest element subtracted first.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`; TensorValueError for a dtype that is no float.
 * @since 0.1.0
 */
export function softmax<D extends DType>(x: Tensor<D>, axis: number): Tensor<D> {
  return overAxis(SOFTMAX, x, axis);
}

/**
 * Computes the logarithm of {@link softmax} along one axis without leaving the logarithmic scale.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`; TensorValueError for a dtype that is no float.
 * @since 0.1.0
 */
export function logSoftmax<D extends DType>(x: Tensor<D>, axis: number): Tensor<D> {
  return overAxis(LOG_SOFTMAX, x, axis);
}
