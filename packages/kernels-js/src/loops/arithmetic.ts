import type { Operand } from "@sw/tensor/seam";
import {
  addRows,
  divRows,
  maximumRows,
  minimumRows,
  mulRows,
  powRows,
  reluBackwardRows,
  remainderRows,
  subRows,
} from "../generated/elementwise.js";
import { runBinary } from "./run.js";

/**
 * Writes `r = a + b`. Floats: IEEE addition, one rounding; NaN and infinities as IEEE has them, `-0 + -0` is -0.
 * Integers wrap modulo 2^bits. Source: IEEE 754-2019, 5.4.1.
 */
export function add(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("add", addRows, outputs[0]!, inputs[0]!, inputs[1]!);
}

/**
 * Writes `r = a - b`. Floats: IEEE subtraction, one rounding. Integers wrap modulo 2^bits.
 * Source: IEEE 754-2019, 5.4.1.
 */
export function sub(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("sub", subRows, outputs[0]!, inputs[0]!, inputs[1]!);
}

/**
 * Writes `r = a * b`. Floats: IEEE multiplication, one rounding; `0 * Infinity` is NaN. Integers: the exact product
 * modulo 2^bits, never a rounded one (65537 * 65537 is 131073 in int32; field case 17). Source: IEEE 754-2019, 5.4.1.
 */
export function mul(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("mul", mulRows, outputs[0]!, inputs[0]!, inputs[1]!);
}

/**
 * Writes `r = a / b`, floats only. IEEE division, one rounding: `x / 0` is a signed infinity, `0 / 0` is NaN.
 * Source: IEEE 754-2019, 5.4.1.
 */
export function div(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("div", divRows, outputs[0]!, inputs[0]!, inputs[1]!);
}

/**
 * Writes a to the power of b.
 * Floats, as C's `pow` (IEEE 754, 9.2.1): `pow(x, 0)` and `pow(1, y)` are 1, of NaN too; `pow(-1, ±Infinity)` is 1; a
 * negative base has a power for integers only, else NaN. Within 2 ULP. Integers: the exact power modulo 2^bits; of a
 * negative exponent the exact value truncated, which is 1 or -1 of a base of 1 or -1, else 0, of a base of 0 too.
 */
export function pow(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("pow", powRows, outputs[0]!, inputs[0]!, inputs[1]!);
}

/**
 * Writes the remainder of a by b that has the sign of b, zeros too: that of C's `fmod`, and b once more where the
 * signs differ. So `x rem ±Infinity` is x or ±Infinity, and `x rem 0` NaN. Floats are within 1 ULP: adding b rounds.
 * Integers are exact; a remainder by 0 is 0, and that of the lowest by -1 is 0. The rule of Python and NumPy.
 */
export function remainder(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("remainder", remainderRows, outputs[0]!, inputs[0]!, inputs[1]!);
}

/** Writes the smaller of a and b. Floats: NaN where either is NaN, and -0 is smaller than 0 (IEEE 754 `minimum`). */
export function minimum(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("minimum", minimumRows, outputs[0]!, inputs[0]!, inputs[1]!);
}

/** Writes the larger of a and b. Floats: NaN where either is NaN, and 0 is larger than -0 (IEEE 754 `maximum`). */
export function maximum(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("maximum", maximumRows, outputs[0]!, inputs[0]!, inputs[1]!);
}

/**
 * Writes `r = y > 0 ? g : 0` for `g` the cotangent and `y` the output of `relu` (OneModel section 8). Where `y` is
 * NaN, 0 or -0 the result is +0, whatever the cotangent; elsewhere the cotangent passes unchanged, NaN included.
 */
export function reluBackward(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("reluBackward", reluBackwardRows, outputs[0]!, inputs[0]!, inputs[1]!);
}
