import { byteLengthOf } from "../../elements.js";
import { wordsOf } from "../arrays.js";
import { rowMajorStrides } from "../cells.js";
import { wordCopier } from "../copy.js";
import { bytesOf, packCodes } from "../pack.js";
import type { SparseIndex } from "./sparse-index.js";

/** The layouts of sparse tensors. @since 0.1.0 */
export type SparseKind = "coo" | "csr" | "csc" | "csf";

/** The elements that a sparse tensor stores. */
export interface Entries {
  /** Which cell each one is. */
  readonly cells: Float64Array;
  /** Of each dimension, the coordinate of each element. */
  readonly coordinates: readonly Float64Array[];
}

/** The dimension that each level of a layout stores, the slowest first. */
export function levelsOf(kind: SparseKind, rank: number, modeOrder: readonly number[] | undefined): readonly number[] {
  if (kind === "csc") return [1, 0];
  return kind === "csf" && modeOrder !== undefined ? modeOrder : Array.from({ length: rank }, (_, k) => k);
}

/** The cells that are wanted, in row-major order, of a tensor that has all its elements. */
export function denseEntries(wanted: Float64Array, shape: readonly number[]): Entries {
  const strides = rowMajorStrides(shape);
  return {
    cells: wanted,
    coordinates: shape.map((extent, k) => wanted.map((ordinal) => Math.floor(ordinal / strides[k]!) % extent)),
  };
}

/** What a sparse tensor stores: its cells are those of buffer 0. */
export function storedEntries({ nnz, ordinals }: SparseIndex, rank: number): Entries {
  const unit = (k: number) => Array.from({ length: rank }, (_, d) => (d === k ? 1 : 0));
  return {
    cells: Float64Array.from({ length: nnz }, (_, i) => i),
    // The ordinals of a shape of one long dimension are its coordinates: exact for shapes of any size.
    coordinates: Array.from({ length: rank }, (_, k) => ordinals(unit(k))),
  };
}

/** Which cells are not zero, bit for bit. */
export function nonZeroCells(bits: number, cells: Uint8Array): Float64Array {
  const { words, perElement } = wordsOf(bits, cells);
  return cellsWhere(words.length / perElement, (i) => {
    for (let w = 0; w < perElement; w++) if (words[i * perElement + w] !== 0) return true;
    return false;
  });
}

/** The cells that pass a test. */
export function cellsWhere(count: number, isWanted: (cell: number) => boolean): Float64Array {
  let found = 0;
  for (let i = 0; i < count; i++) if (isWanted(i)) found++;
  const wanted = new Float64Array(found);
  for (let i = 0, at = 0; at < found; i++) if (isWanted(i)) wanted[at++] = i;
  return wanted;
}

/** Brings elements into the order of levels. */
export function sorted({ cells, coordinates }: Entries, levels: readonly number[]): Entries {
  const keys = levels.map((dimension) => coordinates[dimension]!);
  const compare = (a: number, b: number): number => {
    for (const key of keys) if (key[a] !== key[b]) return key[a]! - key[b]!;
    return 0;
  };
  const order = Uint32Array.from(cells, (_, i) => i);
  if (order.every((i) => i === 0 || compare(i - 1, i) < 0)) return { cells, coordinates };
  order.sort(compare);
  const inOrder = (values: Float64Array): Float64Array => values.map((_, i) => values[order[i]!]!);
  return { cells: inOrder(cells), coordinates: coordinates.map(inOrder) };
}

/** The buffers of a layout: the elements, packed as the format has them, then indices and pointers. */
export function sparseBuffers(
  kind: SparseKind,
  levels: readonly number[],
  shape: readonly number[],
  { cells: which, coordinates }: Entries,
  bits: number,
  cells: Uint8Array,
): Uint8Array[] {
  const keys = levels.map((dimension) => coordinates[dimension]!);
  return [pick(bits, cells, which), ...indicesOf(kind, keys, which.length, shape)];
}

/** How many bytes the indices of a layout take, at most. */
export function indexBytes(kind: SparseKind, nnz: number, shape: readonly number[]): number {
  const pointers = kind === "coo" ? 0 : kind === "csf" ? shape.length + 1 : shape[kind === "csr" ? 0 : 1]! + 1;
  const perElement = kind === "coo" ? shape.length : kind === "csf" ? 2 * shape.length - 1 : 1;
  return 8 * (nnz * perElement + pointers);
}

function pick(bits: number, cells: Uint8Array, which: Float64Array): Uint8Array {
  const picked = new Uint8Array((which.length * Math.max(8, bits)) / 8);
  const copy = wordCopier(Math.max(8, bits), cells, picked);
  for (let i = 0; i < which.length; i++) copy(which[i]!, 1, i, 1, 1);
  if (bits >= 8) return picked;
  const packed = new Uint8Array(Number(byteLengthOf(bits, BigInt(which.length))));
  packCodes(bits, picked, packed, 0);
  return packed;
}

function indicesOf(
  kind: SparseKind,
  keys: readonly Float64Array[],
  nnz: number,
  shape: readonly number[],
): Uint8Array[] {
  const rank = keys.length;
  if (kind === "coo") {
    const coordinates = new Float64Array(nnz * rank);
    keys.forEach((key, d) => {
      for (let i = 0; i < nnz; i++) coordinates[i * rank + d] = key[i]!;
    });
    return [u64s(coordinates)];
  }
  if (kind === "csf") return treeOf(keys, nnz).flatMap(({ pos, crd }) => [u64s(pos), u64s(crd)]);
  const slices = shape[kind === "csr" ? 0 : 1]!;
  const pointers = new Float64Array(slices + 1);
  for (const slice of keys[0]!) pointers[slice + 1] = pointers[slice + 1]! + 1;
  for (let slice = 0; slice < slices; slice++) pointers[slice + 1] = pointers[slice + 1]! + pointers[slice]!;
  return [u64s(keys[1]!), u64s(pointers)];
}

/** The levels of CSF: a node for each prefix of coordinates that differs from the one before. */
function treeOf(keys: readonly Float64Array[], nnz: number): { readonly pos: number[]; readonly crd: number[] }[] {
  const tree = keys.map((_, k) => ({ pos: k === 0 ? [0] : [], crd: [] as number[] }));
  for (let i = 0; i < nnz; i++) {
    const first = i === 0 ? 0 : keys.findIndex((key) => key[i] !== key[i - 1]);
    for (let k = first; k < keys.length; k++) {
      tree[k]!.crd.push(keys[k]![i]!);
      // The children of this node are what comes on the level below from now on.
      const below = tree[k + 1];
      below?.pos.push(below.crd.length);
    }
  }
  for (const level of tree) level.pos.push(level.crd.length);
  return tree;
}

function u64s(values: ArrayLike<number>): Uint8Array {
  const words = new Uint32Array(values.length * 2);
  for (let i = 0; i < values.length; i++) {
    words[i * 2] = values[i]!;
    words[i * 2 + 1] = Math.floor(values[i]! / 2 ** 32);
  }
  return bytesOf(words);
}
