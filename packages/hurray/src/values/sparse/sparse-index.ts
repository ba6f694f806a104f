import type { Fail } from "../integers.js";

/** Where the elements of a sparse tensor are, its indices read and checked. */
export interface SparseIndex {
  /** How many elements are stored. */
  readonly nnz: number;
  /** The place in buffer 0 of a coordinate inside the shape; `undefined` where nothing is stored. */
  position(coordinate: readonly number[]): number | undefined;
  /** The row-major ordinal of every stored element, in the order of buffer 0; `strides` are the row-major ones. */
  ordinals(strides: readonly number[]): Float64Array;
}

/** What the readers of the layouts have at hand. */
export interface SparseSource {
  readonly shape: readonly number[];
  readonly nnz: number;
  /** Integers of a buffer, from its start. The buffer is known to hold them, but in CSF. */
  integers(buffer: number, count: number): Float64Array;
  /** How many integers a buffer has room for. */
  room(buffer: number): number;
  readonly fail: Fail;
}
