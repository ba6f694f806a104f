import { byteLengthOf, type ElementTypeName, elementTypeNamed } from "../elements.js";
import { HurrayValueError } from "../errors.js";
import { type ElementArray, type ElementArrays, entriesOf, newElements, windowOf } from "./arrays.js";

/**
 * Unpacks `count` elements of a type, from element `first` of the bytes on: bits become bytes, whole bytes are copied.
 *
 * Eight elements are moved at a time. Unused bits of the bytes are ignored (R110). The result is a copy.
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
  const phase = first % 8;
  if (phase !== 0 || target.byteOffset % 4 !== 0) {
    // Blocks start at a whole block and go to whole words: elsewhere they go through an array that begins so.
    const whole = new Int8Array(phase + target.length);
    unpackCodes(bits, signed, bytes, first - phase, whole);
    target.set(whole.subarray(phase));
    return;
  }
  const blocks = Math.floor(target.length / 8);
  const words = new Uint32Array(target.buffer, target.byteOffset, blocks * 2);
  const from = (first / 8) * bits;
  if (bits === 1) spread1(bytes, from, words);
  else if (bits === 2) spread2(bytes, from, words, signed ? 0xfc : 0);
  else if (bits === 4) spread4(bytes, from, words, signed ? 0xf0 : 0);
  else spread6(bytes, from, words);
  const shift = signShift(bits, signed);
  for (let i = blocks * 8; i < target.length; i++) target[i] = (codeAt(bits, bytes, first + i) << shift) >> shift;
}

// Widths are 1, 2, 4 and 6. Eight elements of width B are B bytes: the block that these loops move.
// Four elements become the four bytes of a word. Shifted copies of the bits overlap only where a mask cuts them off.

function spread1(bytes: Uint8Array, from: number, words: Uint32Array): void {
  for (let i = 0, at = from; i < words.length; i += 2, at++) {
    const byte = bytes[at]!;
    words[i] = Math.imul(byte & 15, 0x204081) & 0x01010101;
    words[i + 1] = Math.imul(byte >> 4, 0x204081) & 0x01010101;
  }
}

/** `sign` is what a byte with its sign bit set gets in front: 0 for unsigned types. */
function spread2(bytes: Uint8Array, from: number, words: Uint32Array, sign: number): void {
  for (let i = 0, at = from; i < words.length; i++, at++) {
    const byte = bytes[at]!;
    const word = (byte | (byte << 6) | (byte << 12) | (byte << 18)) & 0x03030303;
    words[i] = word | Math.imul((word >>> 1) & 0x01010101, sign);
  }
}

function spread4(bytes: Uint8Array, from: number, words: Uint32Array, sign: number): void {
  for (let i = 0, at = from; i < words.length; i++, at += 2) {
    const pair = bytes[at]! | (bytes[at + 1]! << 16);
    const word = (pair | (pair << 4)) & 0x0f0f0f0f;
    words[i] = word | Math.imul((word >>> 3) & 0x01010101, sign);
  }
}

function spread6(bytes: Uint8Array, from: number, words: Uint32Array): void {
  for (let i = 0, at = from; i < words.length; i++, at += 3) {
    const b = bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16);
    words[i] = (b & 0x3f) | ((b & 0xfc0) << 2) | ((b & 0x3f000) << 4) | ((b & 0xfc0000) << 6);
  }
}

/** Packs any width below 8 without looking whether there is room. */
export function packCodes(bits: number, elements: Uint8Array | Int8Array, bytes: Uint8Array, first: number): void {
  const one = bits === 1 ? (value: number) => (value === 0 ? 0 : 1) : (value: number) => value;
  const head = Math.min(elements.length, (8 - (first % 8)) % 8);
  for (let i = 0; i < head; i++) setCode(bits, bytes, first + i, one(elements[i]!));
  const blocks = Math.floor((elements.length - head) / 8);
  const end = head + blocks * 8;
  const body = elements.subarray(head, end);
  const words = windowOf("uint32", bytesOf(body));
  const from = ((first + head) / 8) * bits;
  if (bits === 1) join1(words, bytes, from);
  else if (bits === 2) join2(words, bytes, from);
  else if (bits === 4) join4(words, bytes, from);
  else join6(words, bytes, from);
  for (let i = end; i < elements.length; i++) setCode(bits, bytes, first + i, one(elements[i]!));
}

function join1(words: Uint32Array, bytes: Uint8Array, from: number): void {
  for (let i = 0, at = from; i < words.length; i += 2, at++) {
    bytes[at] = nibbleOf(words[i]!) | (nibbleOf(words[i + 1]!) << 4);
  }
}

/** One bit for each byte that is not 0: adding 7F carries into bit 7 of any such byte, and into no other. */
function nibbleOf(word: number): number {
  const ones = ((((word & 0x7f7f7f7f) + 0x7f7f7f7f) | word) >>> 7) & 0x01010101;
  return (Math.imul(ones, 0x01020408) >>> 24) & 15;
}

function join2(words: Uint32Array, bytes: Uint8Array, from: number): void {
  for (let i = 0, at = from; i < words.length; i++, at++) {
    const w = words[i]! & 0x03030303;
    bytes[at] = w | (w >>> 6) | (w >>> 12) | (w >>> 18);
  }
}

function join4(words: Uint32Array, bytes: Uint8Array, from: number): void {
  for (let i = 0, at = from; i < words.length; i++, at += 2) {
    const w = words[i]! & 0x0f0f0f0f;
    bytes[at] = w | (w >>> 4);
    bytes[at + 1] = (w >>> 16) | (w >>> 20);
  }
}

function join6(words: Uint32Array, bytes: Uint8Array, from: number): void {
  for (let i = 0, at = from; i < words.length; i++, at += 3) {
    const w = words[i]!;
    const b = (w & 0x3f) | ((w & 0x3f00) >>> 2) | ((w & 0x3f0000) >>> 4) | ((w & 0x3f000000) >>> 6);
    bytes[at] = b;
    bytes[at + 1] = b >>> 8;
    bytes[at + 2] = b >>> 16;
  }
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
