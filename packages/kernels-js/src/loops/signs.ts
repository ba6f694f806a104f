import type { Operand } from "@sw/tensor/seam";
import { absRows, ceilRows, floorRows, negRows, roundRows, signRows, truncRows } from "../generated/elementwise.js";
import { runUnary } from "./run.js";

/**
 * Writes `r = -a`. Floats: the sign is flipped, of zeros, infinities and NaN too (0 becomes -0). Integers wrap: the
 * lowest signed value is its own negative, and an unsigned `a` becomes `2^bits - a`. Source: IEEE 754-2019, 5.5.1.
 */
export function neg(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("neg", negRows, outputs, inputs);
}

/**
 * Writes the size of a. Exact; -0 becomes 0, NaN passes. Integers wrap: the lowest signed value stays as it is.
 * Source: IEEE 754-2019, 5.5.1.
 */
export function abs(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("abs", absRows, outputs, inputs);
}

/**
 * Writes 1, -1, or a itself where it is a zero or NaN: so the sign of -0 is -0. Exact.
 * Source: ECMAScript, `Math.sign`.
 */
export function sign(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("sign", signRows, outputs, inputs);
}

/**
 * Writes the largest integer that is not above a, floats only. Exact; NaN, infinities and -0 pass.
 * Source: IEEE 754-2019, 5.9.
 */
export function floor(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("floor", floorRows, outputs, inputs);
}

/**
 * Writes the smallest integer that is not below a, floats only. Exact; NaN, infinities and -0 pass; of a above -1 and
 * below 0 it is -0. Source: IEEE 754-2019, 5.9.
 */
export function ceil(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("ceil", ceilRows, outputs, inputs);
}

/**
 * Writes the nearest integer, of two the even one (IEEE 754 `roundToIntegralTiesToEven`), floats only. Exact; NaN and
 * infinities pass, and a zero has the sign of a: `round(-0.5)` is -0.
 */
export function round(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("round", roundRows, outputs, inputs);
}

/**
 * Writes a without its fraction, floats only. Exact; NaN and infinities pass, and a zero has the sign of a.
 * Source: IEEE 754-2019, 5.9.
 */
export function trunc(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("trunc", truncRows, outputs, inputs);
}
