import { elementBits, layoutTag } from "../descriptor/descriptor.js";
import { entryOf, kindOfTag } from "../descriptor/layouts.js";
import { storageShape } from "../descriptor/schemes.js";
import type { Descriptor, DescriptorLayout } from "../descriptor/types.js";
import { byteSpanOf } from "../elements.js";
import { HurrayFormatError, HurrayLimitError, HurrayUnsupportedError, HurrayValueError } from "../errors.js";
import { countOption } from "../number-option.js";
import type { StoredTensor } from "../stored.js";
import { windowOf } from "./arrays.js";
import { cellReader, cellWidth, gather, isDense, rowMajorStrides, scatter } from "./cells.js";
import { checkDataOf } from "./check-data.js";
import { hasLayout, type LayoutTarget, placed, targetOf } from "./layout-target.js";
import { gatherSlots, slotsOf } from "./paged.js";
import { parameterAt, parametersOf } from "./parameters.js";
import {
  cellsWhere,
  denseEntries,
  type Entries,
  indexBytes,
  levelsOf,
  nonZeroCells,
  sorted,
  sparseBuffers,
  storedEntries,
} from "./sparse/entries.js";
import { isSparse, type SparseLayout, sparseIndex } from "./sparse/lookup.js";
import { requireTensor, requireType } from "./stored-tensor.js";
import { checkSize, type ValuesOptions } from "./tensor-values.js";

/**
 * Brings a tensor into another layout: dense and sparse ones into each other, block-paged ones into both. The element type
 * stays, and so do all bits, NaN payloads and private types included; so do the scheme of a quantised tensor with its
 * parameters, the shard and the statistics.
 *
 * A tensor that has the layout already is given back itself. From dense to sparse everything is stored that is not zero
 * bit for bit, or, in a quantised tensor, is not the zero point (whose value is a negative zero where the scale is below 0);
 * from sparse to sparse everything that was. Buffers of the result may be those of the tensor: the parameters always are.
 *
 * @throws TypeError for what is no layout.
 * @throws HurrayFormatError for data that breaks a rule, and layouts that the shape does not have (R25, R28, R30, R31, …).
 * @throws RangeError `SW_HURRAY_VALUE` for composites, layouts that put elements into one place, nested tiles that do not
 * divide, Morton codes with holes, and tokens that do not fit.
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` when the elements, or the buffers made of them, would take more than
 * `maximumBytes`; nothing of that size is allocated then.
 * @throws HurrayUnsupportedError `SW_HURRAY_LAYOUT_UNSUPPORTED` into block-paged, composite and private layouts, from opaque
 * ones, and between sparse and dense for corrections of an overlay; `SW_HURRAY_TYPE_UNSUPPORTED` between sparse and dense
 * for types whose zero is not known; `SW_HURRAY_QUANTISED_UNSUPPORTED` for private schemes and parameters of page slots;
 * `SW_HURRAY_DEVICE_UNSUPPORTED`, `SW_HURRAY_DYNAMIC_UNSUPPORTED`.
 * @example
 * ```ts
 * import { store } from "@sw/hurray";
 * import { relayout, valueAt } from "@sw/hurray/values";
 * import { arange } from "@sw/tensor";
 * const t = store(arange(16).reshape([4, 4]));
 * const curve = relayout(t, { kind: "hilbert" });
 * console.log(curve.descriptor.layout, valueAt(curve, [2, 3])); // { kind: 'hilbert', order: 2 } 11
 * console.log(relayout(curve, { kind: "csr" }).descriptor.layout); // { kind: 'csr', nnz: 15n }
 * ```
 * @since 0.1.0
 */
export function relayout(item: StoredTensor, to: LayoutTarget, options: ValuesOptions = {}): StoredTensor {
  const operation = "relayout";
  const t = requireTensor(operation, item);
  const layout = targetOf(operation, t.descriptor, to);
  if (hasLayout(operation, t.descriptor, layout)) return t;
  checkDataOf(operation, t);
  return isSparse(layout) ? sparseFrom(operation, t, layout, options) : denseFrom(operation, t, layout, options);
}

