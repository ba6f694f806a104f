import type { HurraySource } from "./source.js";

/** The part of a `Blob` or `File` that is used. @since 0.1.0 */
export interface BlobLike {
  readonly size: number;
  slice(start: number, end: number): { arrayBuffer(): Promise<ArrayBuffer> };
}

/** Reads from a `Blob` or a `File`; only what is asked for is brought into memory. @since 0.1.0 */
export function blobSource(blob: BlobLike): HurraySource {
  return {
    byteLength: blob.size,
    slice: async (start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer()),
  };
}
