import { HurrayValueError } from "../errors.js";

/** Reads UTF-8, or gives `undefined` where the bytes are not UTF-8. A byte order mark is an ordinary character. */
export function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
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

/** Compares bytes as unsigned numbers, shorter first: negative, zero or positive. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.byteLength, b.byteLength);
  for (let k = 0; k < length; k++) {
    const difference = a[k]! - b[k]!;
    if (difference !== 0) return difference;
  }
  return a.byteLength - b.byteLength;
}
