import type { Operand } from "@sw/tensor/seam";
import { rowOf } from "./driver.js";
import { KernelDTypeError } from "./errors.js";
import { unloadRows } from "./generated/lines.js";
import { sumRows } from "./generated/reduce.js";
import { isFloat, Reduction, termsOf } from "./reduction.js";
import type { LoadRow, SumRow } from "./rows.js";
import { rowScratch, SUMS, wideSumScratch } from "./scratch.js";

/**
 * Writes the sum over the reduced loops: those where the output's stride is 0, all of them inside the kept ones.
 *
 * Floats: one float64 accumulator a sum, from +0, in the order of the loops, rounded once when stored. With `u` the
 * unit roundoff of float64 the error of n terms is below `n * u * sum |a|`, plus that rounding; a float32 sum of
 * 16777216 and a thousand ones is 16778216 along any axis (field case 17). A sum of no elements, or of -0 alone, is
 * +0. NaN spreads, infinities of both signs make NaN.
 *
 * Integers and bool: the exact sum in int64, wrapping modulo 2^64. Source: OneModel, section 9.
 */
export function sum(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  const out = outputs[0]!;
  const input = inputs[0]!;
  if (isFloat(input.dtype)) new FloatSums("sum", out, input, 1).run();
  else if (out.dtype === "int64") new IntegerSums("sum", out, input, undefined, 1).run();
  else throw new KernelDTypeError("sum", out.dtype, ["int64"]);
}

/**
 * Writes the arithmetic mean over the reduced loops: the sum as in `sum`, not yet rounded, divided once by the number
 * of elements. Nothing overflows on the way that a float64 holds. The mean of no elements is NaN.
 *
 * Integers of up to 32 bits and bool make any float dtype: their sum is exact before it is divided (the mean of
 * 2147483647 twice is 2147483647, field case 17). 64-bit integers are not taken, since their sum can pass 64 bits:
 * cast them first. Source: NumPy, `mean`.
 */
export function mean(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  const out = outputs[0]!;
  const input = inputs[0]!;
  const count = termsOf(out, input);
  if (isFloat(input.dtype)) new FloatSums("mean", out, input, count).run();
  else new IntegerSums("mean", out, input, rowOf("mean", unloadRows, out.dtype), count).run();
}

/** Elements of up to 32 bits whose exact sum is certain to fit in a float64: 2^20 of them need at most 52 bits. */
const EXACT = 1 << 20;

class FloatSums extends Reduction {
  readonly sums: Float64Array = rowScratch(SUMS);
  readonly row: SumRow;
  readonly unload: LoadRow;
  readonly divisor: number;
  constructor(kernel: string, out: Operand, input: Operand, divisor: number) {
    super(out, input, 1);
    this.row = rowOf(kernel, sumRows, input.dtype);
    this.unload = rowOf(kernel, unloadRows, out.dtype);
    this.divisor = divisor;
  }

  begin(m: number): void {
    this.sums.fill(0, 0, m);
  }

  add(m: number, n: number, at: number, stride: number, inner: number): void {
    this.row(m, n, this.sums, this.input.data, at, stride, inner);
  }

  end(m: number, outAt: number, outStride: number): void {
    const { sums, divisor } = this;
    for (let i = 0; i < m; i++) sums[i] = sums[i]! / divisor;
    this.unload(m, sums, this.out.data, outAt, outStride);
  }
}

/** Sums of integers: float64 as far as they are exact there, carried over into 64-bit integers before they stop to be. */
class IntegerSums extends Reduction {
  readonly sums: Float64Array = rowScratch(SUMS);
  readonly wide: BigInt64Array = wideSumScratch();
  readonly row: SumRow;
  readonly unload: LoadRow | undefined;
  readonly divisor: number;
  pending = 0;
  constructor(kernel: string, out: Operand, input: Operand, unload: LoadRow | undefined, divisor: number) {
    super(out, input, 1);
    this.row = rowOf(kernel, sumRows, input.dtype);
    this.unload = unload;
    this.divisor = divisor;
  }

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
    const { sums, wide, unload, divisor } = this;
    if (unload === undefined) {
      const data = this.out.data as BigInt64Array;
      for (let i = 0; i < m; i++) data[outAt + i * outStride] = wide[i]!;
      return;
    }
    for (let i = 0; i < m; i++) sums[i] = Number(wide[i]!) / divisor;
    unload(m, sums, this.out.data, outAt, outStride);
  }
}
