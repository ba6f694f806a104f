import type { ElementTypeName } from "../elements.js";
import { type ElementArray, entriesOf } from "./arrays.js";
import { toNumbers } from "./numbers.js";

/** One element as JavaScript has it: 64-bit integers are bigints, bool is a boolean, complex numbers are pairs. @since 0.1.0 */
export type StoredNumber = number | bigint | boolean | readonly [number, number];

/** Reads element `index` of unpacked elements. */
export function storedNumberOf(type: ElementTypeName, elements: ElementArray, index: number): StoredNumber {
  const entries = entriesOf(type);
  const element = elements.subarray(index * entries, (index + 1) * entries);
  const [first] = element;
  if (typeof first === "bigint") return first;
  if (type === "bool") return first !== 0;
  const numbers = toNumbers(type, element);
  return type === "complex64" || type === "complex128" ? [numbers[0]!, numbers[1]!] : numbers[0]!;
}
