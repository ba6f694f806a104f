import { rowMajor } from "@sw/layout";
import { checkDType, type DType } from "../dtype.js";
import { checkAxis, checkKind, plain } from "../gate.js";
import { allocateLike } from "../handle.js";
import { checkOptions } from "../options.js";
import { isRecorded, record } from "../record.js";
import { runAxes } from "../run.js";
import type { Tensor } from "../tensor.js";
import { withAxisLast } from "./lent.js";
import { settle } from "./promoted.js";
import { broughtTo, converted, type DTypeOption, type SumDType, sumDType } from "./reduce.js";
import { savedSlots } from "./saved-slots.js";
import type { OperationSpec } from "./spec.js";
import { CUMSUM, LOG_SOFTMAX, SOFTMAX } from "./specs/rows.js";

/** Runs a kernel over one axis into an output of the same shape, row-major. */
function overAxis<D extends DType>(spec: OperationSpec, x: Tensor, a: number, dtype: D): Tensor<D> {
  const { kind } = spec;
  const out = allocateLike(x, kind, dtype, rowMajor(x.shape));
  try {
    if (out.size > 0) runAxes(spec, [withAxisLast(out, a, kind)], [withAxisLast(x, a, kind)]);
  } catch (error) {
    out.dispose();
    throw error;
  }
  if (!isRecorded(x)) return out;
  return record(out, { kind, inputs: [x], saved: savedSlots(spec, [x], [out]), ints: [a] });
}

function normalised<D extends DType>(spec: OperationSpec, x: Tensor<D>, axis: number): Tensor<D> {
  plain(x, spec.kind);
  checkKind(spec.kind, x.dtype, spec.kinds);
  return overAxis(spec, x, checkAxis(spec.kind, axis, x.rank), x.dtype);
}

/**
 * Normalises `exp(x)` along one axis to sum 1, the largest element subtracted first.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`; TensorValueError for a dtype that is no float.
 * @since 0.1.0
 */
export function softmax<D extends DType>(x: Tensor<D>, axis: number): Tensor<D> {
  return normalised(SOFTMAX, x, axis);
}

/**
 * Computes the logarithm of {@link softmax} along one axis without leaving the logarithmic scale.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`; TensorValueError for a dtype that is no float.
 * @since 0.1.0
 */
export function logSoftmax<D extends DType>(x: Tensor<D>, axis: number): Tensor<D> {
  return normalised(LOG_SOFTMAX, x, axis);
}

/**
 * Sums the first 1, 2, … elements along one axis, accumulating in float64, or for integers and bool in int64, which is
 * their result's dtype. With a `dtype` the operand is cast to it first and the result is of it; integers wrap.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`.
 * @since 0.1.0
 */
export function cumsum<D extends DType, R extends DType = SumDType<D>>(
  x: Tensor<D>,
  axis: number,
  options: DTypeOption<R> = {},
): Tensor<R> {
  plain(x, "cumsum");
  checkOptions("cumsum", options, '{ dtype: "int32" }');
  const { dtype = x.dtype } = options;
  checkDType("cumsum", dtype);
  const a = checkAxis("cumsum", axis, x.rank);
  const { x: operand, made } = broughtTo("cumsum", x, dtype);
  try {
    return converted(overAxis(CUMSUM, operand, a, sumDType(dtype)), options.dtype) as Tensor<R>;
  } finally {
    settle(made);
  }
}
