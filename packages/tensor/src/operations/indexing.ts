import { copiedInto } from "../box.js";
import type { DType } from "../dtype.js";
import { checkAxis, checkKind, plain, sameDType } from "../gate.js";
import { allocateRowMajor } from "../handle.js";
import { isRecorded, record } from "../record.js";
import type { Tensor } from "../tensor.js";
import { checkFits, checkIndices, replacedAxis, withIndices } from "./indices.js";
import { lentAs, viewed } from "./lent.js";
import { savedSlots } from "./saved-slots.js";
import type { OperationSpec } from "./spec.js";
import { GATHER, INDEX_ADD, INDEX_SELECT, SCATTER, SCATTER_ADD } from "./specs/indexing.js";
import { runOrDispose, structural } from "./structural.js";

// Indices are of any integer dtype and count from 0: a negative one is out of range, as one beyond the axis is. The
// kernel looks at all of them before it writes.

/**
 * Picks, along one axis, the element that an index at the same place names: `out[i, j] = x[index[i, j], j]` for axis 0.
 *
 * @param index - the shape of the result: that of `x` but along the axis.
 * @returns `x`'s dtype, row-major.
 * @throws TensorShapeError `SW_TENSOR_AXIS`, or `SW_TENSOR_SHAPE_MISMATCH` for an index of another shape; TensorValueError
 * `SW_TENSOR_DTYPE_REFUSED` for indices that are no integers; the kernel's RangeError, with `position` and `value`, for an
 * index out of range.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { argsort, gather, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const x = tensor([[3, 1, 2], [5, 9, 7]]);
 * console.log(gather(x, argsort(x, 1), 1).toArray()); // [ [ 1, 2, 3 ], [ 5, 7, 9 ] ]
 * ```
 * @since 0.1.0
 */
export function gather<D extends DType>(x: Tensor<D>, index: Tensor, axis: number): Tensor<D> {
  const { kind } = GATHER;
  plain(x, kind);
  const a = checkAxis(kind, axis, x.rank);
  checkIndices(kind, index);
  const wanted = replacedAxis(x.shape, a, [index.shape[a] ?? 0]);
  checkFits(kind, "the index", index, wanted, `as the operand but along axis ${a}`);
  return withIndices(index, (at) => structural(GATHER, index.shape, [x, at], [a]));
}

/** Runs a kernel that puts elements into a copy of `x`, and records it. */
function putInto<D extends DType>(
  spec: OperationSpec,
  x: Tensor<D>,
  index: Tensor,
  source: Tensor,
  axis: number,
  operands: readonly Tensor[] = [index, source],
): Tensor<D> {
  const { kind } = spec;
  const out = copiedInto(allocateRowMajor(x, kind, x.dtype, x.shape), x, kind);
  if (source.size > 0) runOrDispose(spec, [out], operands, [axis], []);
  if (!isRecorded(x) && !isRecorded(source)) return out;
  const inputs = [x, index, source];
  return record(out, { kind, inputs, saved: savedSlots(spec, inputs, [out]), ints: [axis] });
}

function scattered<D extends DType>(
  spec: OperationSpec,
  x: Tensor<D>,
  index: Tensor,
  source: Tensor,
  axis: number,
): Tensor<D> {
  const { kind } = spec;
  plain(x, kind);
  checkKind(kind, x.dtype, spec.kinds);
  const a = checkAxis(kind, axis, x.rank);
  checkIndices(kind, index);
  plain(source, kind);
  sameDType(kind, x, source);
  const wanted = replacedAxis(x.shape, a, [index.shape[a] ?? 0]);
  checkFits(kind, "the index", index, wanted, `as the operand but along axis ${a}`);
  checkFits(kind, "the source", source, index.shape, "as the index");
  return withIndices(index, (at) => putInto(spec, x, at, source, a));
}

/**
 * Replaces, along one axis, the elements that indices name by those of a source at the same place:
 * `out[index[i, j], j] = source[i, j]` for axis 0, where `out` begins as a copy of `x`. Where indices name an element
 * twice, the last in row-major order wins.
 *
 * @param index - the shape of `x` but along the axis.
 * @param source - of `x`'s dtype and the index's shape.
 * @returns `x`'s shape and dtype, row-major.
 * @throws as {@link gather}; TensorValueError `SW_TENSOR_DTYPE_MISMATCH` for a source of another dtype.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { scatter, setKernels, tensor, zeros } from "@sw/tensor";
 * setKernels(jsKernels);
 * const index = tensor([2, 0], { dtype: "int32" });
 * console.log(scatter(zeros([4]), index, tensor([7, 8]), 0).toArray()); // [ 8, 0, 7, 0 ]
 * ```
 * @since 0.1.0
 */
