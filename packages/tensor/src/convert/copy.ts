import type { Operand } from "../backend.js";
import { DTYPES, type TypedArray } from "../dtype.js";
import { type BlockPlace, isRun, walkBlocks } from "./blocks.js";

/**
 * Memory seen as integers, so that no element passes through a floating-point register, where a
 * signalling NaN would change. Elements of eight bytes are two words.
 */
export type ElementBits =
  | { readonly width: 1; readonly bits: Uint8Array }
  | { readonly width: 2; readonly bits: Uint16Array }
  | { readonly width: 4; readonly bits: Int32Array }
  | { readonly width: 8; readonly bits: Int32Array };

/** From this many columns on, a call of `set` or `fill` per row costs less than a loop. */
const LONG_ROW = 48;
/** Side of the tiles in which a transposed block is copied: 32 rows of 32 elements stay in the first cache. */
const TILE = 32;

/**
 * Copies elements of one dtype bit for bit, for any strides (0 and negative included).
 *
 * Shapes and dtypes must be equal. Where `out` and `input` overlap in memory the order of the writes
 * shows; a caller that needs a snapshot copies through memory of its own. Source: OneModel, section 5.
 */
export function copyInto(out: Operand, input: Operand): void {
  copyElements(out, input, DTYPES[out.dtype].byteLength);
}

/** Copies the bits of elements of equal width, whatever their dtypes; otherwise as `copyInto`. */
export function copyElements(out: Operand, input: Operand, byteLength: number): void {
  walkBlocks(out, input, { out: elementBits(out.data, byteLength), input: elementBits(input.data, byteLength) }, step);
}

function step(
  job: { readonly out: ElementBits; readonly input: ElementBits },
  out: BlockPlace,
  input: BlockPlace,
  rows: number,
  columns: number,
): void {
  copyBlock(job.out, out, job.input, input, rows, columns);
}

/** Views a typed array as the integers of its elements' width. */
export function elementBits(data: TypedArray, byteLength: number): ElementBits {
  const { buffer, byteOffset } = data;
  switch (byteLength) {
    case 1:
      return { width: 1, bits: new Uint8Array(buffer, byteOffset, data.length) };
    case 2:
      return { width: 2, bits: new Uint16Array(buffer, byteOffset, data.length) };
    case 4:
      return { width: 4, bits: new Int32Array(buffer, byteOffset, data.length) };
    default:
      return { width: 8, bits: new Int32Array(buffer, byteOffset, data.length * 2) };
  }
}

/** Copies one block between two memories of equal element width. */
export function copyBlock(
  out: ElementBits,
  outPlace: BlockPlace,
  input: ElementBits,
  inPlace: BlockPlace,
  rows: number,
  columns: number,
): void {
  const words = out.width === 8 ? 2 : 1;
  if (isRun(outPlace, rows, columns) && isRun(inPlace, rows, columns)) {
    copyRun(out.bits, outPlace.start * words, input.bits, inPlace.start * words, rows * columns * words);
    return;
  }
  if (columns >= LONG_ROW && outPlace.column === 1 && inPlace.column === 1) {
    for (let r = 0; r < rows; r++) {
      const o = (outPlace.start + r * outPlace.row) * words;
      copyRun(out.bits, o, input.bits, (inPlace.start + r * inPlace.row) * words, columns * words);
    }
    return;
  }
  if (columns >= LONG_ROW && outPlace.column === 1 && inPlace.column === 0) {
    for (let r = 0; r < rows; r++) {
      const o = (outPlace.start + r * outPlace.row) * words;
      fillRun(out.bits, o, input.bits, (inPlace.start + r * inPlace.row) * words, columns, words);
    }
    return;
  }
  const transposed = Math.abs(inPlace.row) < Math.abs(inPlace.column);
  const tileRows = transposed && rows > TILE && columns > TILE ? TILE : rows;
  const tileColumns = tileRows === TILE ? TILE : columns;
  for (let r = 0; r < rows; r += tileRows) {
    for (let c = 0; c < columns; c += tileColumns) {
      copyTile(out, outPlace, input, inPlace, r, Math.min(rows, r + tileRows), c, Math.min(columns, c + tileColumns));
    }
  }
}

