/**
 * A vector of the format: bytes, and what is to come of them. The fields are those of the manifest of all vectors.
 *
 * @since 0.1.0
 */
export interface FormatVector {
  readonly id: string;
  readonly kind: string;
  /** As hexadecimal digits, where the vector carries them. */
  readonly bytes: string;
  /** What is read of it, in the words of the manifest. */
  readonly expect?: unknown;
  /** The byte address of each element, the last axis fastest. */
  readonly addresses?: readonly number[];
  /** Of a refusal: the rule that is broken, which a candidate need not name. */
  readonly rule?: string;
  /** Of changed bytes: `[offset, new byte, what the reference did, what a strict reader does]`. */
  readonly rows?: readonly (readonly [offset: number, byte: number, reference: string, strict?: string])[];
}

/** Reads vectors that stand one a line, as JSON. */
export function linesOf<T>(text: string): readonly T[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as T);
}

/** Turns hexadecimal digits into bytes, in memory of their own. */
export function bytesOf(digits: string): Uint8Array {
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16));
}

/** Writes bytes as hexadecimal digits. */
export function digitsOf(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
