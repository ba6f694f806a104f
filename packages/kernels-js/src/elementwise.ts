import type { Operand } from "@sw/tensor/seam";
import { driveThree, driveTwo, rowOf } from "./driver.js";
import {
  addRows,
  divRows,
  expRows,
  logRows,
  mulRows,
  negRows,
  reluBackwardRows,
  reluRows,
  subRows,
} from "./generated/elementwise.js";
import type { RowTable, ThreeRow, TwoRow } from "./rows.js";

// What holds for every kernel here: all operands have one dtype and the loops of the output; an element is computed
// from the elements at its own coordinate, in float64, and rounded once when it is stored, so for one float operation
// the result is the correctly rounded one. The output may be the very same elements as an input. An output of another
// overlap is refused by the caller.

/**
 * Writes `r = a + b`. Floats: IEEE addition, one rounding; NaN and infinities as IEEE has them, `-0 + -0` is -0.
 * Integers wrap modulo 2^bits.
 */
export function add(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  binary("add", addRows, outputs, inputs);
}

/** Writes `r = a - b`. Floats: IEEE subtraction, one rounding. Integers wrap modulo 2^bits. */
export function sub(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  binary("sub", subRows, outputs, inputs);
}

/**
 * Writes `r = a * b`. Floats: IEEE multiplication, one rounding; `0 * Infinity` is NaN. Integers: the exact product
 * modulo 2^bits, never a rounded one (65537 * 65537 is 131073 in int32; field case 17).
 */
export function mul(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  binary("mul", mulRows, outputs, inputs);
}

/** Writes `r = a / b`, floats only. IEEE division, one rounding: `x / 0` is a signed infinity, `0 / 0` is NaN. */
export function div(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  binary("div", divRows, outputs, inputs);
}

/**
 * Writes `r = y > 0 ? g : 0` for `g` the cotangent and `y` the output of `relu` (OneModel section 8). Where `y` is
 * NaN, 0 or -0 the result is +0, whatever the cotangent; elsewhere the cotangent passes unchanged, NaN included.
 */
export function reluBackward(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  binary("reluBackward", reluBackwardRows, outputs, inputs);
}

/**
 * Writes `r = -a`. Floats: the sign is flipped, of zeros, infinities and NaN too (0 becomes -0). Integers wrap: the
 * lowest signed value is its own negative, and an unsigned `a` becomes `2^bits - a`.
 */
export function neg(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  unary("neg", negRows, outputs, inputs);
}

/** Writes `r = a < 0 ? 0 : a`, floats only. So NaN and -0 pass; -Infinity becomes +0. Exact. */
export function relu(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  unary("relu", reluRows, outputs, inputs);
}

/**
 * Writes `r = e^a`, floats only. `Math.exp` in float64 (within 1 ULP of float64), rounded once. `exp(-Infinity)` is 0,
 * `exp(Infinity)` is Infinity, NaN passes; what a float32 cannot hold becomes Infinity or 0 (or a subnormal).
 */
export function exp(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  unary("exp", expRows, outputs, inputs);
}

/**
 * Writes the natural logarithm of `a`, floats only. `Math.log` in float64 (within 1 ULP of float64), rounded once.
 * `log(0)` and `log(-0)` are -Infinity, below zero is NaN, `log(Infinity)` is Infinity, NaN passes.
 */
export function log(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  unary("log", logRows, outputs, inputs);
}

const NONE: readonly number[] = [];

function unary(kernel: string, rows: RowTable<TwoRow>, outputs: readonly Operand[], inputs: readonly Operand[]): void {
  const out = outputs[0]!;
  driveTwo(rowOf(kernel, rows, out.dtype), out, inputs[0]!, NONE, NONE);
}

function binary(
  kernel: string,
  rows: RowTable<ThreeRow>,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
): void {
  const out = outputs[0]!;
  driveThree(rowOf(kernel, rows, out.dtype), out, inputs[0]!, inputs[1]!, NONE, NONE);
}
