import { describe } from "@sw/layout";
import type { DType } from "../dtype.js";
import { TensorShapeError } from "../errors.js";
import { checkAxis, plain, showShape } from "../gate.js";
import { checkBytes } from "../handle.js";
import { copy, reshape } from "../movement.js";
import { expand } from "../row-major-views.js";
import type { Tensor } from "../tensor.js";
import { replacedAxis } from "./indices.js";

// What repeats elements along axes: a copy of an expanded view, whose history is those of its views.

function checkCount(operation: string, count: unknown): void {
  if (typeof count !== "number" || !Number.isInteger(count)) {
    throw new TypeError(`${operation}: a count is no integer: got ${describe(count)}, expected one of at least 0.`);
  }
  if (count >= 0) return;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_INVALID",
    `${operation}: a count is negative: got ${count}, expected at least 0.`,
    { given: count },
  );
}

/** Repeats one axis as a whole, or each of its elements. */
function repeatedAxis<D extends DType>(
  operation: string,
  x: Tensor<D>,
  axis: number,
  count: number,
  each: boolean,
): Tensor<D> {
  const extent = x.shape[axis] as number;
  const shape = replacedAxis(x.shape, axis, [extent * count]);
  checkBytes(operation, shape, x.dtype);
  const product = (extents: readonly number[]): number => extents.reduce((size, e) => size * e, 1);
  // Four axes, so that a tensor of any rank has room for the new one.
  const [before, after] = [product(x.shape.slice(0, axis)), product(x.shape.slice(axis + 1))];
  const split = reshape(x, each ? [before, extent, 1, after] : [before, 1, extent, after]);
  const repeated = copy(
    expand(split, each ? [before, extent, count, after] : [before, count, extent, after]),
    operation,
  );
  if (split.buffer !== x.buffer) split.dispose();
  return reshape(repeated, shape);
}

/**
 * Repeats a whole tensor along its axes, as NumPy's `tile`: `tile([1, 2], [2])` is `[1, 2, 1, 2]`.
 *
 * @param counts - how many times along each axis.
 * @returns fresh memory, row-major.
 * @throws TypeError for counts that are no list of integers; TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` for another number
 * of them than axes, `SW_TENSOR_SHAPE_INVALID` for a negative one, `SW_TENSOR_SHAPE_LIMIT`.
 * @example
 * ```ts
 * import { tensor, tile } from "@sw/tensor";
 * console.log(tile(tensor([[1, 2]]), [2, 2]).toArray()); // [ [ 1, 2, 1, 2 ], [ 1, 2, 1, 2 ] ]
 * ```
 * @since 0.1.0
 */
export function tile<D extends DType>(x: Tensor<D>, counts: readonly number[]): Tensor<D> {
  const operation = "tile";
  plain(x, operation);
  if (!Array.isArray(counts)) {
    throw new TypeError(`${operation}: the counts are no list: got ${describe(counts)}, expected one like [2, 1].`);
  }
  for (const count of counts) checkCount(operation, count);
  if (counts.length !== x.rank) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_MISMATCH",
      `${operation}: the counts do not fit: got ${showShape(counts)}, expected ${x.rank}, one for each axis.`,
      { given: counts.length, expected: x.rank, shape: x.shape },
    );
  }
  checkBytes(
    operation,
    x.shape.map((extent, axis) => extent * (counts[axis] as number)),
    x.dtype,
  );
  let out = x;
  counts.forEach((count: number, axis) => {
    if (count === 1) return;
    const before = out;
    out = repeatedAxis(operation, before, axis, count, false);
    if (before !== x) before.dispose();
  });
  return out === x ? copy(x, operation) : out;
}

/**
 * Repeats each element along an axis, as NumPy's `repeat`: `repeat([1, 2], 2, 0)` is `[1, 1, 2, 2]`.
 *
 * @returns fresh memory, row-major.
 * @throws TypeError for a count that is no integer; TensorShapeError `SW_TENSOR_AXIS`, `SW_TENSOR_SHAPE_INVALID` for a
 * negative count, `SW_TENSOR_SHAPE_LIMIT`.
 * @example
 * ```ts
 * import { repeat, tensor } from "@sw/tensor";
 * console.log(repeat(tensor([1, 2]), 3, 0).toArray()); // [ 1, 1, 1, 2, 2, 2 ]
 * ```
 * @since 0.1.0
 */
export function repeat<D extends DType>(x: Tensor<D>, count: number, axis: number): Tensor<D> {
  const operation = "repeat";
  plain(x, operation);
  checkCount(operation, count);
  return repeatedAxis(operation, x, checkAxis(operation, axis, x.rank), count, true);
}
