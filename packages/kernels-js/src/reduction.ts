import type { Operand } from "@sw/tensor/seam";
import type { DType } from "./rows.js";
import { SUMS } from "./scratch.js";

export function isFloat(dtype: DType): boolean {
  return dtype.includes("float");
}

/** Whether integers of a dtype have 64 bits, which a float64 cannot hold. */
export function isWide(dtype: DType): boolean {
  return dtype === "int64" || dtype === "uint64";
}

/** How many of an output's loops are kept: up to the last that moves. */
export function keptLoops(out: Operand): number {
  let kept = out.strides.length;
  while (kept > 0 && out.strides[kept - 1] === 0) kept--;
  return kept;
}

/** How many elements each result of a reduction is made of. */
export function termsOf(out: Operand, input: Operand): number {
  let count = 1;
  for (let k = keptLoops(out); k < input.shape.length; k++) count *= input.shape[k]!;
  return count;
}

/**
 * One reduction: up to `SUMS` neighbouring results are carried at once, through all the reduced loops, as often as
 * there are passes. The loops inside the innermost kept one and the innermost reduced one are the row's.
 */
export abstract class Reduction {
  readonly out: Operand;
  readonly input: Operand;
  readonly kept: number;
  readonly passes: number;
  constructor(out: Operand, input: Operand, passes: number) {
    this.out = out;
    this.input = input;
    this.kept = keptLoops(out);
    this.passes = passes;
  }

  run(): void {
    this.keep(0, this.out.offset, this.input.offset);
  }

  /** Turns the kept loops from `level` inwards; the innermost goes in blocks of results. */
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
      for (let pass = 0; pass < this.passes; pass++) {
        this.begin(m, pass);
        this.reduce(kept, m, at + i * stride, stride);
      }
      this.end(m, outAt + i * outStride, outStride);
    }
  }

  /** Turns the reduced loops from `level` inwards, for `m` results whose elements lie `stride` apart. */
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

  /** Makes `m` results ready for a pass. */
  abstract begin(m: number, pass: number): void;
  /** Takes `n` elements for each of `m` results; `stride` leads from result to result, `inner` along one. */
  abstract add(m: number, n: number, at: number, stride: number, inner: number): void;
  /** Stores `m` results. */
  abstract end(m: number, outAt: number, outStride: number): void;
}
