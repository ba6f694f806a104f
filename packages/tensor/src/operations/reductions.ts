import type { DType } from "../dtype.js";
import { checkKind } from "../gate.js";
import type { Tensor } from "../tensor.js";
import { checkNumber } from "./check-number.js";
import {
  axesOf,
  checkReduction,
  type DTypeOption,
  nothingToChoose,
  type ReduceOptions,
  reduce,
  type SumDType,
} from "./reduce.js";
import type { OperationSpec } from "./spec.js";
import { ALL, ANY, LOG_SUM_EXP, MAX, MEAN, MIN, NORM, PROD, SUM, VARIANCE } from "./specs/reduce.js";

/**
 * Sums over axes, accumulating wide: float64 for floats, int64 for integers and bool, which is also their result's
 * dtype. With a `dtype` the operand is cast to it first and the result is of it; integers wrap. The sum over nothing
 * is 0.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`.
 * @since 0.1.0
 */
export function sum<D extends DType, R extends DType = SumDType<D>>(
  t: Tensor<D>,
  options: ReduceOptions & DTypeOption<R> = {},
): Tensor<R> {
  checkReduction(SUM, t, options);
  return reduce(SUM, t, options) as Tensor<R>;
}

/**
 * Multiplies over axes: in float64 for floats, exactly in int64 for integers and bool. `dtype` as in {@link sum}: an
 * int32 product in int32 wraps, and is never rounded (field case 17). The product over nothing is 1.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`.
 * @since 0.1.0
 */
export function prod<D extends DType, R extends DType = SumDType<D>>(
  t: Tensor<D>,
  options: ReduceOptions & DTypeOption<R> = {},
): Tensor<R> {
  checkReduction(PROD, t, options);
  return reduce(PROD, t, options) as Tensor<R>;
}

/**
 * Averages over axes, accumulating in float64 and dividing once. The mean over nothing is NaN. Of floats; of integers
 * and bool with a float `dtype`, their sum then being exact up to 32 bits.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`; TensorValueError `SW_TENSOR_DTYPE_REFUSED` for integers without a `dtype`,
 * and for a `dtype` that is no float.
 * @since 0.1.0
 */
export function mean<D extends DType, R extends DType = D>(
  t: Tensor<D>,
  options: ReduceOptions & DTypeOption<R> = {},
): Tensor<R> {
  checkReduction(MEAN, t, options);
  return reduce(MEAN, t, options) as Tensor<R>;
}

function extreme<D extends DType>(spec: OperationSpec, t: Tensor<D>, options: ReduceOptions): Tensor<D> {
  const { axes, keepAxes = false } = options;
  const reduced = axesOf(spec.kind, t, axes);
  checkKind(spec.kind, t.dtype, spec.kinds);
  const empty = reduced.find((axis) => t.shape[axis] === 0);
  if (empty !== undefined) throw nothingToChoose(spec.kind, t, empty);
  return reduce(spec, t, { axes: reduced, keepAxes }) as Tensor<D>;
}

/**
 * Finds the smallest element over axes: any NaN makes NaN, and -0 is smaller than 0. Not of bool.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`, or `SW_TENSOR_SHAPE_INVALID` when one of the axes is empty;
 * TensorValueError `SW_TENSOR_DTYPE_REFUSED`.
 * @since 0.1.0
 */
export function min<D extends DType>(t: Tensor<D>, options: ReduceOptions = {}): Tensor<D> {
  checkReduction(MIN, t, options);
  return extreme(MIN, t, options);
}

/** Finds the largest element over axes: any NaN makes NaN, and 0 is larger than -0. See {@link min}. @since 0.1.0 */
export function max<D extends DType>(t: Tensor<D>, options: ReduceOptions = {}): Tensor<D> {
  checkReduction(MAX, t, options);
  return extreme(MAX, t, options);
}

/**
 * Tells over axes whether any element is not zero; NaN is not. Of nothing it is false.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`.
 * @since 0.1.0
 */
