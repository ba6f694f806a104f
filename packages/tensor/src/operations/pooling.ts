import type { DType } from "../dtype.js";
import { TensorShapeError } from "../errors.js";
import { checkKind, plain, showShape } from "../gate.js";
import { allocateRowMajor } from "../handle.js";
import { checkOptions } from "../options.js";
import { isRecorded, record } from "../record.js";
import type { Tensor } from "../tensor.js";
import { checkExtents, checkFour, checkRank, type Pair, pairOption, wholeOption } from "./image-options.js";
import { savedSlots } from "./saved-slots.js";
import {
  ADAPTIVE_AVG_POOL2D,
  ADAPTIVE_AVG_POOL2D_BACKWARD,
  AVG_POOL2D,
  AVG_POOL2D_BACKWARD,
  MAX_POOL2D,
} from "./specs/images.js";
import { runOrDispose, structural } from "./structural.js";

/** The windows that an image is pooled by. @since 0.1.0 */
export interface PoolOptions {
  readonly kernel: Pair;
  /** How far apart windows begin; `kernel` by default. */
  readonly stride?: Pair;
  /** Rows and columns that are added at each side, less than `kernel`; 0 by default. */
  readonly padding?: Pair;
}

/** Options of {@link avgPool2d}. @since 0.1.0 */
export interface AvgPoolOptions extends PoolOptions {
  /** Whether a window at the border is divided by its whole area instead of by the pixels in it; false by default. */
  readonly countIncludePad?: boolean;
}

/** The largest of each window, and where it was; see {@link maxPool2dWithIndices}. @since 0.1.0 */
export interface MaxPooled<D extends DType> {
  readonly output: Tensor<D>;
  readonly indices: Tensor<"int32">;
}

function checkImage(operation: string, x: Tensor): void {
  plain(x, operation);
  checkKind(operation, x.dtype, MAX_POOL2D.kinds);
  checkRank(operation, "the image", x, "[n,c,h,w]");
}

function checkPixels(operation: string, shape: readonly number[]): void {
  if (shape[2] !== 0 && shape[3] !== 0) return;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_INVALID",
    `${operation}: the image has no pixel: got shape ${showShape(shape)}, expected a height and a width of at least 1.`,
    { given: shape, shape },
  );
}

/** The numbers of the kernels, and the shape of the result. */
interface Windows {
  readonly ints: readonly number[];
  readonly shape: readonly number[];
}

function windowsOf(operation: string, x: readonly number[], options: PoolOptions): Windows {
  checkOptions(operation, options, "{ kernel: 2 }");
  const kernel = pairOption(operation, "kernel", options.kernel, 1);
  const stride = pairOption(operation, "stride", options.stride ?? kernel, 1);
  const padding = pairOption(operation, "padding", options.padding ?? 0, 0);
  checkPixels(operation, x);
  const extents = [0, 1].map((axis) => {
    const size = kernel[axis]!;
    const pad = wholeOption(operation, "padding", padding[axis], 0, size - 1);
    const room = x[2 + axis]! + 2 * pad - size;
    if (room >= 0) return Math.floor(room / stride[axis]!) + 1;
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_INVALID",
      `${operation}: the kernel is larger than the image: got a kernel of ${size} along an axis of ${x[2 + axis]} with padding ${pad}, expected at most ${size + room}.`,
      { given: size, expected: size + room, axis: 2 + axis, shape: x },
    );
  });
  return { ints: [...kernel, ...stride, ...padding], shape: [x[0]!, x[1]!, ...extents] };
}

function averagesOf(operation: string, x: readonly number[], options: AvgPoolOptions): Windows {
  const { ints, shape } = windowsOf(operation, x, options);
  const { countIncludePad = false } = options;
  return { ints: [...ints, countIncludePad ? 1 : 0], shape };
}

/**
 * Takes the largest pixel of each window. Padding never wins; a NaN wins. Which pixels they were is found out only if
 * the result is recorded.
 *
 * @param x - `[n, channels, height, width]` of a float dtype.
 * @returns `[n, channels, ⌊(height + 2·padding − kernel) / stride⌋ + 1, …]`, row-major.
 * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` for another rank, `SW_TENSOR_SHAPE_INVALID` for an image without
 * pixels or smaller than the kernel; TensorValueError `SW_TENSOR_OPTION` for a number out of range, among them padding
 * that reaches `kernel`, or `SW_TENSOR_DTYPE_REFUSED`; TypeError for what is no number.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { arange, maxPool2d, setKernels } from "@sw/tensor";
 * setKernels(jsKernels);
 * const image = arange(16).reshape([1, 1, 4, 4]);
 * console.log(maxPool2d(image, { kernel: 2 }).reshape([2, 2]).toArray()); // [ [ 5, 7 ], [ 13, 15 ] ]
 * ```
 * @since 0.1.0
 */
export function maxPool2d<D extends DType>(x: Tensor<D>, options: PoolOptions): Tensor<D> {
  checkImage("maxPool2d", x);
  const { ints, shape } = windowsOf("maxPool2d", x.shape, options);
  if (!isRecorded(x)) return structural(MAX_POOL2D, shape, [x], ints);
  const { output, indices } = largest(x, shape, ints);
  return recorded(x, output, indices, ints, [indices]);
}