/** Copies neighbouring elements by the host's own copy. The two arrays are of one class. */
function copyRun(
  out: Uint8Array | Uint16Array | Int32Array,
  o: number,
  input: Uint8Array | Uint16Array | Int32Array,
  i: number,
  n: number,
): void {
  if (n === 1) out[o] = input[i]!;
  else out.set(input.subarray(i, i + n), o);
}

/** Repeats one element of one or two words over `n` neighbouring elements. */
function fillRun(
  out: Uint8Array | Uint16Array | Int32Array,
  o: number,
  input: Uint8Array | Uint16Array | Int32Array,
  i: number,
  n: number,
  words: number,
): void {
  if (words === 1) {
    out.fill(input[i]!, o, o + n);
    return;
  }
  out[o] = input[i]!;
  out[o + 1] = input[i + 1]!;
  for (let filled = 2; filled < 2 * n; filled *= 2) {
    out.copyWithin(o + filled, o, o + Math.min(filled, 2 * n - filled));
  }
}

/** Copies rows `r0…r1` and columns `c0…c1` of a block element by element, in row-major order. */
function copyTile(
  out: ElementBits,
  outPlace: BlockPlace,
  input: ElementBits,
  inPlace: BlockPlace,
  r0: number,
  r1: number,
  c0: number,
  c1: number,
): void {
  const o = outPlace.start + r0 * outPlace.row + c0 * outPlace.column;
  const i = inPlace.start + r0 * inPlace.row + c0 * inPlace.column;
  const rows = r1 - r0;
  const columns = c1 - c0;
  const oc = outPlace.column;
  const ic = inPlace.column;
  switch (out.width) {
    case 1:
      copyTile1(out.bits, o, outPlace.row, oc, input.bits as Uint8Array, i, inPlace.row, ic, rows, columns);
      return;
    case 2:
      copyTile2(out.bits, o, outPlace.row, oc, input.bits as Uint16Array, i, inPlace.row, ic, rows, columns);
      return;
    case 4:
      copyTile4(out.bits, o, outPlace.row, oc, input.bits as Int32Array, i, inPlace.row, ic, rows, columns);
      return;
    case 8:
      copyTile8(out.bits, o, outPlace.row, oc, input.bits as Int32Array, i, inPlace.row, ic, rows, columns);
      return;
  }
}

// One loop text per element width: a loop that meets several array classes is many times slower for all of them.

function copyTile1(
  out: Uint8Array,
  outStart: number,
  outRow: number,
  outColumn: number,
  input: Uint8Array,
  inStart: number,
  inRow: number,
  inColumn: number,
  rows: number,
  columns: number,
): void {
  for (let r = 0; r < rows; r++) {
    let o = outStart + r * outRow;
    let i = inStart + r * inRow;
    for (let c = 0; c < columns; c++) {
      out[o] = input[i]!;
      o += outColumn;
      i += inColumn;
    }
  }
}

function copyTile2(
  out: Uint16Array,
  outStart: number,
  outRow: number,
  outColumn: number,
  input: Uint16Array,
  inStart: number,
  inRow: number,
  inColumn: number,
  rows: number,
  columns: number,
): void {
  for (let r = 0; r < rows; r++) {
    let o = outStart + r * outRow;
    let i = inStart + r * inRow;
    for (let c = 0; c < columns; c++) {
      out[o] = input[i]!;
      o += outColumn;
      i += inColumn;
    }
  }
}

function copyTile4(
  out: Int32Array,
  outStart: number,
  outRow: number,
  outColumn: number,
  input: Int32Array,
  inStart: number,
  inRow: number,
  inColumn: number,
  rows: number,
  columns: number,
): void {
  for (let r = 0; r < rows; r++) {
    let o = outStart + r * outRow;
    let i = inStart + r * inRow;
    for (let c = 0; c < columns; c++) {
      out[o] = input[i]!;
      o += outColumn;
      i += inColumn;
    }
  }
}

function copyTile8(
  out: Int32Array,
  outStart: number,
  outRow: number,
  outColumn: number,
  input: Int32Array,
  inStart: number,
  inRow: number,
  inColumn: number,
  rows: number,
  columns: number,
): void {
  for (let r = 0; r < rows; r++) {
    let o = 2 * (outStart + r * outRow);
    let i = 2 * (inStart + r * inRow);
    for (let c = 0; c < columns; c++) {
      out[o] = input[i]!;
      out[o + 1] = input[i + 1]!;
      o += 2 * outColumn;
      i += 2 * inColumn;
    }
  }
}
