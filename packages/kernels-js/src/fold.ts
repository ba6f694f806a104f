import type { Operand } from "@sw/tensor/seam";
import { rowOf } from "./driver.js";
import { loadRows, loadWideRows, unloadRows, unloadWideRows } from "./generated/lines.js";
import { Reduction } from "./reduction.js";
import type { LoadRow, WideLoadRow } from "./rows.js";
import { rowScratch, SUMS, wideRowScratch, wideSumScratch } from "./scratch.js";

/**
 * Takes the elements of `block` into results, from `first` on: all `n` into one, or one into each of `m`. One of the
 * two is 1, so that element `i + j` belongs to result `first + i`.
 */
export type Step<Memory> = (m: number, n: number, held: Memory, first: number, block: Memory) => void;

/** The same, measured from what an earlier pass found. */
export type CentredStep = (
  m: number,
  n: number,
  held: Float64Array,
  first: number,
  block: Float64Array,
  centres: Float64Array,
) => void;

/** A reduction as data, in float64: what its results begin with, how they take an element, what is done at the end. */
export interface Fold {
  readonly start: number;
  readonly step: Step<Float64Array>;
  /** A second pass, which begins with 0: of what the first one found it makes the centres. */
  readonly again?: { readonly centre: (found: number) => number; readonly step: CentredStep };
  readonly finish?: (result: number, centre: number) => number;
}

/** How many elements are brought into working memory at once. */
const BLOCK = 512;

/**
 * A reduction by way of working memory: whatever the dtype, its steps see one class of array. A run of elements is
 * either all of one result or one each of neighbouring results, whichever lie closer together.
 */
abstract class BlockReduction extends Reduction {
  add(m: number, n: number, at: number, stride: number, inner: number): void {
    if (m >= 8 && Math.abs(stride) < Math.abs(inner)) {
      for (let j = 0; j < n; j++) this.take(0, m, 1, at + j * inner, stride);
      return;
    }
    for (let i = 0; i < m; i++) {
      for (let j = 0; j < n; j += BLOCK) {
        this.take(i, 1, Math.min(BLOCK, n - j), at + i * stride + j * inner, inner);
      }
    }
  }

  /** Takes `n` elements into result `first`, or one into each of `m`. */
  abstract take(first: number, m: number, n: number, at: number, stride: number): void;
}

class NumberFold extends BlockReduction {
  readonly held: Float64Array = rowScratch(SUMS);
  readonly block: Float64Array = rowScratch(BLOCK, 1);
  readonly centres: Float64Array = rowScratch(SUMS, 2);
  readonly fold: Fold;
  readonly load: LoadRow;
  readonly unload: LoadRow;
  pass = 0;
  constructor(kernel: string, out: Operand, input: Operand, fold: Fold) {
    super(out, input, fold.again === undefined ? 1 : 2);
    this.fold = fold;
    this.load = rowOf(kernel, loadRows, input.dtype);
    this.unload = rowOf(kernel, unloadRows, out.dtype);
  }

  begin(m: number, pass: number): void {
    const { held, centres, fold } = this;
    this.pass = pass;
    if (pass === 0) {
      held.fill(fold.start, 0, m);
      return;
    }
    for (let i = 0; i < m; i++) centres[i] = fold.again!.centre(held[i]!);
    held.fill(0, 0, m);
  }

  take(first: number, m: number, n: number, at: number, stride: number): void {
    const { fold, held, block } = this;
    this.load(m * n, block, this.input.data, at, stride);
    if (this.pass === 0) fold.step(m, n, held, first, block);
    else fold.again!.step(m, n, held, first, block, this.centres);
  }

  end(m: number, outAt: number, outStride: number): void {
    const { held, centres, fold } = this;
    const { finish } = fold;
    if (finish !== undefined) for (let i = 0; i < m; i++) held[i] = finish(held[i]!, centres[i]!);
    this.unload(m, held, this.out.data, outAt, outStride);
  }
}

class IntegerFold extends BlockReduction {
  readonly held: BigInt64Array = wideSumScratch();
  readonly block: BigInt64Array = wideRowScratch(BLOCK);
  readonly start: bigint;
  readonly step: Step<BigInt64Array>;
  readonly flip: bigint;
  readonly load: WideLoadRow;
  readonly unload: WideLoadRow;
  constructor(kernel: string, out: Operand, input: Operand, start: bigint, step: Step<BigInt64Array>, flip: bigint) {
    super(out, input, 1);
    this.start = start;
    this.step = step;
    this.flip = flip;
    this.load = rowOf(kernel, loadWideRows, input.dtype);
    this.unload = rowOf(kernel, unloadWideRows, out.dtype);
  }

  begin(m: number): void {
    this.held.fill(this.start, 0, m);
  }

  take(first: number, m: number, n: number, at: number, stride: number): void {
    this.load(m * n, this.block, this.input.data, at, stride, this.flip);
    this.step(m, n, this.held, first, this.block);
  }

  end(m: number, outAt: number, outStride: number): void {
    this.unload(m, this.held, this.out.data, outAt, outStride, this.flip);
  }
}

/** Reduces elements as float64, each result rounded once. */
export function foldNumbers(kernel: string, out: Operand, input: Operand, fold: Fold): void {
  new NumberFold(kernel, out, input, fold).run();
}

/** Reduces elements as int64. With `flip` the highest bit is turned, so that uint64 compare as they should. */
export function foldIntegers(
  kernel: string,
  out: Operand,
  input: Operand,
  start: bigint,
  step: Step<BigInt64Array>,
  flip = 0n,
): void {
  new IntegerFold(kernel, out, input, start, step, flip).run();
}
