import type { DescriptorLayout } from "../../descriptor/types.js";
import type { StoredTensor } from "../../stored.js";
import { requireCoordinate } from "../address.js";
import { type Fail, integersOf } from "../integers.js";
import { dataError, requireTensor, unsupportedLayout } from "../stored-tensor.js";
import { readCompressed } from "./compressed.js";
import { readCoo } from "./coo.js";
import { readCsf } from "./csf.js";
import type { SparseIndex, SparseSource } from "./sparse-index.js";

export type SparseLayout = Extract<DescriptorLayout, { kind: "coo" | "csr" | "csc" | "csf" }>;

const known = new WeakMap<StoredTensor, SparseIndex>();

export function isSparse(layout: DescriptorLayout): layout is SparseLayout {
  return layout.kind === "coo" || layout.kind === "csr" || layout.kind === "csc" || layout.kind === "csf";
}

/**
 * Gives the place in buffer 0 of an element of a sparse tensor; `undefined` where nothing is stored, which means zero.
 *
 * The indices are checked at the first call (R100 to R107), and remembered as numbers, as long as they are, with the
 * tensor. A lookup searches in halves; unsorted COO too.
 *
 * @throws TypeError, RangeError `SW_HURRAY_VALUE` for what is no coordinate of the tensor, or no sparse tensor.
 * @throws HurrayFormatError `SW_HURRAY_DATA_INVALID` for indices that break a rule.
 * @since 0.1.0
 */
export function sparsePosition(t: StoredTensor, coordinate: readonly number[]): number | undefined {
  const operation = "sparsePosition";
  const index = sparseIndex(operation, t);
  requireCoordinate(operation, t.descriptor.shape.map(Number), coordinate);
  return index.position(coordinate);
}

/**
 * Reads and checks the indices of a sparse tensor, once.
 *
 * @throws as `sparsePosition`.
 */
export function sparseIndex(operation: string, item: StoredTensor): SparseIndex {
  const present = known.get(item);
  if (present !== undefined) return present;
  const t = requireTensor(operation, item);
  const { layout } = t.descriptor;
  if (!isSparse(layout)) throw unsupportedLayout(operation, t.descriptor, `layout ${layout.kind}`);
  const fail: Fail = (rule, buffer, index, problem, given, expected) => {
    throw dataError(operation, rule, buffer, index * 8, problem, given, expected);
  };
  const source: SparseSource = {
    shape: t.descriptor.shape.map(Number),
    nnz: Number(layout.nnz),
    integers: (buffer, count) => integersOf(64, t.buffers[buffer]!, count),
    room: (buffer) => Math.floor(t.buffers[buffer]!.byteLength / 8),
    fail,
  };
  const index = readIndex(layout, source);
  known.set(t, index);
  return index;
}

function readIndex(layout: SparseLayout, source: SparseSource): SparseIndex {
  if (layout.kind === "coo") return readCoo(source, layout.isSorted);
  return layout.kind === "csf" ? readCsf(source, layout.modeOrder) : readCompressed(source, layout.kind);
}
