import type { HurraySource } from "./source.js";

/** Reads from bytes in memory; every slice is a window of them. @since 0.1.0 */
export function bytesSource(bytes: ArrayBufferView | ArrayBufferLike): HurraySource {
  const all = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  return { byteLength: all.byteLength, slice: (start, end) => all.subarray(start, end) };
}
