import type { DType } from "../dtype.js";
import { TensorShapeError } from "../errors.js";
import { checkKind, plain, sameDType, showShape } from "../gate.js";
import { checkShape, LIMIT } from "../handle.js";
import { checkOptions } from "../options.js";
import type { Tensor } from "../tensor.js";
import { add } from "./elementwise.js";
import { checkExtents, checkFour, checkRank, type Pair, pairOption, wholeOption } from "./image-options.js";
import { CONV2D, CONV2D_INPUT_BACKWARD, CONV2D_WEIGHT_BACKWARD } from "./specs/images.js";
import { structural } from "./structural.js";

/** How a kernel moves over an image. @since 0.1.0 */
export interface ConvolutionOptions {
  /** How far apart windows begin; 1 by default. */
  readonly stride?: Pair;
  /** Rows and columns that are added at each side and count nothing; 0 by default. */
  readonly padding?: Pair;
  /** How far apart the taps of the kernel are; 1 by default. */
  readonly dilation?: Pair;
  /** Into how many groups the channels are cut, each with kernels of its own; 1 by default. */
  readonly groups?: number;
}

/** Options of {@link conv2d}. @since 0.1.0 */
export interface Conv2dOptions<D extends DType> extends ConvolutionOptions {
  /** `[outChannels]`, added to every pixel of its channel. */
  readonly bias?: Tensor<D>;
}

/** Options of {@link conv1d}. @since 0.1.0 */
export interface Conv1dOptions<D extends DType> {
  readonly bias?: Tensor<D>;
  readonly stride?: number;
  readonly padding?: number;
  readonly dilation?: number;
  readonly groups?: number;
}

/** Options of {@link convTranspose2d}. @since 0.1.0 */
export interface ConvTranspose2dOptions<D extends DType> extends Conv2dOptions<D> {
  /**
   * Which of the images that a convolution of this stride makes the same of: how much larger than the smallest one, less
   * than `stride`. 0 by default.
   */
  readonly outputPadding?: Pair;
}

/** The numbers of the kernels, in the order of their specs. */
type Geometry = readonly [
  kernelH: number,
  kernelW: number,
  strideH: number,
  strideW: number,
  padH: number,
  padW: number,
  dilationH: number,
  dilationW: number,
  groups: number,
];

function geometryOf(operation: string, weight: readonly number[], options: ConvolutionOptions): Geometry {
  checkOptions(operation, options, "{ stride: 2 }");
  const { stride = 1, padding = 0, dilation = 1, groups = 1 } = options;
  const kernel = weight.slice(2) as [number, number];
  if (kernel.includes(0)) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_INVALID",
      `${operation}: the kernel has no tap: got weights of shape ${showShape(weight)}, expected extents of at least 1 after the channels.`,
      { given: kernel, shape: weight },
    );
  }
  return [
    ...kernel,
    ...pairOption(operation, "stride", stride, 1),
    ...pairOption(operation, "padding", padding, 0),
    ...pairOption(operation, "dilation", dilation, 1),
    wholeOption(operation, "groups", groups, 1, LIMIT),
  ];
}

/**
 * Checks that an image and weights fit together.
 *
 * @returns the shape of their convolution.
 */
function convolved(operation: string, x: readonly number[], weight: readonly number[], geometry: Geometry): number[] {
  const [n, channels, height, width] = x as [number, number, number, number];
  const [outChannels, depth] = weight as [number, number];
  const groups = geometry[8];
  if (channels % groups !== 0 || outChannels % groups !== 0 || channels / groups !== depth) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_MISMATCH",
      `${operation}: the channels do not fit: got an image of shape ${showShape(x)}, weights of shape ${showShape(weight)} and ${groups} groups, expected weights [o,c,kh,kw] with o divisible by groups and c · groups = ${channels}.`,
      { given: weight, expected: channels / groups, shape: x },
    );
  }
  const extent = (size: number, axis: 0 | 1): number => {
    const reach = geometry[6 + axis]! * (geometry[axis]! - 1) + 1;
    return Math.floor((size + 2 * geometry[4 + axis]! - reach) / geometry[2 + axis]!) + 1;
  };
  const out = [n, outChannels, extent(height, 0), extent(width, 1)];
  if (out[2]! >= 1 && out[3]! >= 1) return out;
  const [kh, kw, , , ph, pw, dh, dw] = geometry;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_INVALID",
    `${operation}: the kernel is larger than the image: got ${kh} by ${kw} taps, ${dh} and ${dw} apart, over ${height} by ${width} pixels with padding ${ph} and ${pw}, expected it to fit in once at least.`,
    { given: [kh, kw], shape: x },
  );
}

