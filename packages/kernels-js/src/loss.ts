import type { Operand } from "@sw/tensor/seam";
import { rowOf } from "./driver.js";
import { KernelTargetError } from "./errors.js";
import { indexRows, pickedRows, spreadRows } from "./generated/indexing.js";
import { floatRows, unloadRows } from "./generated/lines.js";
import { indexScratch, rowScratch } from "./scratch.js";

// Losses of log-probabilities `[n, c]` and targets `[n]`. The reduction is 0 for the mean, 1 for the sum, 2 for none. A
// target that is the ignored class, if one is named, counts as no row; it may lie outside `[0, c)`.

const MEAN = 0;
const NONE = 2;

/**
 * Writes the negative log-likelihood `0 - logProbabilities[i, target[i]]` of each row, 0 where the target is ignored; or
 * the sum of these; or their mean, divided by the number of rows that are not ignored. `ints` is `[reduction, ignored?]`.
 *
 * Summed in float64 in the order of the rows, divided once, rounded once; the error of n terms is below `n * u * sum |x|`,
 * `u` of float64, before that rounding. NaN and infinities spread from the picked elements only. The mean of no rows is
 * NaN, their sum +0.
 * Source: ONNX, `NegativeLogLikelihoodLoss`.
 *
 * @throws KernelTargetError `SW_KERNELS_TARGET` when a target is outside `[0, c)`; nothing has been written then.
 */
export function nllLoss(outputs: readonly Operand[], inputs: readonly Operand[], ints: readonly number[]): void {
  const out = outputs[0]!;
  const input = inputs[0]!;
  const picked = rowOf("nllLoss", pickedRows, input.dtype);
  const store = rowOf("nllLoss", unloadRows, out.dtype);
  const n = input.shape[0]!;
  const targets = readTargets("nllLoss", inputs[1]!, n, input.shape[1]!, ints[1]);
  const losses = rowScratch(n);
  picked(n, targets, losses, input.data, input.offset, input.strides[0]!, input.strides[1]!);
  if (ints[0] === NONE) {
    store(n, losses, out.data, out.offset, out.strides[0]!);
    return;
  }
  let total = 0;
  for (let i = 0; i < n; i++) total += losses[i]!;
  losses[0] = ints[0] === MEAN ? total / counted(targets, n) : total;
  store(1, losses, out.data, out.offset, 1);
}

/**
 * Writes the gradient of `nllLoss`, the whole of `[n, c]`: at each row's target `-cotangent`, the row's own with no
 * reduction, divided for the mean by the number of rows that are not ignored; +0 elsewhere, and in all of a row that is
 * ignored. `ints` is `[classes, reduction, ignored?]`. Computed in float64 and rounded once. A NaN cotangent reaches the
 * targets only.
 * Source: the derivative of ONNX, `NegativeLogLikelihoodLoss`.
 *
 * @throws KernelTargetError `SW_KERNELS_TARGET` when a target is outside `[0, c)`; nothing has been written then.
 */
export function nllLossBackward(
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  ints: readonly number[],
): void {
  const out = outputs[0]!;
  const cotangent = inputs[0]!;
  const spread = rowOf("nllLossBackward", spreadRows, out.dtype);
  const load = rowOf("nllLossBackward", floatRows, cotangent.dtype);
  const [n, classes] = out.shape as readonly [number, number];
  const targets = readTargets("nllLossBackward", inputs[1]!, n, classes, ints[2]);
  const shares = rowScratch(n);
  if (ints[1] === NONE) {
    load(n, shares, cotangent.data, cotangent.offset, cotangent.strides[0]!);
    for (let i = 0; i < n; i++) shares[i] = -shares[i]!;
  } else {
    load(1, shares, cotangent.data, cotangent.offset, 1);
    shares.fill(ints[1] === MEAN ? -shares[0]! / counted(targets, n) : -shares[0]!, 0, n);
  }
  spread(n, classes, targets, shares, out.data, out.offset, out.strides[0]!, out.strides[1]!);
}

/** How many of the targets are not ignored. */
function counted(targets: Int32Array, n: number): number {
  let count = 0;
  for (let i = 0; i < n; i++) if (targets[i]! >= 0) count += 1;
  return count;
}

/** Copies the class numbers out, -1 for the ignored one, and checks every one before a kernel writes. */
function readTargets(
  operation: string,
  target: Operand,
  n: number,
  classes: number,
  ignored: number = Number.NaN,
): Int32Array {
  const read = rowOf(operation, indexRows, target.dtype);
  const targets = indexScratch(n);
  const stride = target.strides[0]!;
  const bad = read(n, classes, ignored, targets, target.data, target.offset, stride);
  if (bad >= 0) throw new KernelTargetError(operation, bad, target.data[target.offset + bad * stride]!, classes);
  return targets;
}
