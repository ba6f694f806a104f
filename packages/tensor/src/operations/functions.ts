import { describe } from "@sw/layout";
import type { DType } from "../dtype.js";
import { checkOptions } from "../options.js";
import type { Tensor } from "../tensor.js";
import {
  ABS,
  CEIL,
  COS,
  ELU,
  ERF,
  EXP,
  EXPM1,
  FLOOR,
  GELU,
  GELU_TANH,
  LEAKY_RELU,
  LOG,
  LOG1P,
  NEG,
  RECIPROCAL,
  RELU,
  ROUND,
  RSQRT,
  SIGMOID,
  SIGN,
  SILU,
  SIN,
  SOFTPLUS,
  SQRT,
  TANH,
  TRUNC,
} from "./specs/functions.js";
import { unary } from "./unary.js";

/** Negates every element; integers wrap. @since 0.1.0 */
export function neg<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(NEG, x) as Tensor<D>;
}

/**
 * Takes the size of every element. Of integers the lowest stays as it is: its size is beyond the dtype.
 * @since 0.1.0
 */
export function abs<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(ABS, x) as Tensor<D>;
}

/** Computes 1, -1, or the element itself where it is 0, -0 or NaN. @since 0.1.0 */
export function sign<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(SIGN, x) as Tensor<D>;
}

/** Rounds every element down to an integer. Float dtypes only. @since 0.1.0 */
export function floor<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(FLOOR, x) as Tensor<D>;
}

/** Rounds every element up to an integer. Float dtypes only. @since 0.1.0 */
export function ceil<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(CEIL, x) as Tensor<D>;
}

/**
 * Rounds every element to the nearest integer, of two the even one, as NumPy does. Float dtypes only.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { round, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * console.log(round(tensor([0.5, 1.5, 2.4])).toArray()); // [ 0, 2, 2 ]
 * ```
 * @since 0.1.0
 */
export function round<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(ROUND, x) as Tensor<D>;
}

/** Drops the fraction of every element. Float dtypes only. @since 0.1.0 */
export function trunc<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(TRUNC, x) as Tensor<D>;
}

/** Computes e to the power of every element. Float dtypes only. @since 0.1.0 */
export function exp<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(EXP, x) as Tensor<D>;
}

/** Computes `exp(x) - 1` with all digits near 0. Float dtypes only. @since 0.1.0 */
export function expm1<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(EXPM1, x) as Tensor<D>;
}

/** Computes the natural logarithm of every element: -Infinity at 0, NaN below. Float dtypes only. @since 0.1.0 */
export function log<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(LOG, x) as Tensor<D>;
}

/** Computes `log(1 + x)` with all digits near 0. Float dtypes only. @since 0.1.0 */
export function log1p<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(LOG1P, x) as Tensor<D>;
}

/** Computes the square root of every element: NaN below 0. Float dtypes only. @since 0.1.0 */
export function sqrt<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(SQRT, x) as Tensor<D>;
}

/** Computes `1 / sqrt(x)`: Infinity at 0, NaN below. Float dtypes only. @since 0.1.0 */
export function rsqrt<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(RSQRT, x) as Tensor<D>;
}

/** Computes `1 / x`. Float dtypes only. @since 0.1.0 */
export function reciprocal<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(RECIPROCAL, x) as Tensor<D>;
}

/** Computes the sine of every element, in radians. Float dtypes only. @since 0.1.0 */
export function sin<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(SIN, x) as Tensor<D>;
}

/** Computes the cosine of every element, in radians. Float dtypes only. @since 0.1.0 */
export function cos<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(COS, x) as Tensor<D>;
}

/** Computes the hyperbolic tangent of every element. Float dtypes only. @since 0.1.0 */
export function tanh<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(TANH, x) as Tensor<D>;
}

/** Computes the error function of every element. Float dtypes only. @since 0.1.0 */
export function erf<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(ERF, x) as Tensor<D>;
}

/** Computes `x < 0 ? 0 : x`: NaN passes, and so does -0. Float dtypes only. @since 0.1.0 */
export function relu<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(RELU, x) as Tensor<D>;
}

/** Computes `1 / (1 + exp(-x))`. Float dtypes only. @since 0.1.0 */
export function sigmoid<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(SIGMOID, x) as Tensor<D>;
}

/** Computes `x * sigmoid(x)`; NaN at -Infinity. Float dtypes only. @since 0.1.0 */
export function silu<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(SILU, x) as Tensor<D>;
}

/** Computes `log(1 + exp(x))`, which does not overflow. Float dtypes only. @since 0.1.0 */
export function softplus<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(SOFTPLUS, x) as Tensor<D>;
}

/**
 * Computes `x` times the normal distribution function of x, exactly; see {@link geluTanh} for the approximation. NaN
 * at -Infinity. Float dtypes only.
 * @since 0.1.0
 */
export function gelu<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(GELU, x) as Tensor<D>;
}

/**
 * Computes the approximation of {@link gelu} by tanh, which models trained with it need. NaN at -Infinity. Float
 * dtypes only.
 * @since 0.1.0
 */
export function geluTanh<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(GELU_TANH, x) as Tensor<D>;
}

/** Options of {@link leakyRelu}. @since 0.1.0 */
export interface LeakyReluOptions {
  /** What elements below 0 are multiplied by. Default: 0.01. */
  readonly slope?: number;
}

/**
 * Computes `x < 0 ? slope * x : x`: NaN passes, and so does -0. Float dtypes only.
 *
 * @throws TypeError for a slope that is no number.
 * @since 0.1.0
 */
export function leakyRelu<D extends DType>(x: Tensor<D>, options: LeakyReluOptions = {}): Tensor<D> {
  checkOptions("leakyRelu", options, "{ slope: 0.01 }");
  const { slope = 0.01 } = options;
  checkNumber("leakyRelu", "slope", slope);
  return unary(LEAKY_RELU, x, [slope]) as Tensor<D>;
}

/** Options of {@link elu}. @since 0.1.0 */
export interface EluOptions {
  /** How far below 0 the results reach. Default: 1. */
  readonly alpha?: number;
}

/**
 * Computes `x > 0 ? x : alpha * (exp(x) - 1)`. Float dtypes only.
 *
 * @throws TypeError for an alpha that is no number.
 * @since 0.1.0
 */
export function elu<D extends DType>(x: Tensor<D>, options: EluOptions = {}): Tensor<D> {
  checkOptions("elu", options, "{ alpha: 1 }");
  const { alpha = 1 } = options;
  checkNumber("elu", "alpha", alpha);
  return unary(ELU, x, [alpha]) as Tensor<D>;
}

function checkNumber(operation: string, name: string, value: unknown): void {
  if (typeof value === "number") return;
  throw new TypeError(`${operation}: the ${name} is no number: got ${describe(value)}, expected a number.`);
}