function checkOperands(operation: string, first: Tensor, second: Tensor, bias?: Tensor): void {
  for (const t of [first, second, ...(bias === undefined ? [] : [bias])]) {
    plain(t, operation);
    checkKind(operation, t.dtype, CONV2D.kinds);
    sameDType(operation, first, t);
  }
}

/**
 * Slides kernels over images and takes the sum of products at each place (cross-correlation: the kernel is not
 * turned round): `r[n,o,y,x] = bias[o] + Σ weight[o,c,i,j] · x[n, c, y·stride + i·dilation − padding, …]`.
 *
 * Padding counts nothing, whatever the weights: an infinite weight beside it makes no NaN. With `groups` the channels
 * are cut into as many groups, and each output channel sees those of its own group. An image of no channels gives the
 * bias. The operands have one float dtype; the result is row-major.
 *
 * @param x - `[n, channels, height, width]`.
 * @param weight - `[outChannels, channels / groups, kernelHeight, kernelWidth]`.
 * @returns `[n, outChannels, ⌊(height + 2·padding − dilation·(kernelHeight − 1) − 1) / stride⌋ + 1, …]`.
 * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` for another rank or channels that do not fit,
 * `SW_TENSOR_SHAPE_INVALID` where the kernel fits in nowhere; TensorValueError `SW_TENSOR_OPTION` for a number out of
 * range, `SW_TENSOR_DTYPE_REFUSED` or `SW_TENSOR_DTYPE_MISMATCH`; TypeError for what is no number.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { arange, conv2d, ones, setKernels } from "@sw/tensor";
 * setKernels(jsKernels);
 * const image = arange(9).reshape([1, 1, 3, 3]);
 * console.log(conv2d(image, ones([1, 1, 2, 2])).reshape([2, 2]).toArray()); // [ [ 8, 12 ], [ 20, 24 ] ]
 * ```
 * @since 0.1.0
 */
export function conv2d<D extends DType>(
  x: Tensor<D>,
  weight: Tensor<NoInfer<D>>,
  options: Conv2dOptions<NoInfer<D>> = {},
): Tensor<D> {
  return convolve("conv2d", x, weight, options);
}

function convolve<D extends DType>(
  operation: string,
  x: Tensor<D>,
  weight: Tensor<D>,
  options: Conv2dOptions<D>,
): Tensor<D> {
  checkOptions(operation, options, "{ stride: 2 }");
  const { bias } = options;
  checkOperands(operation, x, weight, bias);
  checkRank(operation, "the image", x, "[n,c,h,w]");
  checkRank(operation, "the weight", weight, "[o,c,kh,kw]");
  const geometry = geometryOf(operation, weight.shape, options);
  const shape = convolved(operation, x.shape, weight.shape, geometry);
  if (bias === undefined) return structural(CONV2D, shape, [x, weight], geometry);
  checkExtents(operation, "the bias", bias, [shape[1]!]);
  return structural(CONV2D, shape, [x, weight, bias], geometry);
}

/**
 * Convolves signals: {@link conv2d} of images one pixel high, of which it records.
 *
 * @param x - `[n, channels, length]`.
 * @param weight - `[outChannels, channels / groups, kernelLength]`.
 * @throws as {@link conv2d}.
 * @since 0.1.0
 */
export function conv1d<D extends DType>(
  x: Tensor<D>,
  weight: Tensor<NoInfer<D>>,
  options: Conv1dOptions<NoInfer<D>> = {},
): Tensor<D> {
  checkOptions("conv1d", options, "{ stride: 2 }");
  checkOperands("conv1d", x, weight);
  checkRank("conv1d", "the signal", x, "[n,c,l]");
  checkRank("conv1d", "the weight", weight, "[o,c,k]");
  const { stride = 1, padding = 0, dilation = 1, ...rest } = options;
  const flat = { ...rest, stride: [1, stride], padding: [0, padding], dilation: [1, dilation] } as const;
  return convolve("conv1d", x.unsqueeze(2), weight.unsqueeze(2), flat).squeeze(2);
}

