import type { StoredTensor } from "../stored.js";
import { gather, isDense } from "./cells.js";
import { pagesOf } from "./paged.js";
import { parametersOf } from "./parameters.js";
import { isSparse, sparseIndex } from "./sparse/lookup.js";
import { dataError, requireTensor } from "./stored-tensor.js";

/** How data is checked. @since 0.1.0 */
export interface CheckDataOptions {
  /** `"permissive"` passes over the indices of sparse and paged layouts (the rules marked P). */
  readonly mode?: "strict" | "permissive";
}

const sound = new WeakSet<StoredTensor>();

/**
 * Checks what the data of a tensor says, once: indices of sparse layouts (R100 to R107), page tables (R108, R109),
 * parameters of the quantisation and e8m0 elements (R96 to R98). `valuesOf` and `valueAt` call it first.
 *
 * No number of the data is trusted before it is compared with what its buffer holds. Parameters of page slots are checked
 * when their slot is read.
 *
 * @throws HurrayFormatError `SW_HURRAY_DATA_INVALID` with the rule, the buffer as `field`, and the byte in the buffer.
 * @throws RangeError `SW_HURRAY_VALUE` for buffers that are not those of the descriptor.
 * @since 0.1.0
 */
export function checkData(t: StoredTensor, options: CheckDataOptions = {}): void {
  checkDataOf("checkData", t, options.mode);
}

/** The same, for an operation of another name. @throws as `checkData`. */
export function checkDataOf(operation: string, item: StoredTensor, mode: "strict" | "permissive" = "strict"): void {
  if (sound.has(item)) return;
  const t = requireTensor(operation, item);
  const { layout, quantisation } = t.descriptor;
  if (mode === "strict" && isSparse(layout)) sparseIndex(operation, t);
  if (mode === "strict" && layout.kind === "blockPaged") pagesOf(operation, t);
  if (quantisation !== undefined && quantisation.scheme !== "private") parametersOf(operation, t, quantisation);
  if (t.descriptor.typeTag === E8M0) checkE8m0(operation, t);
  if (mode === "strict") sound.add(t);
}

/** The tag of `float8_e8m0`. */
export const E8M0 = 0x42;

/** R96, for every element of a dense tensor or a sparse one; what lies between them holds anything. */
export function checkE8m0(operation: string, t: StoredTensor): void {
  const { descriptor } = t;
  const { layout } = descriptor;
  if (!isDense(descriptor) && !isSparse(layout)) return;
  const [bytes] = t.buffers;
  const codes = isSparse(layout) ? bytes!.subarray(0, Number(layout.nnz)) : gather(operation, descriptor, bytes!).cells;
  const at = codes.findIndex((code) => code === 0 || code === 0xff);
  if (at >= 0) throw dataError(operation, "R96", 0, at, `element ${at} is no power of two`, codes[at], "1 to 254");
}
