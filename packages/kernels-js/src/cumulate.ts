import type { Operand } from "@sw/tensor/seam";
import { rowOf } from "./driver.js";
import { floatRows, loadWideRows, unloadRows, unloadWideRows } from "./generated/lines.js";
import { isFloat } from "./reduction.js";
import { rowScratch, wideRowScratch } from "./scratch.js";
import { turn } from "./turn.js";

/**
 * Writes the sums of the first 1, 2, … elements along the last axis. Floats: one float64 accumulator that begins with
 * the first element (so -0 alone stays -0), each sum rounded once when stored; the error of the sum of n terms is below
 * `n * u * sum |a|`, `u` of float64. A NaN spreads to all sums after it. Integers and bool: exact in int64, wrapping
 * modulo 2^64. The output may be the very same elements as the input. Source: NumPy, `cumsum`.
 */
export function cumsum(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  const out = outputs[0]!;
  const input = inputs[0]!;
  const axis = input.shape.length - 1;
  const n = input.shape[axis]!;
  const from = input.strides[axis]!;
  const to = out.strides[axis]!;
  if (isFloat(input.dtype)) {
    const load = rowOf("cumsum", floatRows, input.dtype);
    const unload = rowOf("cumsum", unloadRows, out.dtype);
    const row = rowScratch(n);
    turn(axis, [out, input], (at) => {
      load(n, row, input.data, at[1]!, from);
      for (let i = 1; i < n; i++) row[i] = row[i - 1]! + row[i]!;
      unload(n, row, out.data, at[0]!, to);
    });
    return;
  }
  const load = rowOf("cumsum", loadWideRows, input.dtype);
  const unload = rowOf("cumsum", unloadWideRows, out.dtype);
  const row = wideRowScratch(n);
  turn(axis, [out, input], (at) => {
    load(n, row, input.data, at[1]!, from, 0n);
    for (let i = 1; i < n; i++) row[i] = row[i - 1]! + row[i]!;
    unload(n, row, out.data, at[0]!, to, 0n);
  });
}
