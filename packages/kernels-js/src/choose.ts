import type { Operand } from "@sw/tensor/seam";
import { rowOf } from "./driver.js";
import { KernelEmptyAxisError } from "./errors.js";
import { loadWideRows, numberRows } from "./generated/lines.js";
import {
  ascendingIntegers,
  ascendingNumbers,
  descendingIntegers,
  descendingNumbers,
  largestIntegers,
  largestNumbers,
  smallestIntegers,
  smallestNumbers,
} from "./generated/rows.js";
import { isWide } from "./reduction.js";
import { orderScratch, rowScratch, wideRowScratch } from "./scratch.js";
import { turn } from "./turn.js";

// Positions along the last axis of the input, as int64. In all of them a NaN is larger than every number, zeros of both
// signs are equal, of equals the first comes first, and integers are compared exactly.

/**
 * Writes the position of the largest element: of equals the first, and the first NaN before all (as in NumPy).
 *
 * @throws KernelEmptyAxisError `SW_KERNELS_EMPTY_AXIS` when the axis has no element and the output has some.
 */
export function argmax(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  chooseOne("argmax", outputs[0]!, inputs[0]!, largestNumbers, largestIntegers);
}

/**
 * Writes the position of the smallest element: of equals the first, and the first NaN before all (as in NumPy).
 *
 * @throws KernelEmptyAxisError `SW_KERNELS_EMPTY_AXIS` as `argmax`.
 */
export function argmin(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  chooseOne("argmin", outputs[0]!, inputs[0]!, smallestNumbers, smallestIntegers);
}

/**
 * Writes the positions in the order of their elements: ascending with NaN last, or, where `ints` is `[1]`, descending
 * with NaN first. Both are stable: of equals the lower position comes first. A merge sort.
 * Source: NumPy, `argsort`, stable.
 */
export function argsort(outputs: readonly Operand[], inputs: readonly Operand[], ints: readonly number[]): void {
  order("argsort", outputs[0]!, inputs[0]!, ints[0] === 1);
}

/**
 * Writes the positions of the `k` largest elements, the largest first and NaN before it; or, where `ints` is `[0]`, of
 * the `k` smallest, the smallest first and NaN last. `k` is the last extent of the output. As the beginning of
 * `argsort`. Source: ONNX, `TopK`.
 */
export function topK(outputs: readonly Operand[], inputs: readonly Operand[], ints: readonly number[]): void {
  order("topK", outputs[0]!, inputs[0]!, ints[0] === 1);
}

/** A row in working memory, as what its loops take. */
type Lines = (at: number) => Float64Array;
type WideLines = (at: number) => BigInt64Array;

function numbers(kernel: string, { dtype, data, shape, strides }: Operand): Lines {
  const last = shape.length - 1;
  const n = shape[last]!;
  const load = rowOf(kernel, numberRows, dtype);
  const row = rowScratch(n);
  return (at) => {
    load(n, row, data, at, strides[last]!);
    return row;
  };
}

/** The highest bit of a uint64 is turned, so that it compares as an int64. */
function integers(kernel: string, { dtype, data, shape, strides }: Operand): WideLines {
  const last = shape.length - 1;
  const n = shape[last]!;
  const load = rowOf(kernel, loadWideRows, dtype);
  const row = wideRowScratch(n);
  const flip = dtype === "uint64" ? -(2n ** 63n) : 0n;
  return (at) => {
    load(n, row, data, at, strides[last]!, flip);
    return row;
  };
}

function chooseOne(
  kernel: string,
  out: Operand,
  input: Operand,
  ofNumbers: (n: number, row: Float64Array) => number,
  ofIntegers: (n: number, row: BigInt64Array) => number,
): void {
  const axis = input.shape.length - 1;
  const n = input.shape[axis]!;
  if (n === 0) {
    if (out.shape.includes(0)) return;
    throw new KernelEmptyAxisError(kernel, input.shape);
  }
  const data = out.data as BigInt64Array;
  if (isWide(input.dtype)) {
    const row = integers(kernel, input);
    turn(axis, [out, input], (at) => {
      data[at[0]!] = BigInt(ofIntegers(n, row(at[1]!)));
    });
    return;
  }
  const row = numbers(kernel, input);
  turn(axis, [out, input], (at) => {
    data[at[0]!] = BigInt(ofNumbers(n, row(at[1]!)));
  });
}

function order(kernel: string, out: Operand, input: Operand, descending: boolean): void {
  const axis = input.shape.length - 1;
  const n = input.shape[axis]!;
  const k = out.shape[axis]!;
  const stride = out.strides[axis]!;
  const data = out.data as BigInt64Array;
  const first = orderScratch(n, 0);
  const second = orderScratch(n, 1);
  const write = (sorted: Int32Array, to: number): void => {
    for (let i = 0; i < k; i++) data[to + i * stride] = BigInt(sorted[i]!);
  };
  if (isWide(input.dtype)) {
    const row = integers(kernel, input);
    const sort = descending ? descendingIntegers : ascendingIntegers;
    turn(axis, [out, input], (at) => write(sort(n, row(at[1]!), first, second), at[0]!));
    return;
  }
  const row = numbers(kernel, input);
  const sort = descending ? descendingNumbers : ascendingNumbers;
  turn(axis, [out, input], (at) => write(sort(n, row(at[1]!), first, second), at[0]!));
}
