import type { Operand } from "@sw/tensor/seam";
import { KernelEmptyAxisError } from "./errors.js";
import { type Fold, foldIntegers, foldNumbers, type Step } from "./fold.js";
import {
  addExponentials,
  addSizes,
  addSquaredDistances,
  addSquares,
  addUp,
  findFalse,
  findTrue,
  higher,
  higherInteger,
  higherSize,
  lower,
  lowerInteger,
  multiply,
  multiplyIntegers,
} from "./generated/folds.js";
import { isFloat, isWide, termsOf } from "./reduction.js";

// Reductions over the loops where the output's stride is 0. All compute in float64, in the order of the loops, and
// round once when they store; integers are exact.

/**
 * Writes the product. Floats: sequential, relative error below `n` units of float64, plus the final rounding; NaN
 * spreads, and so does `0 * Infinity`. Integers and bool: exact in int64, wrapping modulo 2^64. Of nothing it is 1.
 * Source: NumPy, `prod`.
 */
export function prod(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  const out = outputs[0]!;
  const input = inputs[0]!;
  if (isFloat(input.dtype)) foldNumbers("prod", out, input, { start: 1, step: multiply });
  else foldIntegers("prod", out, input, 1n, multiplyIntegers);
}

/**
 * Writes the smallest element: any NaN makes NaN, and -0 is smaller than +0. Exact.
 * Source: NumPy, `min` and `max`.
 *
 * @throws KernelEmptyAxisError `SW_KERNELS_EMPTY_AXIS` when there is nothing to choose from.
 */
export function min(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  extreme("min", outputs[0]!, inputs[0]!, { start: Number.POSITIVE_INFINITY, step: lower }, HIGHEST, lowerInteger);
}

/**
 * Writes the largest element: any NaN makes NaN, and +0 is larger than -0. Exact. Refuses nothing as `min` does.
 * Source: NumPy, `min` and `max`.
 */
export function max(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  extreme("max", outputs[0]!, inputs[0]!, { start: Number.NEGATIVE_INFINITY, step: higher }, LOWEST, higherInteger);
}

/**
 * Writes whether any element is not zero, as bool. NaN is not zero. Of nothing it is false.
 * Source: NumPy, `any` and `all`.
 */
export function any(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  foldNumbers("any", outputs[0]!, inputs[0]!, { start: 0, step: findTrue });
}

/**
 * Writes whether all elements are not zero, as bool. NaN is not zero. Of nothing it is true.
 * Source: NumPy, `any` and `all`.
 */
export function all(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  foldNumbers("all", outputs[0]!, inputs[0]!, { start: 1, step: findFalse });
}

/**
 * Writes `sum (x - mean)^2 / max(0, n - correction)` by two passes: the mean in float64 first, then the squares of what
 * differs from it, so that nothing cancels. The error of n terms is below `(n + 4) * u` times the variance, and `n^2 *
 * u^2` times the square of the mean. An infinity or a NaN makes NaN, and so does nothing; one element with a correction
 * of 1 too (0 / 0). Two-pass algorithm: Chan, Golub, LeVeque, "Algorithms for computing the sample variance", 1983.
 */
export function variance(
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  _ints: readonly number[],
  floats: readonly number[],
): void {
  const out = outputs[0]!;
  const input = inputs[0]!;
  const count = termsOf(out, input);
  const divisor = Math.max(0, count - floats[0]!);
  foldNumbers("variance", out, input, {
    start: 0,
    step: addUp,
    again: { centre: (total) => total / count, step: addSquaredDistances },
    finish: (total) => total / divisor,
  });
}

/**
 * Writes the vector norm of order 1 (`sum |x|`), 2 (`sqrt(sum x^2)`, squares not scaled: beyond 1.3e154 they overflow)
 * or Infinity (`max |x|`). NaN spreads, any infinity makes Infinity. Of nothing it is 0. Source: NumPy, `linalg.norm`.
 */
export function norm(
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  _ints: readonly number[],
  floats: readonly number[],
): void {
  foldNumbers("norm", outputs[0]!, inputs[0]!, normOf(floats[0]!));
}

/**
 * Writes `log(sum exp(x))` as `m + log(sum exp(x - m))`, `m` being the largest element: nothing overflows. Where `m` is
 * infinite 0 stands for it, so that -Infinity alone, and nothing, make -Infinity, and +Infinity itself. NaN spreads.
 * `m` is found in a first pass; everything in float64. Source: Blanchard, Higham and Higham, 2021.
 */
export function logSumExp(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  foldNumbers("logSumExp", outputs[0]!, inputs[0]!, {
    start: Number.NEGATIVE_INFINITY,
    step: higher,
    again: { centre: (largest) => (Number.isFinite(largest) ? largest : 0), step: addExponentials },
    finish: (total, largest) => largest + Math.log(total),
  });
}

const LOWEST = -(2n ** 63n);
const HIGHEST = 2n ** 63n - 1n;

function extreme(
  kernel: string,
  out: Operand,
  input: Operand,
  fold: Fold,
  start: bigint,
  step: Step<BigInt64Array>,
): void {
  if (termsOf(out, input) === 0) throw new KernelEmptyAxisError(kernel, input.shape);
  if (isWide(input.dtype)) foldIntegers(kernel, out, input, start, step, input.dtype === "uint64" ? LOWEST : 0n);
  else foldNumbers(kernel, out, input, fold);
}

function normOf(order: number): Fold {
  if (order === 1) return { start: 0, step: addSizes };
  if (order === 2) return { start: 0, step: addSquares, finish: Math.sqrt };
  return { start: 0, step: higherSize };
}