export function scatter<D extends DType>(
  x: Tensor<D>,
  index: Tensor,
  source: Tensor<NoInfer<D>>,
  axis: number,
): Tensor<D> {
  return scattered(SCATTER, x, index, source, axis);
}

/**
 * Adds, along one axis, the elements of a source to those that indices name: `out[index[i, j], j] += source[i, j]` for
 * axis 0, where `out` begins as a copy of `x`; otherwise as {@link scatter}. In row-major order of the source, each
 * addition rounded to the dtype.
 *
 * @throws as {@link scatter}; TensorValueError `SW_TENSOR_DTYPE_REFUSED` for bool.
 * @since 0.1.0
 */
export function scatterAdd<D extends DType>(
  x: Tensor<D>,
  index: Tensor,
  source: Tensor<NoInfer<D>>,
  axis: number,
): Tensor<D> {
  return scattered(SCATTER_ADD, x, index, source, axis);
}

/** Picks whole slices along an axis into a fresh tensor, without history; `kind` is the operation in whose name. */
export function selected<D extends DType>(kind: string, x: Tensor<D>, index: Tensor, axis: number): Tensor<D> {
  const out = allocateRowMajor(x, kind, x.dtype, replacedAxis(x.shape, axis, index.shape));
  // Of indices of any rank the kernel sees one list.
  const flat = viewed(out, replacedAxis(x.shape, axis, [index.size]), kind);
  return lentAs(kind, [[index, [index.size]]], ([list]) => {
    runOrDispose(INDEX_SELECT, [flat], [x, list as Tensor], [axis], []);
    return out;
  });
}

/**
 * Picks whole slices along one axis: `out[…, i, …] = x[…, index[i], …]`. Indices of any rank stand in place of the axis,
 * as in NumPy's `take`.
 *
 * @param index - of any shape.
 * @returns `x`'s shape with that of `index` in place of the axis, row-major.
 * @throws as {@link gather}; TensorShapeError `SW_TENSOR_SHAPE_LIMIT` for more than 8 axes.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { indexSelect, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const x = tensor([[1, 2], [3, 4], [5, 6]]);
 * console.log(indexSelect(x, tensor([2, 0], { dtype: "int32" }), 0).toArray()); // [ [ 5, 6 ], [ 1, 2 ] ]
 * ```
 * @since 0.1.0
 */
export function indexSelect<D extends DType>(x: Tensor<D>, index: Tensor, axis: number): Tensor<D> {
  const { kind } = INDEX_SELECT;
  plain(x, kind);
  const a = checkAxis(kind, axis, x.rank);
  checkIndices(kind, index);
  return withIndices(index, (at) => {
    const out = selected(kind, x, at, a);
    if (!isRecorded(x)) return out;
    const inputs = [x, at];
    return record(out, { kind, inputs, saved: savedSlots(INDEX_SELECT, inputs, [out]), ints: [a] });
  });
}

/**
 * Adds slices of a source to those that indices name along one axis: `out[…, index[i], …] += source[…, i, …]`, where `out`
 * begins as a copy of `x`. In row-major order of the source, each addition rounded to the dtype. As {@link indexSelect}
 * the other way round.
 *
 * @param index - of any shape.
 * @param source - of `x`'s dtype, and of its shape with that of `index` in place of the axis.
 * @returns `x`'s shape and dtype, row-major.
 * @throws as {@link scatterAdd}.
 * @since 0.1.0
 */
export function indexAdd<D extends DType>(
  x: Tensor<D>,
  index: Tensor,
  source: Tensor<NoInfer<D>>,
  axis: number,
): Tensor<D> {
  const { kind } = INDEX_ADD;
  plain(x, kind);
  checkKind(kind, x.dtype, INDEX_ADD.kinds);
  const a = checkAxis(kind, axis, x.rank);
  checkIndices(kind, index);
  plain(source, kind);
  sameDType(kind, x, source);
  const wanted = replacedAxis(x.shape, a, index.shape);
  checkFits(kind, "the source", source, wanted, `the index's extents in place of axis ${a}`);
  const flat = replacedAxis(x.shape, a, [index.size]);
  return withIndices(index, (at) =>
    lentAs(
      kind,
      [
        [at, [index.size]],
        [source, flat],
      ],
      (operands) => putInto(INDEX_ADD, x, at, source, a, operands),
    ),
  );
}