export function any(t: Tensor, options: ReduceOptions = {}): Tensor<"bool"> {
  checkReduction(ANY, t, options);
  return truth(ANY, t, options);
}

/** Tells over axes whether no element is zero. Of nothing it is true. See {@link any}. @since 0.1.0 */
export function all(t: Tensor, options: ReduceOptions = {}): Tensor<"bool"> {
  checkReduction(ALL, t, options);
  return truth(ALL, t, options);
}

function truth(spec: OperationSpec, t: Tensor, { axes, keepAxes = false }: ReduceOptions): Tensor<"bool"> {
  return reduce(spec, t, { ...(axes === undefined ? {} : { axes }), keepAxes }) as Tensor<"bool">;
}

/** Options of {@link variance}. @since 0.1.0 */
export interface VarianceOptions<D extends DType> extends ReduceOptions, DTypeOption<D> {
  /** What is taken from the number of elements before dividing by it: 1 for an unbiased estimate. Default: 0. */
  readonly correction?: number;
}

/**
 * Computes `Σ(x − mean)² / max(0, n − correction)` over axes, in two passes of float64. Of nothing it is NaN, and so it
 * is of one element with a correction of 1. Of floats; of other dtypes with a float `dtype`.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`; TensorValueError `SW_TENSOR_DTYPE_REFUSED`, or `SW_TENSOR_OPTION` for a
 * correction that is negative or not finite; TypeError for one that is no number.
 * @since 0.1.0
 */
export function variance<D extends DType, R extends DType = D>(
  t: Tensor<D>,
  options: VarianceOptions<R> = {},
): Tensor<R> {
  checkReduction(VARIANCE, t, options);
  const { correction = 0 } = options;
  const fits = (x: number): boolean => x >= 0 && Number.isFinite(x);
  checkNumber("variance", "the correction", correction, fits, "a finite number of at least 0");
  return reduce(VARIANCE, t, options, [correction]) as Tensor<R>;
}

/** Options of {@link norm}. @since 0.1.0 */
export interface NormOptions<D extends DType> extends ReduceOptions, DTypeOption<D> {
  /** 1 for `Σ|x|`, 2 for `√Σx²`, Infinity for `max |x|`. Default: 2. */
  readonly order?: number;
}

/**
 * Computes the norm of the elements over axes, as of one vector. Squares are added up in float64 and not scaled: those
 * of float64 numbers beyond 1e154 overflow. Of nothing it is 0. Of floats; of other dtypes with a float `dtype`.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`; TensorValueError `SW_TENSOR_DTYPE_REFUSED`, or `SW_TENSOR_OPTION` for
 * another order; TypeError for one that is no number.
 * @since 0.1.0
 */
export function norm<D extends DType, R extends DType = D>(t: Tensor<D>, options: NormOptions<R> = {}): Tensor<R> {
  checkReduction(NORM, t, options);
  const { order = 2 } = options;
  checkNumber("norm", "the order", order, (x) => ORDERS.includes(x), "1, 2 or Infinity");
  return reduce(NORM, t, options, [order]) as Tensor<R>;
}

const ORDERS: readonly number[] = [1, 2, Number.POSITIVE_INFINITY];

/**
 * Computes `log Σ exp(x)` over axes, the largest element taken out first, so that nothing overflows. Of nothing, and of
 * -Infinity alone, it is -Infinity. Of floats; of other dtypes with a float `dtype`.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`; TensorValueError `SW_TENSOR_DTYPE_REFUSED`.
 * @since 0.1.0
 */
export function logSumExp<D extends DType, R extends DType = D>(
  t: Tensor<D>,
  options: ReduceOptions & DTypeOption<R> = {},
): Tensor<R> {
  checkReduction(LOG_SUM_EXP, t, options);
  return reduce(LOG_SUM_EXP, t, options) as Tensor<R>;
}
