import { describe } from "@sw/layout";
import { TensorValueError } from "../errors.js";
import type { CompoundTensor } from "./compound-tensor.js";
import { isStorageDType, STORAGE, type StorageDType } from "./storage.js";

/**
 * How values are made of several parts. A type is a value: whoever has another one passes it to the same functions.
 * @since 0.1.0
 */
export interface CompoundType {
  readonly name: string;
  /** The storage dtype of each part: what is quantised, its scales, and so on. */
  readonly parts: readonly StorageDType[];
  /** Storage dtypes of parts that a tensor may have beyond those: zero points. */
  readonly optional?: readonly StorageDType[];
  /** The value of each bit pattern of the first part, where it is not the storage dtype's own, as for NF4. */
  readonly table?: Float32Array;
  /** Checks that a tensor of the type passes when it is made, and each view of it. They throw. */
  readonly rules: readonly ((compound: CompoundTensor) => void)[];
  /** How `quantize` makes the parts; without one, tensors of the type are only read. */
  readonly encoder?: (zeroPoints: boolean) => BlockEncoder;
}

/** How the elements of one block become bit patterns. @since 0.1.0 */
export interface BlockEncoder {
  /**
   * Chooses scale and zero point of a block by its least and its greatest element; both are finite float32. The part of
   * the scales must hold the scale exactly, or nearly: elements are encoded by what it holds.
   */
  fit(low: number, high: number): { readonly scale: number; readonly zero: number };
  /** The bit pattern of an element, in the lowest bits of an integer. */
  encode(element: number, scale: number, zero: number): number;
}

/** The storage dtypes of a tensor of so many parts (default: the most); `undefined` where the type has another number. */
export function partDTypes(
  type: CompoundType,
  count: number = type.parts.length + (type.optional?.length ?? 0),
): readonly StorageDType[] | undefined {
  const all = [...type.parts, ...(type.optional ?? [])];
  return count >= type.parts.length && count <= all.length ? all.slice(0, count) : undefined;
}

/**
 * Checks that a value is a type of several parts.
 *
 * @throws TypeError when it is not; TensorValueError `SW_TENSOR_PARTS` for one without parts, or whose table has another
 * number of entries than the first part has bit patterns.
 */
export function checkType(operation: string, type: unknown): asserts type is CompoundType {
  const t = type as CompoundType | null | undefined;
  const dtypes = [t?.parts, t?.optional ?? []].map((list) => Array.isArray(list) && list.every(isStorageDType));
  if (typeof t?.name !== "string" || !Array.isArray(t.rules) || dtypes.includes(false)) {
    throw new TypeError(
      `${operation}: not a type of several parts: got ${describe(type)}, expected { name, parts, rules }.`,
    );
  }
  const [first] = t.parts;
  const patterns = first === undefined ? 0 : 2 ** STORAGE[first].bits;
  if (first !== undefined && (t.table === undefined || (t.table.length === patterns && patterns <= 256))) return;
  throw new TensorValueError(
    "SW_TENSOR_PARTS",
    `${operation}: the type ${t.name} cannot be: got ${first === undefined ? "no parts" : `a table of ${t.table?.length} values`}, expected ${first === undefined ? "one at least" : `one for each of ${patterns} bit patterns, at most 256`}.`,
    { given: t.table?.length ?? 0, expected: patterns },
  );
}
