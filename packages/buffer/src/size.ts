import { type BufferErrorCode, BufferSizeError } from "./errors.js";

/** Every block and every buffer starts on a multiple of this. */
export const ALIGNMENT = 64;

/** The largest buffer there is (OneModel section 6). */
export const MAX_BUFFER_BYTES = 0x7fff_ffff;

/** Checks the byte length of a request, before anything is allocated. */
export function checkByteLength(operation: string, byteLength: number): void {
  // True for exactly the integers of 0 to 2³¹−1: the one comparison that the warm path pays.
  if ((byteLength | 0) === byteLength && byteLength >= 0) return;
  checkInteger("SW_BUFFER_SIZE", operation, "byteLength", byteLength, 0, MAX_BUFFER_BYTES);
}

/** Checks that a number is an integer within limits. */
export function checkInteger(
  code: BufferErrorCode,
  operation: string,
  name: string,
  value: number,
  minimum: number,
  maximum: number,
): void {
  if (!Number.isInteger(value)) {
    const got = typeof value === "number" ? String(value) : typeof value;
    throw new TypeError(
      `${operation}: ${name} is not an integer: got ${got}, expected an integer of ${minimum} to ${maximum}.`,
    );
  }
  if (value < minimum || value > maximum) {
    throw new BufferSizeError(code, operation, name, value, minimum, maximum);
  }
}

/** Rounds up to whole 64-byte lines, at least one. Exact beyond 2³², where bit operations would wrap. */
export function alignUp(byteLength: number): number {
  return byteLength === 0 ? ALIGNMENT : Math.ceil(byteLength / ALIGNMENT) * ALIGNMENT;
}
