import { bfloat16ToNumber, halfToNumber, numberToBfloat16, numberToHalf, type Operand } from "@sw/tensor/seam";
import { rowOf } from "./driver.js";
import type { RowTable, TypedArray } from "./rows.js";

// Kernels over images read an element many times, and a window of it at a time. So they copy what they work on into
// dense float64 once, where one loop serves every dtype and every stride, and round their results when they store them.

/** Copies `n` elements into float64. `…o` is an offset, `…s` a stride, both in elements. */
export type LoadRow = (n: number, to: Float64Array, at: number, a: TypedArray, ao: number, as: number) => void;

/** Stores `n` float64, each rounded once. */
export type StoreRow = (n: number, from: Float64Array, at: number, r: TypedArray, ro: number, rs: number) => void;

function loadFloat32(n: number, to: Float64Array, at: number, a: Float32Array, ao: number, as: number): void {
  for (let i = 0; i < n; i++) to[at + i] = a[ao + i * as]!;
}

function loadFloat64(n: number, to: Float64Array, at: number, a: Float64Array, ao: number, as: number): void {
  for (let i = 0; i < n; i++) to[at + i] = a[ao + i * as]!;
}

function loadFloat16(n: number, to: Float64Array, at: number, a: Uint16Array, ao: number, as: number): void {
  for (let i = 0; i < n; i++) to[at + i] = halfToNumber(a[ao + i * as]!);
}

function loadBfloat16(n: number, to: Float64Array, at: number, a: Uint16Array, ao: number, as: number): void {
  for (let i = 0; i < n; i++) to[at + i] = bfloat16ToNumber(a[ao + i * as]!);
}

function storeFloat32(n: number, from: Float64Array, at: number, r: Float32Array, ro: number, rs: number): void {
  for (let i = 0; i < n; i++) r[ro + i * rs] = from[at + i]!;
}

function storeFloat64(n: number, from: Float64Array, at: number, r: Float64Array, ro: number, rs: number): void {
  for (let i = 0; i < n; i++) r[ro + i * rs] = from[at + i]!;
}

function storeFloat16(n: number, from: Float64Array, at: number, r: Uint16Array, ro: number, rs: number): void {
  for (let i = 0; i < n; i++) r[ro + i * rs] = numberToHalf(from[at + i]!);
}

function storeBfloat16(n: number, from: Float64Array, at: number, r: Uint16Array, ro: number, rs: number): void {
  for (let i = 0; i < n; i++) r[ro + i * rs] = numberToBfloat16(from[at + i]!);
}

export const loadRows: RowTable<LoadRow> = {
  float32: loadFloat32 as LoadRow,
  float64: loadFloat64 as LoadRow,
  float16: loadFloat16 as LoadRow,
  bfloat16: loadBfloat16 as LoadRow,
};

export const storeRows: RowTable<StoreRow> = {
  float32: storeFloat32 as StoreRow,
  float64: storeFloat64 as StoreRow,
  float16: storeFloat16 as StoreRow,
  bfloat16: storeBfloat16 as StoreRow,
};

/** Copies what an operand has at `offset` along its axes from `axis` on, row-major, to the start of `to`. */
export function load(kernel: string, o: Operand, axis: number, offset: number, to: Float64Array): void {
  walk(rowOf(kernel, loadRows, o.dtype), o, axis, offset, to, 0);
}

/** Stores `from`, row-major, along the axes from `axis` on of an operand's part at `offset`. */
export function store(kernel: string, o: Operand, axis: number, offset: number, from: Float64Array): void {
  walk(rowOf(kernel, storeRows, o.dtype), o, axis, offset, from, 0);
}

/** Calls a row for every turn of the loops between `axis` and the last axis. Answers where in `dense` it ended. */
function walk(row: LoadRow, o: Operand, axis: number, offset: number, dense: Float64Array, start: number): number {
  const { shape, strides } = o;
  const rank = shape.length;
  if (axis >= rank - 1) {
    const n = axis === rank - 1 ? shape[axis]! : 1;
    row(n, dense, start, o.data, offset, axis === rank - 1 ? strides[axis]! : 0);
    return start + n;
  }
  let at = start;
  for (let i = 0; i < shape[axis]!; i++) at = walk(row, o, axis + 1, offset + i * strides[axis]!, dense, at);
  return at;
}

/** The dense copies of one call; no kernel calls another one. */
const held: (Float64Array | undefined)[] = [];

/** Lends `n` float64, with anything in them. Different `slot`s are different memory; a slot is kept for the next call. */
export function plane(slot: number, n: number): Float64Array {
  const found = held[slot];
  if (found !== undefined && found.length >= n) return found;
  const made = new Float64Array(Math.max(64, n));
  held[slot] = made;
  return made;
}
