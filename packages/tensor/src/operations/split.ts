import { describe } from "@sw/layout";
import type { DType } from "../dtype.js";
import { TensorShapeError } from "../errors.js";
import { checkAxis, plain, showShape } from "../gate.js";
import type { Tensor } from "../tensor.js";

/**
 * Cuts a tensor along an axis: into a number of equal parts, or into parts of given extents. They are slices, which share
 * its memory.
 *
 * @param parts - how many, or the extent of each; 0 among them, if you like.
 * @throws TypeError for what is no integer or list of integers; TensorShapeError `SW_TENSOR_AXIS`, or
 * `SW_TENSOR_SHAPE_INVALID` for parts that do not make up the axis.
 * @example
 * ```ts
 * import { arange, split } from "@sw/tensor";
 * console.log(split(arange(5), [2, 3], 0).map((part) => part.toArray())); // [ [ 0, 1 ], [ 2, 3, 4 ] ]
 * ```
 * @since 0.1.0
 */
export function split<D extends DType>(x: Tensor<D>, parts: number | readonly number[], axis: number): Tensor<D>[] {
  const operation = "split";
  plain(x, operation);
  const a = checkAxis(operation, axis, x.rank);
  const extent = x.shape[a] as number;
  let start = 0;
  return extentsOf(operation, parts, extent, a).map((length) => {
    const first = start;
    start += length;
    return x.slice(a, first, start);
  });
}

function extentsOf(
  operation: string,
  parts: number | readonly number[],
  extent: number,
  axis: number,
): readonly number[] {
  const entries: readonly unknown[] = Array.isArray(parts) ? parts : [parts];
  const wrong = entries.findIndex((entry) => !Number.isInteger(entry));
  if (wrong >= 0) {
    throw new TypeError(
      `${operation}: the parts are no integers: got ${describe(entries[wrong])}, expected a number of parts or a list of extents.`,
    );
  }
  if (typeof parts === "number") {
    if (parts > 0 && extent % parts === 0) return new Array<number>(parts).fill(extent / parts);
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_INVALID",
      `${operation}: the axis has no such parts: got ${parts} of extent ${extent} (axis ${axis}), expected a divisor. Name their extents in a list.`,
      { given: parts, expected: extent, axis },
    );
  }
  if (parts.every((length) => length >= 0) && parts.reduce((total, length) => total + length, 0) === extent)
    return parts;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_INVALID",
    `${operation}: the parts do not make up the axis: got ${showShape(parts)} of extent ${extent} (axis ${axis}), expected extents of at least 0 that add up to it.`,
    { given: parts, expected: extent, axis },
  );
}
