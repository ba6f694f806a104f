import type { Block } from "./rows.js";

// Working memory of the kernels, made when it is first needed and then kept: a kernel that has run once with the
// same extents allocates nothing. No kernel calls another one, so a piece is in use by one call at a time.

/** How many sums a reduction carries at once. */
export const SUMS = 256;

const rows: Float64Array[] = [];
let wideSums: BigInt64Array | undefined;
let wideRow: BigInt64Array | undefined;
let indices: Int32Array | undefined;
const orders: Int32Array[] = [];
const floatBlocks: Block[] = [];
const intBlocks: Block[] = [];

/** Lends `n` float64 for one row, with anything in them; `which` tells rows apart that are in use together. */
export function rowScratch(n: number, which = 0): Float64Array {
  const row = rows[which];
  if (row !== undefined && row.length >= n) return row;
  const longer = new Float64Array(grown(n));
  rows[which] = longer;
  return longer;
}

/** Lends `n` 64-bit integers for one row, with anything in them. */
export function wideRowScratch(n: number): BigInt64Array {
  if (wideRow === undefined || wideRow.length < n) wideRow = new BigInt64Array(grown(n));
  return wideRow;
}

/** Lends `n` positions, with anything in them; `which` tells apart those that are in use together. */
export function orderScratch(n: number, which: number): Int32Array {
  const order = orders[which];
  if (order !== undefined && order.length >= n) return order;
  const longer = new Int32Array(grown(n));
  orders[which] = longer;
  return longer;
}

/** Lends `SUMS` 64-bit integer sums, with anything in them. */
export function wideSumScratch(): BigInt64Array {
  wideSums ??= new BigInt64Array(SUMS);
  return wideSums;
}

/** Lends `n` indices, with anything in them. */
export function indexScratch(n: number): Int32Array {
  if (indices === undefined || indices.length < n) indices = new Int32Array(grown(n));
  return indices;
}

/** Lends the block of an operand, by its position among the operands, with anything in it. */
export function blockScratch(dtype: "float64" | "int32", position: number, length: number): Block {
  const held = dtype === "float64" ? floatBlocks : intBlocks;
  const block = held[position] ?? (dtype === "float64" ? new Float64Array(length) : new Int32Array(length));
  held[position] = block;
  return block;
}

/** A little more than asked for, so that slowly growing rows do not allocate every time. */
function grown(n: number): number {
  return Math.max(64, n + (n >> 2));
}
