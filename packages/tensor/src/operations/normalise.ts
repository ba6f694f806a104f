import { rowMajor } from "@sw/layout";
import type { DType } from "../dtype.js";
import { checkAxis, checkKind, plain } from "../gate.js";
import { allocateLike } from "../handle.js";
import { isRecorded, record, save } from "../record.js";
import { runAxes } from "../run.js";
import type { Tensor } from "../tensor.js";
import { withAxisLast } from "./reduce.js";
import { OPERATIONS } from "./table.js";

function overAxis<D extends DType>(kind: "softmax" | "logSoftmax", x: Tensor<D>, axis: number): Tensor<D> {
  plain(x, kind);
  checkKind(kind, x.dtype, OPERATIONS[kind].kinds);
  const a = checkAxis(kind, axis, x.rank);
  const out = allocateLike(x, kind, x.dtype, rowMajor(x.shape));
  try {
    if (out.size > 0) {
      runAxes(kind, [withAxisLast(out, a, kind)], [withAxisLast(x, a, kind)], { ints: [x.rank - 1] });
    }
  } catch (error) {
    out.dispose();
    throw error;
  }
  if (!isRecorded(x)) return out;
  record(out, { kind, inputs: [x], ints: [a] });
  // The output is what backward reads, and only now does it have its node.
  if (out.node?.record !== undefined) out.node.record.saved = [save(out)];
  return out;
}

/**
 * Normalises `exp(x)` along one axis to sum 1, the largest element subtracted first.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`; TensorValueError for a dtype that is no float.
 * @since 0.1.0
 */
export function softmax<D extends DType>(x: Tensor<D>, axis: number): Tensor<D> {
  return overAxis("softmax", x, axis);
}

/**
 * Computes the logarithm of {@link softmax} along one axis without leaving the logarithmic scale.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`; TensorValueError for a dtype that is no float.
 * @since 0.1.0
 */
export function logSoftmax<D extends DType>(x: Tensor<D>, axis: number): Tensor<D> {
  return overAxis("logSoftmax", x, axis);
}
