import { broadcastExtents, expandTo, rowMajor } from "@sw/layout";
import type { DType } from "../dtype.js";
import { TensorShapeError } from "../errors.js";
import { checkKind, plain, showShape } from "../gate.js";
import { allocateLike, checkBytes, derive } from "../handle.js";
import { type ResultType, resultType } from "../promotion.js";
import { isRecorded, record } from "../record.js";
import { runAxes } from "../run.js";
import type { Tensor } from "../tensor.js";
import { promoted, settle } from "./promoted.js";
import { savedSlots } from "./saved-slots.js";
import { MATMUL } from "./specs/matmul.js";

/** A view that is no part of the history: operands are broadcast for the kernel only. */
function broadcastBatch<D extends DType>(t: Tensor<D>, batch: readonly number[]): Tensor<D> {
  const matrix = t.shape.slice(-2);
  if (t.rank === batch.length + 2 && batch.every((extent, axis) => extent === t.shape[axis])) return t;
  return derive(t, expandTo(t.layout, [...batch, ...matrix], "matmul"), undefined, "matmul");
}

/**
 * Multiplies matrices over the last two axes; the leading axes are batches and broadcast. A vector on the left is a
 * row, on the right a column, and its axis is dropped from the result, as in NumPy. Operands of two dtypes meet in their
 * {@link resultType}.
 *
 * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` when the inner extents differ or an operand is a scalar;
 * LayoutError when the batches do not broadcast; TensorValueError `SW_TENSOR_DTYPE_REFUSED` for operands that meet in no
 * float.
 * @since 0.1.0
 */
export function matmul<D extends DType>(a: Tensor<D>, b: Tensor<NoInfer<D>>): Tensor<D>;
export function matmul<A extends DType, B extends DType>(a: Tensor<A>, b: Tensor<B>): Tensor<ResultType<A, B>>;
export function matmul(a: Tensor, b: Tensor): Tensor {
  plain(a, "matmul");
  plain(b, "matmul");
  const dtype = resultType(a.dtype, b.dtype);
  checkKind("matmul", dtype, MATMUL.kinds);
  if (a.rank === 0 || b.rank === 0) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_MISMATCH",
      `matmul: an operand is a scalar: got ${showShape(a.shape)} and ${showShape(b.shape)}, expected at least one axis each. Use mul.`,
      { given: [a.shape, b.shape] },
    );
  }
  const inner = a.shape[a.rank - 1] as number;
  const rows = b.shape[Math.max(0, b.rank - 2)] as number;
  if (inner !== rows) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_MISMATCH",
      `matmul: the inner extents differ: got ${showShape(a.shape)} and ${showShape(b.shape)}, expected ${inner} rows in the second, as the first has columns.`,
      { given: rows, expected: inner, shape: b.shape },
    );
  }
  if (a.rank === 1) return matmul(a.unsqueeze(0), b).squeeze(b.rank === 1 ? 0 : -2);
  if (b.rank === 1) return matmul(a, b.unsqueeze(1)).squeeze(-1);

  const m = a.shape[a.rank - 2] as number;
  const n = b.shape[b.rank - 1] as number;
  const batch = broadcastExtents(a.shape.slice(0, -2), b.shape.slice(0, -2), "matmul");
  const shape = [...batch, m, n];
  checkBytes("matmul", shape, dtype);
  const p = promoted("matmul", a, b, dtype);
  let out: Tensor | undefined;
  try {
    out = allocateLike(a, "matmul", dtype, rowMajor(shape));
    if (out.size > 0) runAxes(MATMUL, [out], [broadcastBatch(p.a, batch), broadcastBatch(p.b, batch)]);
  } catch (error) {
    out?.dispose();
    settle(p.made);
    throw error;
  }
  if (!isRecorded(p.a) && !isRecorded(p.b)) {
    settle(p.made);
    return out;
  }
  const inputs = [p.a, p.b];
  const saved = savedSlots(MATMUL, inputs, [out]);
  return record(out, { kind: MATMUL.kind, inputs, saved, owned: settle(p.made, saved) });
}
