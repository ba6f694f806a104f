import type { Operand } from "@sw/tensor/seam";
import {
  cosRows,
  erfRows,
  expm1Rows,
  expRows,
  log1pRows,
  logRows,
  reciprocalRows,
  rsqrtRows,
  sinRows,
  sqrtRows,
  tanhRows,
} from "../generated/elementwise.js";
import { runUnary } from "./run.js";

// Floats only. Each is computed in float64 by the host's Math (within 1 ULP of float64) or by what src/functions.ts says,
// and rounded once. A conforming kernel is within 2 ULP of its dtype, where nothing else is said. NaN passes.

/**
 * Writes `r = e^a`. `exp(-Infinity)` is 0, `exp(Infinity)` is Infinity; what a float32 cannot hold becomes Infinity or
 * 0 (or a subnormal). Source: IEEE 754-2019, 9.2.
 */
export function exp(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("exp", expRows, outputs, inputs);
}

/**
 * Writes `r = e^a - 1`, with all digits near 0. -0 passes; `expm1(-Infinity)` is -1, `expm1(Infinity)` is Infinity.
 * Source: IEEE 754-2019, 9.2.
 */
export function expm1(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("expm1", expm1Rows, outputs, inputs);
}

/**
 * Writes the natural logarithm of `a`. `log(0)` and `log(-0)` are -Infinity, below zero is NaN, `log(Infinity)` is
 * Infinity. Source: IEEE 754-2019, 9.2.
 */
export function log(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("log", logRows, outputs, inputs);
}

/**
 * Writes the natural logarithm of `1 + a`, with all digits near 0. -0 passes; `log1p(-1)` is -Infinity, below is NaN.
 * Source: IEEE 754-2019, 9.2.
 */
export function log1p(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("log1p", log1pRows, outputs, inputs);
}

/** Writes the square root: IEEE, one rounding. -0 passes; below zero is NaN. Source: IEEE 754-2019, 5.4.1. */
export function sqrt(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("sqrt", sqrtRows, outputs, inputs);
}

/**
 * Writes `r = 1 / √a`, within 1 ULP. `rsqrt(0)` is Infinity, `rsqrt(-0)` is -Infinity, below zero is NaN,
 * `rsqrt(Infinity)` is 0. Source: IEEE 754-2019, 9.2.
 */
export function rsqrt(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("rsqrt", rsqrtRows, outputs, inputs);
}

/**
 * Writes `r = 1 / a`: IEEE, one rounding. `reciprocal(-0)` is -Infinity.
 * Source: IEEE 754-2019, 5.4.1, as a division of 1.
 */
export function reciprocal(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("reciprocal", reciprocalRows, outputs, inputs);
}

/**
 * Writes the sine of a in radians, of any size: the argument is reduced exactly. -0 passes; infinities give NaN.
 * Source: IEEE 754-2019, 9.2.
 */
export function sin(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("sin", sinRows, outputs, inputs);
}

/**
 * Writes the cosine of a in radians, of any size: the argument is reduced exactly. Infinities give NaN.
 * Source: IEEE 754-2019, 9.2.
 */
export function cos(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("cos", cosRows, outputs, inputs);
}

/** Writes the hyperbolic tangent. -0 passes; of infinities it is 1 and -1. Source: IEEE 754-2019, 9.2. */
export function tanh(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("tanh", tanhRows, outputs, inputs);
}

/**
 * Writes the error function `2/√π · ∫₀ᵃ e^(-t²) dt`. -0 passes; of infinities it is 1 and -1.
 * Source: NIST Digital Library of Mathematical Functions, 7.2.1.
 */
export function erf(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("erf", erfRows, outputs, inputs);
}