/**
 * Spreads each pixel over a window by a kernel and adds up what meets: the transpose of {@link conv2d} as a linear map,
 * and its gradient with respect to the image, by the same kernel. Its records are of that kind.
 *
 * @param x - `[n, channels, height, width]`.
 * @param weight - `[channels, outChannels / groups, kernelHeight, kernelWidth]`.
 * @returns `[n, outChannels, (height − 1)·stride − 2·padding + dilation·(kernelHeight − 1) + outputPadding + 1, …]`.
 * @throws as {@link conv2d}; TensorShapeError `SW_TENSOR_SHAPE_INVALID` where nothing would be left of the image.
 * @since 0.1.0
 */
export function convTranspose2d<D extends DType>(
  x: Tensor<D>,
  weight: Tensor<NoInfer<D>>,
  options: ConvTranspose2dOptions<NoInfer<D>> = {},
): Tensor<D> {
  const operation = "convTranspose2d";
  checkOptions(operation, options, "{ stride: 2 }");
  const { bias, outputPadding = 0 } = options;
  checkOperands(operation, x, weight, bias);
  checkRank(operation, "the image", x, "[n,c,h,w]");
  checkRank(operation, "the weight", weight, "[c,o,kh,kw]");
  const geometry = geometryOf(operation, weight.shape, options);
  const more = pairOption(operation, "outputPadding", outputPadding, 0);
  const extent = (axis: 0 | 1): number => {
    const stride = geometry[2 + axis]!;
    wholeOption(operation, "outputPadding", more[axis], 0, stride - 1);
    const reach = geometry[6 + axis]! * (geometry[axis]! - 1) + 1;
    return (x.shape[2 + axis]! - 1) * stride - 2 * geometry[4 + axis]! + reach + more[axis];
  };
  const shape = [x.shape[0]!, weight.shape[1]! * geometry[8], extent(0), extent(1)];
  if (x.shape.slice(2).includes(0) || shape[2]! < 1 || shape[3]! < 1) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_INVALID",
      `${operation}: nothing is left of the image: got shape ${showShape(x.shape)}, which gives ${shape[2]} by ${shape[3]} pixels, expected at least one of each.`,
      { given: shape, shape: x.shape },
    );
  }
  if (bias !== undefined) checkExtents(operation, "the bias", bias, [shape[1]!]);
  const spread = transposed(operation, x, weight, shape, geometry);
  if (bias === undefined) return spread;
  try {
    return add(spread, bias.unsqueeze(1).unsqueeze(2)) as Tensor<D>;
  } finally {
    // The history of the sum reads none of it.
    spread.dispose();
  }
}

function transposed<D extends DType>(
  operation: string,
  cotangent: Tensor<D>,
  weight: Tensor<D>,
  shape: readonly number[],
  geometry: Geometry,
): Tensor<D> {
  checkShape(operation, shape);
  checkExtents(operation, "the image", cotangent, convolved(operation, shape, weight.shape, geometry));
  return structural(CONV2D_INPUT_BACKWARD, shape, [cotangent, weight], geometry);
}

/**
 * Gives the cotangent of the image of {@link conv2d}.
 *
 * @param shape - of the image.
 * @throws as {@link conv2d}; TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` for a cotangent of another shape than the result.
 * @since 0.1.0
 */
export function conv2dInputBackward<D extends DType>(
  cotangent: Tensor<D>,
  weight: Tensor<NoInfer<D>>,
  shape: readonly number[],
  options: ConvolutionOptions = {},
): Tensor<D> {
  const operation = "conv2dInputBackward";
  checkOperands(operation, cotangent, weight);
  checkFour(operation, "the image", shape, "[n,c,h,w]");
  checkRank(operation, "the weight", weight, "[o,c,kh,kw]");
  return transposed(operation, cotangent, weight, shape, geometryOf(operation, weight.shape, options));
}

/**
 * Gives the cotangent of the weights of {@link conv2d}.
 *
 * @param shape - of the weights.
 * @throws as {@link conv2d}; TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` for a cotangent of another shape than the result.
 * @since 0.1.0
 */
export function conv2dWeightBackward<D extends DType>(
  cotangent: Tensor<D>,
  x: Tensor<NoInfer<D>>,
  shape: readonly number[],
  options: ConvolutionOptions = {},
): Tensor<D> {
  const operation = "conv2dWeightBackward";
  checkOperands(operation, cotangent, x);
  checkFour(operation, "the weight", shape, "[o,c,kh,kw]");
  checkRank(operation, "the image", x, "[n,c,h,w]");
  const geometry = geometryOf(operation, shape, options);
  checkExtents(operation, "the cotangent", cotangent, convolved(operation, x.shape, shape, geometry));
  return structural(CONV2D_WEIGHT_BACKWARD, shape, [cotangent, x], geometry);
}
