import type { DescriptorLayout } from "../../descriptor/types.js";
import { byteLengthOf, type ElementTypeName, elementTypeNamed } from "../../elements.js";
import { HurrayValueError } from "../../errors.js";
import type { StoredItem, StoredTensor } from "../../stored.js";
import { type ElementArray, newElements, unpackedBits, wordsOf } from "../arrays.js";
import { wordCopier } from "../gather.js";
import { bytesOf, packElements } from "../pack.js";
import { rowMajorStrides, type ValuesOptions } from "../tensor-values.js";
import { valuesOf } from "../values-of.js";
import { tensorOf } from "../write.js";

/** The layouts of sparse tensors. @since 0.1.0 */
export type SparseKind = "coo" | "csr" | "csc" | "csf";

/** How a sparse tensor is made. @since 0.1.0 */
export interface ToSparseOptions extends ValuesOptions {
  /** Of CSF, the dimension that each level stores; 0, 1, 2, … when absent. */
  readonly modeOrder?: readonly number[];
}

/** Elements in the order in which a layout stores them, level by level. */
interface Entries {
  /** For each entry its place in the dense elements. */
  readonly ordinals: Float64Array;
  /** For each level the coordinate of each entry. */
  readonly levels: readonly Float64Array[];
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
  const entries = entriesOf(type, elements, shape, modeOrder);
  const nnz = BigInt(entries.ordinals.length);
  const layout: DescriptorLayout =
    kind === "coo" ? { kind, nnz, isSorted: true } : kind === "csf" ? { kind, nnz, modeOrder } : { kind, nnz };
  const stored = packStored(type, elements, entries.ordinals);
  return tensorOf(operation, type, shape, layout, [stored, ...indicesOf(kind, entries, shape)]);
}

function requireOrder(
  operation: string,
  kind: SparseKind,
  rank: number,
  given: readonly number[] | undefined,
): readonly number[] {
  const allowed = kind === "coo" ? rank >= 1 : kind === "csf" ? rank >= 3 : rank === 2;
  if (!allowed) throw new HurrayValueError(operation, "kind", `${kind} has another rank`, rank, RANKS[kind]);
  const order = kind === "csf" && given !== undefined ? given : Array.from({ length: rank }, (_, k) => k);
  if (kind === "csc") return [1, 0];
  const isPermutation = order.length === rank && [...order].sort((a, b) => a - b).every((mode, k) => mode === k);
  if (isPermutation) return order;
  const expected = `each of 0 to ${rank - 1} once`;
  throw new HurrayValueError(operation, "modeOrder", "the order of the dimensions is none", `[${order}]`, expected);
}

const RANKS = { coo: "1 or more", csr: "2", csc: "2", csf: "3 or more" } as const;

function entriesOf(
  type: ElementTypeName,
  elements: ElementArray,
  shape: readonly number[],
  modeOrder: readonly number[],
): Entries {
  const found = nonZero(type, elements);
  const strides = rowMajorStrides(shape);
  const coordinate = (ordinal: number, mode: number) => Math.floor(ordinal / strides[mode]!) % shape[mode]!;
  if (modeOrder.some((mode, k) => mode !== k)) {
    // The row-major order of the permuted dimensions.
    const weights = rowMajorStrides(modeOrder.map((mode) => shape[mode]!));
    const keyOf = (ordinal: number) =>
      modeOrder.reduce((key, mode, k) => key + coordinate(ordinal, mode) * weights[k]!, 0);
    found.sort((a, b) => keyOf(a) - keyOf(b));
  }
  return { ordinals: found, levels: modeOrder.map((mode) => found.map((ordinal) => coordinate(ordinal, mode))) };
}

/** The places of elements that are not zero, bit for bit. */
function nonZero(type: ElementTypeName, elements: ElementArray): Float64Array {
  const { words, perElement } = wordsOf(unpackedBits(type), bytesOf(elements));
  const found = new Float64Array(words.length / perElement);
  let count = 0;
  for (let i = 0; i < found.length; i++) {
    let bits = 0;
    for (let w = 0; w < perElement; w++) bits |= words[i * perElement + w]!;
    if (bits !== 0) found[count++] = i;
  }
  return found.slice(0, count);
}

function packStored(type: ElementTypeName, elements: ElementArray, ordinals: Float64Array): Uint8Array {
  const stored = newElements(type, ordinals.length);
  const copy = wordCopier(unpackedBits(type), bytesOf(elements), bytesOf(stored));
  for (let i = 0; i < ordinals.length; i++) copy(ordinals[i]!, 1, i, 1, 1);
  const packed = new Uint8Array(Number(byteLengthOf(elementTypeNamed(type).bits, BigInt(ordinals.length))));
  packElements(type, stored, packed);
  return packed;
}

function indicesOf(kind: SparseKind, { ordinals, levels }: Entries, shape: readonly number[]): Uint8Array[] {
  const nnz = ordinals.length;
  const rank = levels.length;
  if (kind === "coo") {
    const coordinates = new Float64Array(nnz * rank);
    levels.forEach((level, d) => {
      for (let i = 0; i < nnz; i++) coordinates[i * rank + d] = level[i]!;
    });
    return [u64s(coordinates)];
  }
  if (kind === "csf") return treeOf(levels, nnz).flatMap(({ pos, crd }) => [u64s(pos), u64s(crd)]);
  const slices = shape[kind === "csr" ? 0 : 1]!;
  const pointers = new Float64Array(slices + 1);
  for (const slice of levels[0]!) pointers[slice + 1] = pointers[slice + 1]! + 1;
  for (let slice = 0; slice < slices; slice++) pointers[slice + 1] = pointers[slice + 1]! + pointers[slice]!;
  return [u64s(levels[1]!), u64s(pointers)];
}

/** The levels of CSF: a node for each prefix of coordinates that differs from the one before. */
function treeOf(levels: readonly Float64Array[], nnz: number): { readonly pos: number[]; readonly crd: number[] }[] {
  const tree = levels.map((_, k) => ({ pos: k === 0 ? [0] : [], crd: [] as number[] }));
  for (let i = 0; i < nnz; i++) {
    const first = i === 0 ? 0 : levels.findIndex((level) => level[i] !== level[i - 1]);
    for (let k = first; k < levels.length; k++) {
      tree[k]!.crd.push(levels[k]![i]!);
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
