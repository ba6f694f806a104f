import type { Operand } from "@sw/tensor/seam";
import { rowOf } from "./driver.js";
import { KernelIndexError } from "./errors.js";
import { addRows, indexRows, moveRows } from "./generated/indexing.js";
import type { RouteRow } from "./rows.js";
import { indexScratch } from "./scratch.js";
import { turn } from "./turn.js";

// Kernels that indices lead along one axis, `ints[0]`. Indices are int32 or int64, from 0 up to the extent of that axis,
// and are all looked at before the first element is written. Elements that move keep their bits, NaN and -0 included.
// The output shares no element with another operand.

/**
 * Writes `out[…, i, …] = x[…, index[…, i, …], …]`. `index` has the extents of the output, and `x` those of the output but
 * along the axis.
 * Source: ONNX, `GatherElements`.
 *
 * @throws KernelIndexError `SW_KERNELS_INDEX`; nothing has been written then.
 */
export function gather(outputs: readonly Operand[], inputs: readonly Operand[], ints: readonly number[]): void {
  const [x, index] = inputs as readonly [Operand, Operand];
  const axis = ints[0]!;
  checkIndices("gather", index, x.shape[axis]!);
  route(moveRows, "gather", index, outputs[0]!, 0, still(x, axis), x.strides[axis]!);
}

/**
 * Writes `out[…, index[…, i, …], …] = source[…, i, …]` and leaves the other elements as they are. `index` has the extents
 * of the source, and the output those of the source but along the axis. Where indices name an element twice, the last
 * in row-major order wins.
 * Source: ONNX, `ScatterElements`.
 *
 * @throws KernelIndexError `SW_KERNELS_INDEX`; nothing has been written then.
 */
export function scatter(outputs: readonly Operand[], inputs: readonly Operand[], ints: readonly number[]): void {
  const [index, source] = inputs as readonly [Operand, Operand];
  const out = outputs[0]!;
  const axis = ints[0]!;
  checkIndices("scatter", index, out.shape[axis]!);
  route(moveRows, "scatter", index, still(out, axis), out.strides[axis]!, source, 0);
}

/**
 * Adds `out[…, index[…, i, …], …] += source[…, i, …]`, with extents as `scatter`. In row-major order of the source, each
 * addition rounded to the dtype as it is stored: values as in `add`.
 * Source: ONNX, `ScatterElements`.
 *
 * @throws KernelIndexError `SW_KERNELS_INDEX`; nothing has been written then.
 */
export function scatterAdd(outputs: readonly Operand[], inputs: readonly Operand[], ints: readonly number[]): void {
  const [index, source] = inputs as readonly [Operand, Operand];
  const out = outputs[0]!;
  const axis = ints[0]!;
  checkIndices("scatterAdd", index, out.shape[axis]!);
  route(addRows, "scatterAdd", index, still(out, axis), out.strides[axis]!, source, 0);
}

/**
 * Writes `out[…, i, …] = x[…, index[i], …]` for a list of indices, as long as the output's axis.
 * Source: NumPy, `take`.
 *
 * @throws KernelIndexError `SW_KERNELS_INDEX`; nothing has been written then.
 */
export function indexSelect(outputs: readonly Operand[], inputs: readonly Operand[], ints: readonly number[]): void {
  const [x, index] = inputs as readonly [Operand, Operand];
  const out = outputs[0]!;
  const axis = ints[0]!;
  checkIndices("indexSelect", index, x.shape[axis]!);
  route(moveRows, "indexSelect", across(index, out.shape, axis), out, 0, still(x, axis), x.strides[axis]!);
}

/**
 * Adds `out[…, index[i], …] += source[…, i, …]` for a list of indices, as long as the source's axis. In row-major order of
 * the source, each addition rounded to the dtype as it is stored: values as in `add`.
 * Source: PyTorch, `index_add`.
 *
 * @throws KernelIndexError `SW_KERNELS_INDEX`; nothing has been written then.
 */
export function indexAdd(outputs: readonly Operand[], inputs: readonly Operand[], ints: readonly number[]): void {
  const [index, source] = inputs as readonly [Operand, Operand];
  const out = outputs[0]!;
  const axis = ints[0]!;
  checkIndices("indexAdd", index, out.shape[axis]!);
  route(addRows, "indexAdd", across(index, source.shape, axis), still(out, axis), out.strides[axis]!, source, 0);
}

/** An operand that stands still along an axis: there the indices lead it. */
function still(o: Operand, axis: number): Operand {
  return { ...o, strides: o.strides.map((stride, a) => (a === axis ? 0 : stride)) };
}

/** A list of indices along one axis of a shape, repeated along the others. */
function across(index: Operand, shape: readonly number[], axis: number): Operand {
  return { ...index, shape, strides: shape.map((_, a) => (a === axis ? index.strides[0]! : 0)) };
}

/** Looks at every index, row-major, before a kernel writes. */
function checkIndices(kernel: string, index: Operand, extent: number): void {
  const { data, shape, strides } = index;
  const last = shape.length - 1;
  const n = shape[last]!;
  const stride = strides[last]!;
  const check = rowOf(kernel, indexRows, index.dtype);
  const indices = indexScratch(n);
  let before = 0;
  turn(last, [index], ([at]) => {
    const bad = check(n, extent, Number.NaN, indices, data, at!, stride);
    if (bad >= 0) throw new KernelIndexError(kernel, before + bad, data[at! + bad * stride]!, extent);
    before += n;
  });
}

/**
 * Moves or adds every element of the loops, which are those of `index`. An index is read once for a line of elements
 * along which it stays the same, and lines of indices once as long as they do.
 *
 * @param ra - how far an index leads in `r`; 0 where it leads in `x`.
 * @param xa - how far it leads in `x`.
 */
function route(
  rows: { readonly [D in Operand["dtype"]]?: RouteRow },
  kernel: string,
  index: Operand,
  r: Operand,
  ra: number,
  x: Operand,
  xa: number,
): void {
  if (index.shape.includes(0)) return;
  const row = rowOf(kernel, rows, r.dtype);
  const load = rowOf(kernel, indexRows, index.dtype);
  const last = index.shape.length - 1;
  const n = index.shape[last]!;
  const along = index.strides[last]!;
  const step = along === 0 ? 0 : 1;
  const indices = indexScratch(n);
  let held = -1;
  turn(last, [index, r, x], (at) => {
    const from = at[0]!;
    if (from !== held) load(step === 0 ? 1 : n, Number.POSITIVE_INFINITY, Number.NaN, indices, index.data, from, along);
    held = from;
    row(n, indices, step, r.data, at[1]!, r.strides[last]!, ra, x.data, at[2]!, x.strides[last]!, xa);
  });
}
