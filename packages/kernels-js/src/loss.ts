import type { Operand } from "@sw/tensor/seam";
import { rowOf } from "./driver.js";
import { KernelTargetError } from "./errors.js";
import { pickedRows, scatterRows, targetRows } from "./generated/indexing.js";
import { targetScratch } from "./scratch.js";

/**
 * Writes the mean negative log-likelihood, `-(1/n) * sum logProbabilities[i, target[i]]`, of log-probabilities `[n, c]`
 * and integer targets `[n]`. Summed in float64 in the order of the rows, divided once, rounded once. NaN and
 * infinities spread from the picked elements only. With no row it is NaN, as the mean of nothing is.
 *
 * @throws KernelTargetError `SW_KERNELS_TARGET` when a target is outside `[0, c)`; nothing has been written then.
 */
export function nllLoss(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  const out = outputs[0]!;
  const input = inputs[0]!;
  const picked = rowOf("nllLoss", pickedRows, input.dtype);
  const n = input.shape[0]!;
  const targets = readTargets("nllLoss", inputs[1]!, n, input.shape[1]!);
  const total = picked(n, targets, input.data, input.offset, input.strides[0]!, input.strides[1]!);
  out.data[out.offset] = total / n;
}

/**
 * Writes the gradient of `nllLoss`, the whole of `[n, c]`: `-cotangent / n` at each row's target, +0 elsewhere. The
 * quotient is taken in float64 and rounded once. A NaN cotangent reaches the targets only.
 *
 * @throws KernelTargetError `SW_KERNELS_TARGET` when a target is outside `[0, c)`; nothing has been written then.
 */
export function nllLossBackward(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  const out = outputs[0]!;
  const cotangent = inputs[0]!;
  const scatter = rowOf("nllLossBackward", scatterRows, out.dtype);
  const n = out.shape[0]!;
  const classes = out.shape[1]!;
  const targets = readTargets("nllLossBackward", inputs[1]!, n, classes);
  const share = -(cotangent.data[cotangent.offset] as number) / n;
  scatter(n, classes, targets, share, out.data, out.offset, out.strides[0]!, out.strides[1]!);
}

/** Copies the class numbers out and checks every one, before a kernel writes. */
function readTargets(operation: string, target: Operand, n: number, classes: number): Int32Array {
  const read = rowOf(operation, targetRows, target.dtype);
  const targets = targetScratch(n);
  const stride = target.strides[0]!;
  const bad = read(n, classes, targets, target.data, target.offset, stride);
  if (bad >= 0) throw new KernelTargetError(operation, bad, target.data[target.offset + bad * stride]!, classes);
  return targets;
}
