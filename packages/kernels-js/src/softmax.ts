import type { Operand } from "@sw/tensor/seam";
import { rowOf } from "./driver.js";
import { floatRows, unloadRows } from "./generated/lines.js";
import { rowScratch } from "./scratch.js";
import { turn } from "./turn.js";

// A row is one turn of the last axis. It is read whole before anything of it is written, so the output may be the very
// same elements as the input. A row of no elements writes nothing.

/**
 * Writes `exp(a - max) / sum exp(a - max)` along the last axis, `max` being the row's. All in float64, the sum
 * sequential, each element rounded once. An element of -Infinity gets 0. A row with a NaN or a +Infinity is NaN
 * throughout, and so is a row of -Infinity alone: it has no largest element to be measured against (NumPy and PyTorch
 * say the same).
 */
export function softmax(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  eachRow("softmax", outputs[0]!, inputs[0]!, softmaxRow);
}

/**
 * Writes `(a - max) - log(sum exp(a - max))` along the last axis, `max` being the row's. All in float64, the sum
 * sequential, each element rounded once; no exponential is ever rounded before its logarithm. An element of -Infinity
 * stays -Infinity; rows with a NaN or a +Infinity, or of -Infinity alone, are NaN throughout.
 * Source: Blanchard, Higham and Higham, 2021.
 */
export function logSoftmax(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  eachRow("logSoftmax", outputs[0]!, inputs[0]!, logSoftmaxRow);
}

function eachRow(kernel: string, out: Operand, input: Operand, change: (n: number, row: Float64Array) => void): void {
  const axis = input.shape.length - 1;
  const n = input.shape[axis]!;
  const load = rowOf(kernel, floatRows, input.dtype);
  const unload = rowOf(kernel, unloadRows, out.dtype);
  const row = rowScratch(n);
  turn(axis, [out, input], (at) => {
    load(n, row, input.data, at[1]!, input.strides[axis]!);
    change(n, row);
    unload(n, row, out.data, at[0]!, out.strides[axis]!);
  });
}

/** The largest number of a row; NaN is passed over, since it spreads by itself. */
function largestOf(n: number, row: Float64Array): number {
  let largest = Number.NEGATIVE_INFINITY;
  for (let i = 0; i < n; i++) if (row[i]! > largest) largest = row[i]!;
  return largest;
}

function softmaxRow(n: number, row: Float64Array): void {
  const largest = largestOf(n, row);
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const e = Math.exp(row[i]! - largest);
    row[i] = e;
    sum += e;
  }
  for (let i = 0; i < n; i++) row[i] = row[i]! / sum;
}

function logSoftmaxRow(n: number, row: Float64Array): void {
  const largest = largestOf(n, row);
  let sum = 0;
  for (let i = 0; i < n; i++) {
    const d = row[i]! - largest;
    row[i] = d;
    sum += Math.exp(d);
  }
  const logarithm = Math.log(sum);
  for (let i = 0; i < n; i++) row[i] = row[i]! - logarithm;
}
