import type { Block } from "./rows.js";

// Working memory of the kernels, made when it is first needed and then kept: a kernel that has run once with the
// same extents allocates nothing. No kernel calls another one, so a piece is in use by one call at a time.

/** How many sums a reduction carries at once. */
export const SUMS = 256;

let row: Float64Array | undefined;
let sums: Float64Array | undefined;
let wideSums: BigInt64Array | undefined;
let targets: Int32Array | undefined;
const floatBlocks: Block[] = [];
const intBlocks: Block[] = [];

/** Lends `n` float64 for one row, with anything in them. */
export function rowScratch(n: number): Float64Array {
  if (row === undefined || row.length < n) row = new Float64Array(grown(n));
  return row;
}

/** Lends `SUMS` float64 sums, with anything in them. */
export function sumScratch(): Float64Array {
  sums ??= new Float64Array(SUMS);
  return sums;
}

/** Lends `SUMS` 64-bit integer sums, with anything in them. */
export function wideSumScratch(): BigInt64Array {
  wideSums ??= new BigInt64Array(SUMS);
  return wideSums;
}

/** Lends `n` class numbers, with anything in them. */
export function targetScratch(n: number): Int32Array {
  if (targets === undefined || targets.length < n) targets = new Int32Array(grown(n));
  return targets;
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
