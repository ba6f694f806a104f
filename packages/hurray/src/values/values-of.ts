import { rowMajor, strided } from "@sw/layout";
import { forEachRun } from "@sw/layout/walk";
import type { StoredComposite, StoredItem } from "../stored.js";
import { adderOf } from "./add.js";
import { type ElementArray, newElements, unpackedBits } from "./arrays.js";
import { rowMajorStrides } from "./cells.js";
import { converted, type Head, headOf, isSparseTensor } from "./composite.js";
import { type Copy, wordCopier } from "./copy.js";
import { bytesOf } from "./pack.js";
import { sparseIndex } from "./sparse/lookup.js";
import { checkSize, storedValues, tensorValues, type Values, type ValuesOptions } from "./tensor-values.js";

/**
 * Gives the values of any item in row-major order: of any layout, sparse and paged ones included, dequantised, the members
 * of a partition in their places, the corrections of an overlay applied. The data is checked first (`checkData`).
 *
 * Shares the bytes of a row-major tensor that is aligned and not packed; all other results are new arrays.
 *
 * @throws HurrayFormatError for data or members that break a rule.
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` when the elements would take more than `maximumBytes`; nothing is allocated then.
 * @throws HurrayUnsupportedError for groups, private layouts, types and schemes, dynamic and opaque descriptors, and other
 * devices than the CPU.
 * @throws RangeError `SW_HURRAY_VALUE` for buffers or token counts that do not fit.
 * @example
 * ```ts
 * import { quantize, valuesOf } from "@sw/hurray/values";
 * const q = quantize(Float32Array.of(0, 1, 2, 3), [2, 2], { scheme: "perTensor", storage: "uint2" });
 * console.log(q.buffers, valuesOf(q).elements); // [ Uint8Array(1) [ 228 ] ] Float32Array(4) [ 0, 1, 2, 3 ]
 * ```
 * @since 0.1.0
 */
export function valuesOf(item: StoredItem, options: ValuesOptions = {}): Values {
  return itemValues("valuesOf", item, options);
}

function itemValues(operation: string, item: StoredItem, options: ValuesOptions): Values {
  return "members" in item ? compositeValues(operation, item, options) : tensorValues(operation, item, options);
}

/** The values of partitions and overlays. @throws as `valuesOf`. */
function compositeValues(operation: string, item: StoredComposite, options: ValuesOptions): Values {
  const head = headOf(operation, item);
  const { type, shape } = head;
  const elements = newElements(type, checkSize(operation, unpackedBits(type), item.descriptor.shape, options));
  item.members.forEach((member, k) => {
    // The base of an overlay spans the head, so that it replaces all.
    const combine = k === 0 ? "replace" : head.combine;
    apply(operation, member, head, combine, elements, options);
  });
  return { type, shape, elements, shared: false };
}

/** Puts a member into its place in the head. */
function apply(
  operation: string,
  member: StoredItem,
  head: Head,
  combine: "replace" | "add",
  target: ElementArray,
  options: ValuesOptions,
): void {
  const { type } = head;
  const strides = rowMajorStrides(head.shape);
  const origin = member.descriptor.shard!.offset.reduce((sum, at, k) => sum + Number(at) * strides[k]!, 0);
  const copyOf = (source: ElementArray): Copy =>
    combine === "add"
      ? adderOf(operation, type, source, target)
      : wordCopier(unpackedBits(type), bytesOf(source), bytesOf(target));
  if (head.isOverlay && isSparseTensor(member)) {
    // Only what is stored replaces; to add nothing changes nothing (A16).
    const values = storedValues(operation, member);
    const copy = copyOf(converted(type, values.type, values.elements));
    const places = sparseIndex(operation, member).ordinals(strides);
    for (let i = 0; i < places.length; i++) copy(i, 1, origin + places[i]!, 1, 1);
    return;
  }
  const values = itemValues(operation, member, options);
  const { shape } = values;
  if (shape.includes(0)) return;
  const copy = copyOf(converted(type, values.type, values.elements));
  forEachRun([rowMajor(shape), strided(shape, strides)], (starts, steps, count) => {
    copy(starts[0]!, steps[0]!, origin + starts[1]!, steps[1]!, count);
  });
}
