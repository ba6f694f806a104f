import type { Operand } from "@sw/tensor/seam";
import { rowOf } from "./driver.js";
import { lineRows, multiplyBlock, packRows, storeRows } from "./generated/matmul.js";
import type { LineRow, PackRow, StoreRow, TypedArray } from "./rows.js";
import { rowScratch } from "./scratch.js";

// The largest block of each operand that is worked on at once, in elements. `a` (64 by 512 float64, 256 KiB) stays in
// the second-level cache while the columns of `b` pass by; four columns of `b` (16 KiB) stay in the first. The sums
// of a block are float64 and live through all of the depth, so that blocking changes no rounding.
const ROWS = 64;
const COLUMNS = 256;
const DEPTH = 512;

let packedA: Float64Array | undefined;
let packedB: Float64Array | undefined;
let cells: Float64Array | undefined;

/** The extents and strides of one product of matrices, and its rows by dtype. */
interface Product {
  readonly m: number;
  readonly n: number;
  readonly k: number;
  readonly out: TypedArray;
  readonly outRow: number;
  readonly outColumn: number;
  readonly a: TypedArray;
  readonly aRow: number;
  readonly aDepth: number;
  readonly b: TypedArray;
  readonly bDepth: number;
  readonly bColumn: number;
  readonly pack: PackRow;
  readonly line: LineRow;
  readonly store: StoreRow;
}

/**
 * Writes the product of matrices `out[…, i, j] = sum over p of a[…, i, p] * b[…, p, j]`, for operands `[…batch, m, k]`
 * and `[…batch, k, n]` of any strides, of any float dtype.
 *
 * This is what *exact* means (OneModel section 9): each product is a float64, exact where the operands are narrower;
 * each sum is one float64 accumulator that starts from +0 and takes the products in the order of p; it is rounded
 * once, when it is stored. So the result depends on no stride and no block size, bit for bit. With `u` the unit
 * roundoff of float64 the error is below `k * u * sum |a * b|`, plus that one rounding.
 *
 * NaN and infinities spread as IEEE has them: nothing is skipped, `0 * Infinity` is NaN. A sum of no products (k = 0)
 * or of -0 alone is +0. The output overlaps neither input.
 */
export function matmul(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  const out = outputs[0]!;
  const a = inputs[0]!;
  const b = inputs[1]!;
  const batch = out.shape.length - 2;
  const m = out.shape[batch]!;
  const n = out.shape[batch + 1]!;
  const dtype = out.dtype;
  // Few columns and many rows are the transposed problem: few rows are cheap to do without packing.
  const transposed = n < 4 && n < m;
  const [left, right, row, column] = transposed ? [b, a, batch + 1, batch] : [a, b, batch, batch + 1];
  const product: Product = {
    m: transposed ? n : m,
    n: transposed ? m : n,
    k: a.shape[batch + 1]!,
    out: out.data,
    outRow: out.strides[row]!,
    outColumn: out.strides[column]!,
    a: left.data,
    aRow: left.strides[row]!,
    aDepth: left.strides[column]!,
    b: right.data,
    bDepth: right.strides[row]!,
    bColumn: right.strides[column]!,
    pack: rowOf("matmul", packRows, dtype),
    line: rowOf("matmul", lineRows, dtype),
    store: rowOf("matmul", storeRows, dtype),
  };
  if (m > 0 && n > 0) eachMatrix(product, batch, 0, out, out.offset, left, left.offset, right, right.offset);
}

/** Turns the batch loops from `level` inwards. */
function eachMatrix(
  product: Product,
  batch: number,
  level: number,
  out: Operand,
  outAt: number,
  a: Operand,
  aAt: number,
  b: Operand,
  bAt: number,
): void {
  if (level === batch) {
    if (product.m < 4) multiplyLines(product, outAt, aAt, bAt);
    else multiplyBlocks(product, outAt, aAt, bAt);
    return;
  }
  const os = out.strides[level]!;
  const as = a.strides[level]!;
  const bs = b.strides[level]!;
  for (let i = 0; i < out.shape[level]!; i++) {
    eachMatrix(product, batch, level + 1, out, outAt + i * os, a, aAt + i * as, b, bAt + i * bs);
  }
}

/** For few rows: one row of the output at a time, straight from the operands. */
function multiplyLines(x: Product, outAt: number, aAt: number, bAt: number): void {
  const sums = rowScratch(Math.min(x.n, LINE));
  for (let i = 0; i < x.m; i++) {
    for (let j = 0; j < x.n; j += LINE) {
      const n = Math.min(LINE, x.n - j);
      x.line(n, x.k, sums, x.a, aAt + i * x.aRow, x.aDepth, x.b, bAt + j * x.bColumn, x.bDepth, x.bColumn);
      x.store(1, n, sums, 0, x.out, outAt + i * x.outRow + j * x.outColumn, 0, x.outColumn);
    }
  }
}

/** Sums that `multiplyLines` carries at once: 16 KiB. */
const LINE = 2048;

/** Packs blocks of both operands into float64 panels of four lines and multiplies panel by panel. */
function multiplyBlocks(x: Product, outAt: number, aAt: number, bAt: number): void {
  const { m, n, k } = x;
  const width = Math.min(COLUMNS, fours(n));
  const depth = Math.min(DEPTH, k);
  packedA = atLeast(packedA, Math.min(ROWS, fours(m)) * depth);
  packedB = atLeast(packedB, width * depth);
  cells = atLeast(cells, Math.min(ROWS, fours(m)) * width);
  for (let j = 0; j < n; j += COLUMNS) {
    const columns = Math.min(COLUMNS, n - j);
    for (let i = 0; i < m; i += ROWS) {
      const rows = Math.min(ROWS, m - i);
      cells.fill(0, 0, fours(rows) * width);
      for (let p = 0; p < k; p += DEPTH) {
        const inner = Math.min(DEPTH, k - p);
        // With all of the depth in one block, the columns are packed already for the rows that follow.
        if (i === 0 || k > DEPTH) {
          x.pack(columns, inner, packedB, x.b, bAt + p * x.bDepth + j * x.bColumn, x.bColumn, x.bDepth);
        }
        x.pack(rows, inner, packedA, x.a, aAt + i * x.aRow + p * x.aDepth, x.aRow, x.aDepth);
        multiplyPanels(rows, columns, inner, packedA, packedB, cells, width);
      }
      x.store(rows, columns, cells, width, x.out, outAt + i * x.outRow + j * x.outColumn, x.outRow, x.outColumn);
    }
  }
}

function multiplyPanels(
  rows: number,
  columns: number,
  depth: number,
  a: Float64Array,
  b: Float64Array,
  c: Float64Array,
  width: number,
): void {
  for (let j = 0; j < columns; j += 4) {
    for (let i = 0; i < rows; i += 4) multiplyBlock(depth, a, i * depth, b, j * depth, c, i * width + j, width);
  }
}

/** Rounds up to a multiple of four. */
function fours(n: number): number {
  return (n + 3) & ~3;
}

function atLeast(held: Float64Array | undefined, length: number): Float64Array {
  return held === undefined || held.length < length ? new Float64Array(length) : held;
}
