import { type BlobLike, blobSource } from "./blob.js";
import { bytesSource } from "./bytes.js";
import type { HurraySource } from "./source.js";

/** What a file can be opened from: bytes in memory, a `Blob`, or anything with two members. @since 0.1.0 */
export type HurrayInput = HurraySource | BlobLike | ArrayBufferView | ArrayBufferLike;

/** Gives what reads from an input, and `undefined` for what is none. */
export function trySourceOf(input: unknown): HurraySource | undefined {
  if (ArrayBuffer.isView(input)) return bytesSource(input);
  if (typeof input !== "object" || input === null) return undefined;
  if ("size" in input && "slice" in input) return blobSource(input as BlobLike);
  // Shared or not.
  if (Object.prototype.toString.call(input).endsWith("ArrayBuffer]")) return bytesSource(input as ArrayBuffer);
  return "byteLength" in input && "slice" in input ? (input as HurraySource) : undefined;
}

/** Gives what reads from an input. @throws TypeError for what cannot be read from. */
export function sourceOf(input: HurrayInput, operation: string): HurraySource {
  const source = trySourceOf(input);
  if (source !== undefined) return source;
  throw new TypeError(
    `${operation}: not something to read from: got ${input === null ? "null" : typeof input}, expected bytes, a Blob, or { byteLength, slice(start, end) }.`,
  );
}
