import { describe, rowMajor, strided } from "@sw/layout";
import type { DType } from "../dtype.js";
import { toElement } from "../element.js";
import { TensorShapeError } from "../errors.js";
import { plain } from "../gate.js";
import { checkBytes } from "../handle.js";
import { checkOptions } from "../options.js";
import type { Tensor } from "../tensor.js";
import { putAmong } from "./scatter.js";

/** Options of {@link pad}. @since 0.1.0 */
export interface PadOptions {
  /** What stands in the padding; 0 by default. */
  readonly value?: number | bigint | boolean;
}

/** How many elements are added before an axis and after it. */
type Ends = readonly [before: number, after: number];

/**
 * Adds elements of one value before and after each axis.
 *
 * @param padding - for each axis, how many before it and how many after it: `[[1, 1], [0, 2]]`.
 * @returns fresh memory, row-major.
 * @throws TypeError for what is no list of pairs of integers; TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` for another
 * number of pairs than axes, `SW_TENSOR_SHAPE_INVALID` for a negative number; TensorValueError `SW_TENSOR_VALUE` for a
 * value that the dtype cannot hold.
 * @example
 * ```ts
 * import { pad, tensor } from "@sw/tensor";
 * console.log(pad(tensor([1, 2]), [[1, 2]], { value: 9 }).toArray()); // [ 9, 1, 2, 9, 9 ]
 * ```
 * @since 0.1.0
 */
export function pad<D extends DType>(
  x: Tensor<D>,
  padding: readonly (readonly [before: number, after: number])[],
  options: PadOptions = {},
): Tensor<D> {
  const operation = "pad";
  plain(x, operation);
  checkOptions(operation, options, "{ value: 0 }");
  const { value = 0 } = options;
  toElement(operation, x.dtype, value, 0);
  const ends = checkPadding(operation, padding, x);
  const shape = x.shape.map((extent, axis) => extent + ends[axis]![0] + ends[axis]![1]);
  checkBytes(operation, shape, x.dtype);
  const domain = rowMajor(shape);
  const strides = domain.stride as readonly number[];
  const start = x.size === 0 ? 0 : ends.reduce((at, [before], axis) => at + before * strides[axis]!, 0);
  return putAmong(operation, domain, { layout: strided(x.shape, strides), start }, x, value);
}

function checkPadding(operation: string, padding: readonly Ends[], x: Tensor): readonly Ends[] {
  const whole = (pair: unknown): boolean =>
    Array.isArray(pair) && pair.length === 2 && pair.every((count) => Number.isInteger(count));
  if (!Array.isArray(padding) || !padding.every(whole)) {
    throw new TypeError(
      `${operation}: the padding is no list of pairs: got ${describe(padding)}, expected one like [[1, 1], [0, 2]], an entry for each axis.`,
    );
  }
  if (padding.length !== x.rank) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_MISMATCH",
      `${operation}: the padding does not fit: got ${padding.length} pairs, expected ${x.rank}, one for each axis.`,
      { given: padding.length, expected: x.rank, shape: x.shape },
    );
  }
  padding.forEach((pair: Ends, axis) => {
    if (pair[0] >= 0 && pair[1] >= 0) return;
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_INVALID",
      `${operation}: the padding is negative: got [${pair.join(",")}] of axis ${axis}, expected at least 0. Cut with slice.`,
      { given: pair, axis },
    );
  });
  return padding;
}
