import type { DType } from "../dtype.js";
import { checkOptions } from "../options.js";
import type { Tensor } from "../tensor.js";
import { gather } from "./indexing.js";
import { sortedPositions, topPositions } from "./order.js";
import { owning } from "./owned.js";

// Elements in an order: their positions, and what is gathered there, whose gradient goes back to where they came from.

/**
 * Sorts along one axis: ascending, NaN last; or descending, NaN first. Equal elements stay in the order that they were in.
 * `argsort` gives their positions. Records its `gather`.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`; TensorValueError `SW_TENSOR_DTYPE_REFUSED` for bool.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { setKernels, sort, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * console.log(sort(tensor([2, 3, 1]), 0, { descending: true }).toArray()); // [ 3, 2, 1 ]
 * ```
 * @since 0.1.0
 */
export function sort<D extends DType>(
  x: Tensor<D>,
  axis: number,
  options: { readonly descending?: boolean } = {},
): Tensor<D> {
  const order = sortedPositions("sort", x, axis, options);
  try {
    return owning(gather(x, order, axis), order);
  } catch (error) {
    order.dispose();
    throw error;
  }
}

/** The largest or smallest elements of an axis, and where they were; see {@link topK}. @since 0.1.0 */
export interface Top<D extends DType> {
  readonly values: Tensor<D>;
  readonly indices: Tensor<"int64">;
}

/**
 * Finds the `k` largest elements along one axis, the largest first, or with `largest: false` the smallest, and their
 * positions: NaN counts as larger than every number, and of equals the first comes first. Records its `gather`.
 *
 * @throws TypeError for a count that is no integer; TensorShapeError `SW_TENSOR_SHAPE_INVALID` for one that the axis
 * does not have, or `SW_TENSOR_AXIS`; TensorValueError `SW_TENSOR_DTYPE_REFUSED` for bool.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { setKernels, tensor, topK } from "@sw/tensor";
 * setKernels(jsKernels);
 * const { values, indices } = topK(tensor([2, 7, 1, 8]), 2, 0);
 * console.log(values.toArray(), indices.toArray()); // [ 8, 7 ] [ 3n, 1n ]
 * ```
 * @since 0.1.0
 */
export function topK<D extends DType>(
  x: Tensor<D>,
  k: number,
  axis: number,
  options: { readonly largest?: boolean } = {},
): Top<D> {
  checkOptions("topK", options, "{ largest: false }");
  const indices = topPositions(x, k, axis, options.largest !== false);
  try {
    return { values: gather(x, indices, axis), indices };
  } catch (error) {
    indices.dispose();
    throw error;
  }
}
