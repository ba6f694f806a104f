import type { Operand } from "@sw/tensor/seam";

/** The element types that operands have. */
export type DType = Operand["dtype"];

/** The arrays that operands have. */
export type TypedArray = Operand["data"];

/** A kernel's rows by dtype; a dtype without an entry is not taken. */
export type RowTable<Row> = { readonly [D in DType]?: Row };

// The types below are what the drivers see. Each generated row takes one typed-array class only; the table's
// dtype key is what makes the call safe. `…o` is an offset, `…s` a stride, both in elements.

/** One loop over two operands. The first is the output. */
export type TwoRow = (
  n: number,
  x: TypedArray,
  xo: number,
  xs: number,
  y: TypedArray,
  yo: number,
  ys: number,
  ints: readonly number[],
  floats: readonly number[],
) => void;

/** One loop over three operands. The first is the output; of `sgdMomentum` the first two are. */
export type ThreeRow = (
  n: number,
  x: TypedArray,
  xo: number,
  xs: number,
  y: TypedArray,
  yo: number,
  ys: number,
  z: TypedArray,
  zo: number,
  zs: number,
  ints: readonly number[],
  floats: readonly number[],
) => void;

/** One loop over four operands. The first is the output; of `adamStep` the first three are. */
export type FourRow = (
  n: number,
  x: TypedArray,
  xo: number,
  xs: number,
  y: TypedArray,
  yo: number,
  ys: number,
  z: TypedArray,
  zo: number,
  zs: number,
  w: TypedArray,
  wo: number,
  ws: number,
  ints: readonly number[],
  floats: readonly number[],
) => void;

/** Elements on their way, as numbers: float64 of any floats, int32 of integers of up to 32 signed bits and of bool. */
export type Block = Float64Array | Int32Array;

/** Brings a run of `n` elements into a block, or out of it; floats are rounded once there. */
export type BlockRow = (n: number, block: Block, a: TypedArray, ao: number, as: number) => void;

/** Brings `n` elements into working memory, as numbers; or from it, each rounded once. */
export type LoadRow = (n: number, held: Float64Array, a: TypedArray, ao: number, as: number) => void;

/** The same of 64-bit integers, `flip` being exclusively or-ed to each. */
export type WideLoadRow = (n: number, held: BigInt64Array, a: TypedArray, ao: number, as: number, flip: bigint) => void;

/** Adds `n` elements to each of `m` sums; `ms` leads from sum to sum, `ns` along one sum. */
export type SumRow = (
  m: number,
  n: number,
  sums: Float64Array | BigInt64Array,
  a: TypedArray,
  ao: number,
  ms: number,
  ns: number,
) => void;

/**
 * Copies `n` indices, and -1 for each that is `ignored` (NaN: for none); answers the position of the first that is
 * outside `[0, extent)`, or -1.
 */
export type IndexRow = (
  n: number,
  extent: number,
  ignored: number,
  to: Int32Array,
  a: TypedArray,
  ao: number,
  as: number,
) => number;

/**
 * Moves `n` elements of `x` to `r`, or adds them there. Each index, `step` apart in their list, leads by itself times
 * `ra` in the one and times `xa` in the other.
 */
export type RouteRow = (
  n: number,
  indices: Int32Array,
  step: number,
  r: TypedArray,
  ro: number,
  rs: number,
  ra: number,
  x: TypedArray,
  xo: number,
  xs: number,
  xa: number,
) => void;

/** Holds the negated element of each of `n` rows that its target picks, and 0 where that is -1. */
export type PickedRow = (
  n: number,
  targets: Int32Array,
  held: Float64Array,
  a: TypedArray,
  ao: number,
  ns: number,
  cs: number,
) => void;

/** Writes `n` rows of zeros, each with its share at its target, where that is not -1. */
export type SpreadRow = (
  n: number,
  classes: number,
  targets: Int32Array,
  shares: Float64Array,
  r: TypedArray,
  ro: number,
  ns: number,
  cs: number,
) => void;

/** Copies `lines` lines of `depth` elements into panels of four lines, depth outermost within a panel. */
export type PackRow = (
  lines: number,
  depth: number,
  to: Float64Array,
  a: TypedArray,
  ao: number,
  ls: number,
  ds: number,
) => void;

/** Multiplies one row of `depth` elements by `n` columns; `ds` leads along a column, `ns` from column to column. */
export type LineRow = (
  n: number,
  depth: number,
  c: Float64Array,
  a: TypedArray,
  ao: number,
  as: number,
  b: TypedArray,
  bo: number,
  ds: number,
  ns: number,
) => void;

/** Stores an `m` by `n` block of sums, each rounded once. */
export type StoreRow = (
  m: number,
  n: number,
  c: Float64Array,
  cs: number,
  r: TypedArray,
  ro: number,
  ms: number,
  ns: number,
) => void;
