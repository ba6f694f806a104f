import { describe, permuteAxes, rowMajor } from "@sw/layout";
import type { DType } from "../dtype.js";
import { TensorShapeError, TensorValueError } from "../errors.js";
import { plain, showShape } from "../gate.js";
import { allocateLike, derive } from "../handle.js";
import { checkOptions } from "../options.js";
import { isRecorded, record } from "../record.js";
import { runAxes } from "../run.js";
import type { Tensor } from "../tensor.js";
import { add, mul, sub } from "./elementwise.js";
import { rsqrt } from "./functions.js";
import { layerNorm } from "./layer-norm.js";
import { replaced } from "./owned.js";
import { type AffineOptions, affineOf, checkEpsilon, checkOperand, checkParameter, EPSILON } from "./parameters.js";
import { settle } from "./promoted.js";
import { savedSlots } from "./saved-slots.js";
import { BATCH_NORM } from "./specs/rows.js";

// Channels are axis 1 of `[n, channels, …]`.

/** What {@link batchNormTraining} computes. @since 0.1.0 */
export interface BatchNormResult<D extends DType> {
  readonly output: Tensor<D>;
  /** `[channels]`, without history. */
  readonly mean: Tensor<D>;
  /** `[channels]`, without history: the biased variance, divided by the number of elements. */
  readonly variance: Tensor<D>;
}

function checkChannels(operation: string, x: Tensor): number {
  if (x.rank >= 2) return x.shape[1] as number;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_MISMATCH",
    `${operation}: the operand has no axis of channels: got shape ${showShape(x.shape)}, expected [n, channels, …].`,
    { given: x.shape, shape: x.shape },
  );
}

/** A view with the channels first, without history: how the kernel sees it. */
function withChannelsFirst(t: Tensor): Tensor {
  const order = [1, 0, ...t.shape.slice(2).map((_, i) => i + 2)];
  return derive(t, permuteAxes(t.layout, order, "batchNorm"), undefined, "batchNorm");
}

/**
 * Normalises each channel of a batch by its own mean and biased variance, `(x − mean) / √(variance + epsilon) · weight +
 * bias`, and hands these out too. Running statistics are the caller's: `running.copyFrom(…)` outside of recording,
 * by convention of the unbiased variance, which is `n / (n − 1)` times this one.
 *
 * @param x - `[n, channels, …]`; weight and bias are `[channels]`.
 * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH`, or `SW_TENSOR_SHAPE_INVALID` when channels have no elements;
 * TensorValueError `SW_TENSOR_DTYPE_REFUSED`, `SW_TENSOR_DTYPE_MISMATCH` or `SW_TENSOR_OPTION`.
 * @since 0.1.0
 */
export function batchNormTraining<D extends DType>(x: Tensor<D>, options: AffineOptions = {}): BatchNormResult<D> {
  const operation = "batchNormTraining";
  checkOperand(operation, x);
  const channels = checkChannels(operation, x);
  checkOptions(operation, options, "{ weight, bias }");
  const { epsilon = EPSILON } = options;
  checkEpsilon(operation, epsilon);
  checkParameter(operation, "weight", options.weight, x, [channels]);
  checkParameter(operation, "bias", options.bias, x, [channels]);
  if (x.size === 0 && channels > 0) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_INVALID",
      `${operation}: the channels have no elements: got shape ${showShape(x.shape)}, expected one at least.`,
      { given: x.shape, shape: x.shape },
    );
  }
  const affine = affineOf(operation, x, [channels], options);
  try {
    return trained(x, channels, affine.operands, affine.number, epsilon);
  } finally {
    for (const one of affine.made) one.dispose();
  }
}

function trained<D extends DType>(
  x: Tensor<D>,
  channels: number,
  operands: readonly Tensor[],
  number: Tensor | undefined,
  epsilon: number,
): BatchNormResult<D> {
  const { kind } = BATCH_NORM;
  const inputs = [x, ...operands];
  const recorded = inputs.some(isRecorded);
  const outputs: Tensor<D>[] = [];
  const allocate = (shape: readonly number[]): Tensor<D> => {
    const out = allocateLike(x, kind, x.dtype, rowMajor(shape));
    outputs.push(out);
    return out;
  };
  try {
    const [output, mean, variance] = [allocate(x.shape), allocate([channels]), allocate([channels])];
    const kept = recorded ? [allocate(x.shape), allocate([channels])] : [];
    const into = outputs.map((out) => (out.rank === 1 ? out : withChannelsFirst(out)));
    if (x.size > 0) runAxes(BATCH_NORM, into, [withChannelsFirst(x), ...operands], [], [epsilon]);
    if (recorded) {
      const saved = savedSlots(BATCH_NORM, inputs, outputs, number);
      record(output, { kind, inputs, saved, floats: [epsilon], owned: settle(kept, saved) });
    }
    return { output, mean, variance };
  } catch (error) {
    for (const out of outputs) out.dispose();
    throw error;
  }
}