/**
 * Tells whether `relayout` can bring a tensor into some layout of a tag, by its descriptor alone: what peers agree on before
 * any data is sent. Of block-paged tensors it says no, since they need token counts beside.
 *
 * @throws TypeError for what is no descriptor.
 * @since 0.1.0
 */
export function canRelayout(descriptor: Descriptor, tag: number): boolean {
  const { layout, opaque, buffers, shape } = descriptor;
  if (opaque === true || buffers.some(({ deviceTag }) => deviceTag !== 0)) return false;
  const kind = kindOfTag(tag);
  const isSame = layoutTag(descriptor) === tag;
  if (layout.kind === "blockPaged" && !isSame) return false;
  const tile = shape.map(() => 1n);
  const to = kind === "tiled" ? { kind, tile, outer: "rowMajor", inner: "rowMajor" } : { kind };
  try {
    targetOf("canRelayout", descriptor, (isSame ? layout : to) as LayoutTarget);
    return isSparse(layout) && !isSparse({ kind } as DescriptorLayout) ? hasZero(descriptor, Number(layout.nnz)) : true;
  } catch (error) {
    const refusals = [HurrayUnsupportedError, HurrayFormatError, HurrayValueError, HurrayLimitError];
    if (refusals.some((Refusal) => error instanceof Refusal)) return false;
    throw error;
  }
}

function denseFrom(operation: string, t: StoredTensor, layout: DescriptorLayout, options: ValuesOptions): StoredTensor {
  const { descriptor } = t;
  const { shape, quantisation } = descriptor;
  const bits = elementBits(descriptor)!;
  const { span, storesWholeBlocks } = entryOf(layout.kind);
  const whole = storesWholeBlocks ? storageShape(shape, quantisation) : shape;
  const { lowest, highest } = shape.includes(0n) ? { lowest: 0n, highest: -1n } : span!(layout, whole);
  const { start, end } = highest < lowest ? { start: 0n, end: 0n } : byteSpanOf(bits, lowest, highest);
  const size = end - start;
  checkBytes(operation, size, options);
  const result = placed(descriptor, layout, -start, [size]);
  const cells = cellsOf(operation, t, options);
  if (layout.kind === "rowMajor" && bits >= 8 && BigInt(cells.byteLength) === size) return withData(t, result, [cells]);
  const data = new Uint8Array(Number(size));
  scatter(operation, result, cells, data);
  return withData(t, result, [data]);
}

function sparseFrom(operation: string, t: StoredTensor, layout: SparseLayout, options: ValuesOptions): StoredTensor {
  const { descriptor } = t;
  const { kind } = layout;
  const shape = descriptor.shape.map(Number);
  const levels = levelsOf(kind, shape.length, layout.kind === "csf" ? layout.modeOrder : undefined);
  const { entries, cells } = entriesOf(operation, t, options);
  const nnz = entries.cells.length;
  checkBytes(operation, BigInt(indexBytes(kind, nnz, shape)), options);
  const buffers = sparseBuffers(kind, levels, shape, sorted(entries, levels), elementBits(descriptor)!, cells);
  const sizes = buffers.map(({ byteLength }) => BigInt(byteLength));
  return withData(t, placed(descriptor, { ...layout, nnz: BigInt(nnz) }, 0n, sizes), buffers);
}

/** The tensor with new buffers of the layout, and the parameters that it had. */
function withData(t: StoredTensor, descriptor: Descriptor, buffers: readonly Uint8Array[]): StoredTensor {
  const parameters = descriptor.buffers.length - buffers.length;
  const kept = t.buffers.slice(t.buffers.length - parameters);
  return { descriptor, buffers: [...buffers, ...kept] };
}

