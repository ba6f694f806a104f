import type { Operand } from "@sw/tensor/seam";
import { rowOf } from "./driver.js";
import { KernelDTypeError } from "./errors.js";
import { quotientRows, sumRows } from "./generated/reduce.js";
import type { DType, QuotientRow, SumRow } from "./rows.js";
import { SUMS, sumScratch, wideSumScratch } from "./scratch.js";

/**
 * Writes the sum over the reduced loops: those where the output's stride is 0, all of them inside the kept ones.
 *
 * Floats: one float64 accumulator a sum, from +0, in the order of the loops, rounded once when stored. With `u` the
 * unit roundoff of float64 the error of n terms is below `n * u * sum |a|`, plus that rounding; a float32 sum of
 * 16777216 and a thousand ones is 16778216 along any axis (field case 17). A sum of no elements, or of -0 alone, is
 * +0. NaN spreads, infinities of both signs make NaN.
 *
 * Integers and bool: the exact sum in int64, wrapping modulo 2^64.
 */
export function sum(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  const out = outputs[0]!;
  const input = inputs[0]!;
  if (isFloat(input.dtype)) new FloatSums("sum", out, input, rowOf("sum", quotientRows, out.dtype), 1).run();
  else if (out.dtype === "int64") new IntegerSums("sum", out, input, undefined, 1).run();
  else throw new KernelDTypeError("sum", out.dtype, ["int64"]);
}

/**
 * Writes the arithmetic mean over the reduced loops: the sum as in `sum`, not yet rounded, divided once by the number
 * of elements. Nothing overflows on the way that a float64 holds. The mean of no elements is NaN.
 *
 * Integers of up to 32 bits and bool make a float32 or float64: their sum is exact before it is divided (the mean of
 * 2147483647 twice is 2147483647, field case 17). 64-bit integers are not taken, since their sum can pass 64 bits:
 * cast them first.
 */
export function mean(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  const out = outputs[0]!;
  const input = inputs[0]!;
  const store = rowOf("mean", quotientRows, out.dtype);
  let count = 1;
  for (let k = keptLoops(out); k < input.shape.length; k++) count *= input.shape[k]!;
  if (isFloat(input.dtype)) new FloatSums("mean", out, input, store, count).run();
  else new IntegerSums("mean", out, input, store, count).run();
}

/** Elements of up to 32 bits whose exact sum is certain to fit in a float64: 2^20 of them need at most 52 bits. */
const EXACT = 1 << 20;

function isFloat(dtype: DType): boolean {
  return dtype === "float32" || dtype === "float64";
}

/** How many of an output's loops are kept: up to the last that moves. */
function keptLoops(out: Operand): number {
  let kept = out.strides.length;
  while (kept > 0 && out.strides[kept - 1] === 0) kept--;
  return kept;
}

/**
 * One reduction: up to `SUMS` neighbouring sums are carried at once, through all the reduced loops. The loops inside
 * the innermost kept one and the innermost reduced one are the row's.
 */
abstract class Sums {
  readonly out: Operand;
  readonly input: Operand;
  readonly row: SumRow;
  readonly store: QuotientRow | undefined;
  readonly divisor: number;
  readonly kept: number;
  constructor(kernel: string, out: Operand, input: Operand, store: QuotientRow | undefined, divisor: number) {
    this.out = out;
    this.input = input;
    this.row = rowOf(kernel, sumRows, input.dtype);
    this.store = store;
    this.divisor = divisor;
    this.kept = keptLoops(out);
  }

  run(): void {
    this.keep(0, this.out.offset, this.input.offset);
  }

  /** Turns the kept loops from `level` inwards; the innermost goes in blocks of sums. */
  keep(level: number, outAt: number, at: number): void {
    const { out, input, kept } = this;
    const extent = kept === 0 ? 1 : input.shape[level]!;
    const outStride = kept === 0 ? 0 : out.strides[level]!;
    const stride = kept === 0 ? 0 : input.strides[level]!;
    if (level < kept - 1) {
      for (let i = 0; i < extent; i++) this.keep(level + 1, outAt + i * outStride, at + i * stride);
      return;
    }
    for (let i = 0; i < extent; i += SUMS) {
      const m = Math.min(SUMS, extent - i);
      this.begin(m);
      this.reduce(kept, m, at + i * stride, stride);
      this.end(m, outAt + i * outStride, outStride);
    }
  }

  /** Turns the reduced loops from `level` inwards, for `m` sums whose elements lie `stride` apart. */
  reduce(level: number, m: number, at: number, stride: number): void {
    const { shape, strides } = this.input;
    const last = shape.length - 1;
    if (level < last) {
      const extent = shape[level]!;
      for (let i = 0; i < extent; i++) this.reduce(level + 1, m, at + i * strides[level]!, stride);
    } else if (level === last) {
      this.add(m, shape[last]!, at, stride, strides[last]!);
    } else {
      this.add(m, 1, at, stride, 0);
    }
  }

  abstract begin(m: number): void;
  abstract add(m: number, n: number, at: number, stride: number, inner: number): void;
  abstract end(m: number, outAt: number, outStride: number): void;
}

class FloatSums extends Sums {
  readonly sums: Float64Array = sumScratch();

  begin(m: number): void {
    this.sums.fill(0, 0, m);
  }

  add(m: number, n: number, at: number, stride: number, inner: number): void {
    this.row(m, n, this.sums, this.input.data, at, stride, inner);
  }

  end(m: number, outAt: number, outStride: number): void {
    this.store!(m, this.sums, this.divisor, this.out.data, outAt, outStride);
  }
}

/** Sums of integers: float64 as far as they are exact there, carried over into 64-bit integers before they stop to be. */
class IntegerSums extends Sums {
  readonly sums: Float64Array = sumScratch();
  readonly wide: BigInt64Array = wideSumScratch();
  pending = 0;

  begin(m: number): void {
    this.sums.fill(0, 0, m);
    this.wide.fill(0n, 0, m);
    this.pending = 0;
  }

  add(m: number, n: number, at: number, stride: number, inner: number): void {
    const { dtype, data } = this.input;
    if (dtype === "int64" || dtype === "uint64") {
      this.row(m, n, this.wide, data, at, stride, inner);
      return;
    }
    for (let done = 0; done < n; ) {
      if (this.pending === EXACT) this.carry(m);
      const part = Math.min(n - done, EXACT - this.pending);
      this.row(m, part, this.sums, data, at + done * inner, stride, inner);
      this.pending += part;
      done += part;
    }
  }

  carry(m: number): void {
    const { sums, wide } = this;
    for (let i = 0; i < m; i++) wide[i] = wide[i]! + BigInt(sums[i]!);
    sums.fill(0, 0, m);
    this.pending = 0;
  }

  end(m: number, outAt: number, outStride: number): void {
    this.carry(m);
    const { sums, wide, store } = this;
    if (store === undefined) {
      const data = this.out.data as BigInt64Array;
      for (let i = 0; i < m; i++) data[outAt + i * outStride] = wide[i]!;
      return;
    }
    for (let i = 0; i < m; i++) sums[i] = Number(wide[i]!);
    store(m, sums, this.divisor, this.out.data, outAt, outStride);
  }
}