/** What {@link batchNorm} is given beside its operand. @since 0.1.0 */
export interface BatchNormOptions extends AffineOptions {
  /** `[channels]`. */
  readonly mean: Tensor;
  /** `[channels]`. */
  readonly variance: Tensor;
}

/**
 * Normalises each channel of a batch by statistics that are given, as a trained model does: `(x − mean) · (weight ·
 * rsqrt(variance + epsilon)) + bias`. Records its parts.
 *
 * @param x - `[n, channels, …]`; all of `options` is `[channels]`.
 * @throws as {@link batchNormTraining}, but for channels without elements; TypeError without a mean or a variance.
 * @since 0.1.0
 */
export function batchNorm<D extends DType>(x: Tensor<D>, options: BatchNormOptions): Tensor<D> {
  const operation = "batchNorm";
  checkOperand(operation, x);
  const channels = checkChannels(operation, x);
  checkOptions(operation, options, "{ mean, variance }");
  const { mean, variance, weight, bias, epsilon = EPSILON } = options;
  plain(mean, operation);
  plain(variance, operation);
  checkEpsilon(operation, epsilon);
  for (const [name, parameter] of Object.entries({ mean, variance, weight, bias })) {
    checkParameter(operation, name, parameter, x, [channels]);
  }
  const shifted = add(variance, epsilon);
  const inverse = replaced(rsqrt(shifted), shifted);
  const scale = weight === undefined ? inverse : replaced(mul(weight, inverse), inverse);
  const centred = sub(x, spread(mean, x));
  const scaled = replaced(mul(centred, spread(scale, x)), centred, scale);
  return (bias === undefined ? scaled : replaced(add(scaled, spread(bias, x)), scaled)) as Tensor<D>;
}

/** One number a channel, as it meets `[n, channels, …]`. */
function spread(parameter: Tensor, x: Tensor): Tensor {
  return parameter.reshape([parameter.size, ...x.shape.slice(2).map(() => 1)]);
}

/**
 * Normalises groups of neighbouring channels: each of the `groups` parts of axis 1, with all that follows it, as
 * {@link layerNorm} does, then `· weight + bias` by channel. Records its parts.
 *
 * @param x - `[n, channels, …]`; weight and bias are `[channels]`.
 * @throws TypeError for a number of groups that is no integer; TensorValueError `SW_TENSOR_OPTION` for one that does not
 * divide the channels; otherwise as {@link layerNorm}.
 * @since 0.1.0
 */
export function groupNorm<D extends DType>(x: Tensor<D>, groups: number, options: AffineOptions = {}): Tensor<D> {
  const operation = "groupNorm";
  checkOperand(operation, x);
  const channels = checkChannels(operation, x);
  checkGroups(groups, channels);
  checkOptions(operation, options, "{ weight, bias }");
  const { weight, bias, epsilon = EPSILON } = options;
  checkEpsilon(operation, epsilon);
  checkParameter(operation, "weight", weight, x, [channels]);
  checkParameter(operation, "bias", bias, x, [channels]);
  const [n = 0, , ...rest] = x.shape;
  const size = rest.reduce((product, extent) => product * extent, channels / groups);
  const split = x.reshape([n, groups, size]);
  const normalised = layerNorm(split, [size], { epsilon }).reshape(x.shape);
  // Its own record saves no operand.
  if (split.buffer !== x.buffer) split.dispose();
  const scaled = weight === undefined ? normalised : replaced(mul(normalised, spread(weight, x)), normalised);
  return (bias === undefined ? scaled : replaced(add(scaled, spread(bias, x)), scaled)) as Tensor<D>;
}

function checkGroups(groups: unknown, channels: number): asserts groups is number {
  if (typeof groups !== "number" || !Number.isInteger(groups)) {
    throw new TypeError(`groupNorm: the number of groups is no integer: got ${describe(groups)}, expected one.`);
  }
  if (groups > 0 && channels % groups === 0) return;
  throw new TensorValueError(
    "SW_TENSOR_OPTION",
    `groupNorm: the groups do not divide the channels: got ${groups}, expected a divisor of ${channels}.`,
    { given: groups, expected: channels },
  );
}