/**
 * Takes the largest pixel of each window, as {@link maxPool2d}, and tells where it was: its row-major number in the
 * whole of `x`. The first of equals wins, and the first NaN before all.
 *
 * @throws as {@link maxPool2d}.
 * @since 0.1.0
 */
export function maxPool2dWithIndices<D extends DType>(x: Tensor<D>, options: PoolOptions): MaxPooled<D> {
  checkImage("maxPool2dWithIndices", x);
  const { ints, shape } = windowsOf("maxPool2dWithIndices", x.shape, options);
  const { output, indices } = largest(x, shape, ints);
  if (isRecorded(x)) recorded(x, output, indices, ints, []);
  return { output, indices };
}

function largest<D extends DType>(x: Tensor<D>, shape: readonly number[], ints: readonly number[]): MaxPooled<D> {
  const { kind } = MAX_POOL2D;
  const output = allocateRowMajor(x, kind, x.dtype, shape);
  let indices: Tensor<"int32">;
  try {
    indices = allocateRowMajor(x, kind, "int32", shape);
  } catch (error) {
    output.dispose();
    throw error;
  }
  runOrDispose(MAX_POOL2D, [output, indices], [x], ints, []);
  return { output, indices };
}

function recorded<D extends DType>(
  x: Tensor<D>,
  output: Tensor<D>,
  indices: Tensor,
  ints: readonly number[],
  owned: readonly Tensor[],
): Tensor<D> {
  const saved = savedSlots(MAX_POOL2D, [x], [output, indices]);
  return record(output, { kind: MAX_POOL2D.kind, inputs: [x], saved, ints, owned });
}

/**
 * Averages the pixels of each window. At the border it divides by the pixels in the window, as ONNX does, unless
 * `countIncludePad` is true; it divides once.
 *
 * @param x - `[n, channels, height, width]` of a float dtype.
 * @returns `[n, channels, ⌊(height + 2·padding − kernel) / stride⌋ + 1, …]`, row-major.
 * @throws as {@link maxPool2d}.
 * @since 0.1.0
 */
export function avgPool2d<D extends DType>(x: Tensor<D>, options: AvgPoolOptions): Tensor<D> {
  checkImage("avgPool2d", x);
  const { ints, shape } = averagesOf("avgPool2d", x.shape, options);
  return structural(AVG_POOL2D, shape, [x], ints);
}

/**
 * Gives the cotangent of the image of {@link avgPool2d}: each window's goes to its pixels in equal parts.
 *
 * @param shape - of the image.
 * @throws as {@link avgPool2d}; TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` for a cotangent of another shape than the result.
 * @since 0.1.0
 */
export function avgPool2dBackward<D extends DType>(
  cotangent: Tensor<D>,
  shape: readonly number[],
  options: AvgPoolOptions,
): Tensor<D> {
  const operation = "avgPool2dBackward";
  checkImage(operation, cotangent);
  checkFour(operation, "the image", shape, "[n,c,h,w]");
  const windows = averagesOf(operation, shape, options);
  checkExtents(operation, "the cotangent", cotangent, windows.shape);
  return structural(AVG_POOL2D_BACKWARD, shape, [cotangent], windows.ints);
}

/**
 * Averages an image down, or up, to a given height and width: output pixel i of m is the average of the input's from
 * `⌊i·n / m⌋` up to `⌈(i + 1)·n / m⌉`, along each axis. It divides once.
 *
 * @param x - `[n, channels, height, width]` of a float dtype.
 * @param extents - the height and width of the result, or one number for both.
 * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` for another rank, `SW_TENSOR_SHAPE_INVALID` for an image without
 * pixels; TensorValueError `SW_TENSOR_OPTION` for an extent below 1, `SW_TENSOR_DTYPE_REFUSED`; TypeError for what is no
 * number.
 * @since 0.1.0
 */
export function adaptiveAvgPool2d<D extends DType>(x: Tensor<D>, extents: Pair): Tensor<D> {
  checkImage("adaptiveAvgPool2d", x);
  const pair = pairOption("adaptiveAvgPool2d", "the extent", extents, 1);
  checkPixels("adaptiveAvgPool2d", x.shape);
  return structural(ADAPTIVE_AVG_POOL2D, [x.shape[0]!, x.shape[1]!, ...pair], [x], []);
}

/**
 * Gives the cotangent of the image of {@link adaptiveAvgPool2d}: each window's goes to its pixels in equal parts.
 *
 * @param shape - of the image.
 * @throws as {@link adaptiveAvgPool2d}; TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` for a cotangent that is of no such image.
 * @since 0.1.0
 */
export function adaptiveAvgPool2dBackward<D extends DType>(cotangent: Tensor<D>, shape: readonly number[]): Tensor<D> {
  const operation = "adaptiveAvgPool2dBackward";
  checkImage(operation, cotangent);
  checkPixels(operation, cotangent.shape);
  checkFour(operation, "the image", shape, "[n,c,h,w]");
  checkPixels(operation, shape);
  checkExtents(operation, "the cotangent", cotangent, [shape[0]!, shape[1]!, ...cotangent.shape.slice(2)]);
  return structural(ADAPTIVE_AVG_POOL2D_BACKWARD, shape, [cotangent], []);
}
