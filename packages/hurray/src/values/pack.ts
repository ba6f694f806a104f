import { byteLengthOf, type ElementTypeName, elementTypeNamed } from "../elements.js";
import { HurrayValueError } from "../errors.js";
import { type ElementArray, type ElementArrays, entriesOf, newElements } from "./arrays.js";
import { packMany, unpackMany } from "./vectors.js";

/**
 * Unpacks `count` elements of a type, from element `first` of the bytes on: bits become bytes, whole bytes are copied.
 *
 * Unused bits of the bytes are ignored (R110). The result is a copy. Many elements are moved by vectors of WebAssembly, or
 * one by one on a host that has none.
 *
 * @throws RangeError `SW_HURRAY_VALUE` for a range that the bytes do not hold, or an `into` of another length.
 * @example
 * ```ts
 * import { unpackElements } from "@sw/hurray/values";
 * console.log(unpackElements("uint4", Uint8Array.of(0xc5, 0x03), 0, 3)); // Uint8Array(3) [ 5, 12, 3 ]
 * ```
 * @since 0.1.0
 */
export function unpackElements<T extends ElementTypeName>(
  type: T,
  bytes: Uint8Array,
  first: number,
  count: number,
  into?: ElementArrays[T],
): ElementArrays[T] {
  const operation = "unpackElements";
  requireRange(operation, type, bytes, first, count);
  const target = into ?? newElements(type, count);
  requireLength(operation, "into", target, count * entriesOf(type));
  const { bits } = elementTypeNamed(type);
  if (bits < 8) {
    unpackCodes(bits, isSigned(type), bytes, first, target as Uint8Array | Int8Array);
  } else {
    const width = bits / 8;
    bytesOf(target).set(bytes.subarray(first * width, (first + count) * width));
  }
  return target;
}

/**
 * Packs elements of a type into bytes, from element `first` of the bytes on. Neighbours that share a byte are kept, so
 * that unused bits of fresh bytes stay 0 (R110).
 *
 * Only the low bits of an element count, except for bool, where everything but 0 is true.
 *
 * @throws RangeError `SW_HURRAY_VALUE` when the bytes do not hold the range.
 * @example
 * ```ts
 * import { packElements } from "@sw/hurray/values";
 * const bytes = new Uint8Array(1);
 * packElements("bool", Uint8Array.of(1, 0, 1, 1, 0), bytes);
 * console.log(bytes); // Uint8Array(1) [ 13 ]
 * ```
 * @since 0.1.0
 */
export function packElements<T extends ElementTypeName>(
  type: T,
  elements: ElementArrays[T],
  into: Uint8Array,
  first = 0,
): void {
  const operation = "packElements";
  const count = elements.length / entriesOf(type);
  if (!Number.isInteger(count)) requireLength(operation, "elements", elements, Math.floor(count) * entriesOf(type));
  requireRange(operation, type, into, first, count);
  const { bits } = elementTypeNamed(type);
  if (bits < 8) packCodes(bits, elements as Uint8Array | Int8Array, into, first);
  else into.set(bytesOf(elements), (first * bits) / 8);
}

/** Reads the code of one packed element: any width below 8. */
export function codeAt(bits: number, bytes: Uint8Array, index: number): number {
  const at = index * bits;
  const byte = Math.floor(at / 8);
  // Only a 6-bit element reaches into a second byte, which its group of three has.
  return (((bytes[byte]! | (bytes[byte + 1]! << 8)) >> (at - byte * 8)) & ((1 << bits) - 1)) >>> 0;
}

/** The bytes that elements lie in. */
export function bytesOf(elements: ArrayBufferView): Uint8Array {
  return new Uint8Array(elements.buffer, elements.byteOffset, elements.byteLength);
}

/** Writes the code of one packed element: any width below 8. */
export function setCode(bits: number, bytes: Uint8Array, index: number, code: number): void {
  const at = index * bits;
  const byte = Math.floor(at / 8);
  const shift = at - byte * 8;
  const mask = ((1 << bits) - 1) << shift;
  const value = (code << shift) & mask;
  bytes[byte] = (bytes[byte]! & ~mask) | value;
  if (mask > 0xff) bytes[byte + 1] = (bytes[byte + 1]! & ~(mask >> 8)) | (value >> 8);
}

/** Whether codes of a packed type have a sign, which is extended where they get a byte of their own. */
export function isSigned(type: ElementTypeName): boolean {
  return type === "int2" || type === "int4";
}

/** By how much a code is shifted up and down again, which extends its sign. */
export function signShift(bits: number, signed: boolean): number {
  return signed ? 32 - bits : 0;
}

/** Unpacks any width below 8 without looking whether the bytes are there. */
export function unpackCodes(
  bits: number,
  signed: boolean,
  bytes: Uint8Array,
  first: number,
  target: Uint8Array | Int8Array,
): void {
  const shift = signShift(bits, signed);
  const head = headOf(first, target.length);
  for (let i = 0; i < head; i++) target[i] = (codeAt(bits, bytes, first + i) << shift) >> shift;
  const from = ((first + head) / 8) * bits;
  const done = head + unpackMany(bits, signed, bytes.subarray(from), bytesOf(target.subarray(head)));
  for (let i = done; i < target.length; i++) target[i] = (codeAt(bits, bytes, first + i) << shift) >> shift;
}

/** Packs any width below 8 without looking whether there is room. */
export function packCodes(bits: number, elements: Uint8Array | Int8Array, bytes: Uint8Array, first: number): void {
  const one = bits === 1 ? (value: number) => (value === 0 ? 0 : 1) : (value: number) => value;
  const head = headOf(first, elements.length);
  for (let i = 0; i < head; i++) setCode(bits, bytes, first + i, one(elements[i]!));
  const from = ((first + head) / 8) * bits;
  const done = head + packMany(bits, bytesOf(elements.subarray(head)), bytes.subarray(from));
  for (let i = done; i < elements.length; i++) setCode(bits, bytes, first + i, one(elements[i]!));
}

/** Elements before the first that begins with a byte, as every eighth does. */
function headOf(first: number, count: number): number {
  return Math.min(count, (8 - (first % 8)) % 8);
}

function requireRange(operation: string, type: ElementTypeName, bytes: Uint8Array, first: number, count: number): void {
  const whole = Number.isSafeInteger(first) && Number.isSafeInteger(count) && first >= 0 && count >= 0;
  const needed = whole ? byteLengthOf(elementTypeNamed(type).bits, BigInt(first) + BigInt(count)) : undefined;
  if (needed !== undefined && (count === 0 || needed <= bytes.byteLength)) return;
  const problem = `the bytes do not hold these elements of type ${type}`;
  const given = `elements ${first} to ${first + count} in ${bytes.byteLength} bytes`;
  throw new HurrayValueError(operation, "first", problem, given, `a range of at most ${bytes.byteLength} bytes`);
}

function requireLength(operation: string, what: string, array: ElementArray, length: number): void {
  if (array.length === length) return;
  throw new HurrayValueError(operation, what, `${what} has another length`, array.length, `${length}`);
}
