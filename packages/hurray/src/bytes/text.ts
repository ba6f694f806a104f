import { HurrayValueError } from "../errors.js";

let decoder: TextDecoder | undefined;

/** Reads UTF-8, or gives `undefined` where the bytes are not UTF-8. A byte order mark is an ordinary character. */
export function decodeText(bytes: Uint8Array): string | undefined {
  decoder ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Tells whether bytes are UTF-8, as `decodeText` does, and makes nothing. */
export function isText(bytes: Uint8Array, start: number, end: number): boolean {
  for (let k = start; k < end; ) {
    const lead = bytes[k++]!;
    if (lead < 0x80) continue;
    const more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
    if (lead < 0xc2 || lead > 0xf4 || k + more > end) return false;
    let point = lead & (0x3f >> more);
    for (const stop = k + more; k < stop; k++) {
      if (bytes[k]! >> 6 !== 2) return false;
      point = (point << 6) | (bytes[k]! & 0x3f);
    }
    const isOverlong = point < 1 << (5 * more + 1);
    const isSurrogate = point >> 11 === 0x1b;
    if (isOverlong || isSurrogate || point > 0x10ffff) return false;
  }
  return true;
}

/**
 * Writes text as UTF-8.
 *
 * @throws HurrayValueError `SW_HURRAY_VALUE` for text with half a surrogate pair, which UTF-8 cannot hold.
 */
export function encodeText(text: string, operation: string, field: string): Uint8Array {
  if (typeof text !== "string") {
    throw new TypeError(`${operation}: ${field} is not text: got ${typeof text}, expected a string.`);
  }
  if (/\p{Surrogate}/u.test(text)) {
    throw new HurrayValueError(
      operation,
      field,
      `${field} is no well-formed text`,
      JSON.stringify(text),
      "whole characters",
    );
  }
  return new TextEncoder().encode(text);
}

/** Compares bytes, or stretches of them, as unsigned numbers, shorter first: negative, zero or positive. */
export function compareBytes(
  a: Uint8Array,
  b: Uint8Array,
  aStart = 0,
  aEnd: number = a.byteLength,
  bStart = 0,
  bEnd: number = b.byteLength,
): number {
  const length = Math.min(aEnd - aStart, bEnd - bStart);
  for (let k = 0; k < length; k++) {
    const difference = a[aStart + k]! - b[bStart + k]!;
    if (difference !== 0) return difference;
  }
  return aEnd - aStart - (bEnd - bStart);
}