/** The elements that a sparse layout is to store, and the cells that they are among. */
function entriesOf(
  operation: string,
  t: StoredTensor,
  options: ValuesOptions,
): { readonly entries: Entries; readonly cells: Uint8Array } {
  const { descriptor, buffers } = t;
  const shape = descriptor.shape.map(Number);
  const bits = elementBits(descriptor)!;
  if (isSparse(descriptor.layout)) {
    const index = sparseIndex(operation, t);
    const cells = new Uint8Array(index.nnz * cellWidth(bits));
    cellReader(descriptor, bits, buffers[0]!, cells)(0, 1, 0, 1, index.nnz);
    return { entries: storedEntries(index, shape.length), cells };
  }
  const cells = cellsOf(operation, t, options);
  const zero = zeroOf(operation, t);
  if (zero === undefined) return { entries: denseEntries(nonZeroCells(cellWidth(bits) * 8, cells), shape), cells };
  const elements = windowOf(requireType(operation, descriptor), cells);
  const wanted = cellsWhere(elements.length, (i) => elements[i] !== zero(i));
  return { entries: denseEntries(wanted, shape), cells };
}

/** All elements of a tensor, in row-major order. */
function cellsOf(operation: string, t: StoredTensor, options: ValuesOptions): Uint8Array {
  const { descriptor, buffers } = t;
  const bits = elementBits(descriptor)!;
  const count = checkSize(operation, cellWidth(bits) * 8, descriptor.shape, options);
  if (isDense(descriptor)) return gather(operation, descriptor, buffers[0]!).cells;
  if (!isSparse(descriptor.layout)) return gatherSlots(t, slotsOf(operation, t, options.tokens), count);
  const index = sparseIndex(operation, t);
  if (!hasZero(descriptor, index.nnz)) {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_TYPE_UNSUPPORTED",
      `${operation}: the element type has no zero: got ${index.nnz} elements of ${count}, expected all of them. Keep it sparse.`,
      { typeTag: descriptor.typeTag },
    );
  }
  const cells = new Uint8Array(count * cellWidth(bits));
  const zero = zeroOf(operation, t);
  if (zero !== undefined) {
    const elements = windowOf(requireType(operation, descriptor), cells);
    for (let i = 0; i < count; i++) elements[i] = zero(i);
  }
  const copy = cellReader(descriptor, bits, buffers[0]!, cells);
  const ordinals = index.ordinals(rowMajorStrides(descriptor.shape.map(Number)));
  for (let i = 0; i < index.nnz; i++) copy(i, 1, ordinals[i]!, 1, 1);
  return cells;
}

const E8M0 = 0x42;

/** Whether what a sparse tensor does not store can be written: powers of two have no zero (R96). */
function hasZero({ typeTag, shape }: Descriptor, nnz: number): boolean {
  return typeTag !== E8M0 || BigInt(nnz) === shape.reduce((count, extent) => count * extent, 1n);
}

const NF4_ZERO = 7;

/** For each ordinal the stored element that stands for zero; `undefined` where that is the one without a bit. */
function zeroOf(operation: string, t: StoredTensor): ((ordinal: number) => number) | undefined {
  const { quantisation: q } = t.descriptor;
  if (q === undefined) return undefined;
  if (q.scheme === "nf4") return () => NF4_ZERO;
  const { zeroPoints, grid } = parametersOf(operation, t, q);
  if (zeroPoints === undefined) return undefined;
  return (ordinal) => zeroPoints[parameterAt(grid, ordinal)]!;
}

function checkBytes(operation: string, bytes: bigint, options: ValuesOptions): void {
  const maximumBytes = countOption(operation, "maximumBytes", options.maximumBytes, 0, 2 ** 31 - 1);
  if (Number(bytes) <= maximumBytes) return;
  const expected = `at most ${maximumBytes}`;
  throw new HurrayLimitError(operation, "the bytes of a buffer", bytes, expected, "Set maximumBytes for more.");
}
