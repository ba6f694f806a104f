import type { DescriptorLayout } from "../../descriptor/types.js";
import { elementTypeNamed } from "../../elements.js";
import { HurrayValueError } from "../../errors.js";
import type { StoredItem, StoredTensor } from "../../stored.js";
import { unpackedBits } from "../arrays.js";
import { bytesOf } from "../pack.js";
import type { ValuesOptions } from "../tensor-values.js";
import { valuesOf } from "../values-of.js";
import { tensorOf } from "../write.js";
import { denseEntries, levelsOf, nonZeroCells, type SparseKind, sorted, sparseBuffers } from "./entries.js";

/** How a sparse tensor is made. @since 0.1.0 */
export interface ToSparseOptions extends ValuesOptions {
  /** Of CSF, the dimension that each level stores; 0, 1, 2, … when absent. */
  readonly modeOrder?: readonly number[];
}

/**
 * Makes a sparse tensor of the values of any item: everything is stored that is not zero bit for bit, so that nothing is
 * lost, a negative zero neither.
 *
 * COO is sorted. A quantised item becomes float32.
 *
 * @throws RangeError `SW_HURRAY_VALUE` for a rank that the layout does not have (CSR and CSC: 2, CSF: 3 or more, COO: 1 or
 * more), or a `modeOrder` that is no permutation.
 * @throws as `valuesOf`.
 * @example
 * ```ts
 * import { store } from "@sw/hurray";
 * import { sparsePosition, toSparse } from "@sw/hurray/values";
 * import { tensor } from "@sw/tensor";
 * const coo = toSparse(store(tensor([[0, 5], [0, 7]])), "coo");
 * console.log(sparsePosition(coo, [1, 1]), sparsePosition(coo, [1, 0])); // 1 undefined
 * ```
 * @since 0.1.0
 */
export function toSparse(item: StoredItem, kind: SparseKind, options: ToSparseOptions = {}): StoredTensor {
  const operation = "toSparse";
  const rank = item.descriptor.shape.length;
  const modeOrder = requireOrder(operation, kind, rank, options.modeOrder);
  const { type, shape, elements } = valuesOf(item, options);
  const cells = bytesOf(elements);
  const entries = sorted(denseEntries(nonZeroCells(unpackedBits(type), cells), shape), modeOrder);
  const nnz = BigInt(entries.cells.length);
  const layout: DescriptorLayout =
    kind === "coo" ? { kind, nnz, isSorted: true } : kind === "csf" ? { kind, nnz, modeOrder } : { kind, nnz };
  const buffers = sparseBuffers(kind, modeOrder, shape, entries, elementTypeNamed(type).bits, cells);
  return tensorOf(operation, type, shape, layout, buffers);
}

function requireOrder(
  operation: string,
  kind: SparseKind,
  rank: number,
  given: readonly number[] | undefined,
): readonly number[] {
  const allowed = kind === "coo" ? rank >= 1 : kind === "csf" ? rank >= 3 : rank === 2;
  if (!allowed) throw new HurrayValueError(operation, "kind", `${kind} has another rank`, rank, RANKS[kind]);
  const order = levelsOf(kind, rank, given);
  const isPermutation = order.length === rank && [...order].sort((a, b) => a - b).every((mode, k) => mode === k);
  if (isPermutation) return order;
  const expected = `each of 0 to ${rank - 1} once`;
  throw new HurrayValueError(operation, "modeOrder", "the order of the dimensions is none", `[${order}]`, expected);
}

const RANKS = { coo: "1 or more", csr: "2", csc: "2", csf: "3 or more" } as const;
