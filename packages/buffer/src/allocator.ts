import type { DataBuffer } from "./data-buffer.js";
import type { MemorySource } from "./memory-source.js";

/** How a buffer is wanted. @since 0.1.0 */
export interface AllocateOptions {
  /** Fills the buffer with zeros; otherwise its contents are unspecified. */
  readonly zero?: boolean;
  /**
   * Tells a pool that the buffer is the output of an operation, and may lie outside of the pool's own memory when
   * that is under pressure. Without it the buffer lies in the source, or the request is refused.
   */
  readonly transient?: boolean;
}

/** Who gives buffers and takes them back: a `BufferPool`, an `Arena`, the owner of wrapped memory. @since 0.1.0 */
export interface Allocator {
  /** Where its memory comes from. A buffer names its own source, which may differ. */
  readonly source: MemorySource;
  /**
   * Gives a buffer of exactly `byteLength` bytes, live, version 0, writable.
   *
   * @throws TypeError when `byteLength` is not an integer.
   * @throws BufferSizeError `SW_BUFFER_SIZE` outside 0 to 2³¹−1.
   * @throws OutOfMemoryError `SW_BUFFER_OUT_OF_MEMORY` when the memory is exhausted.
   * @throws BufferStateError `SW_BUFFER_DISPOSED` after the allocator was disposed.
   */
  allocate(byteLength: number, options?: AllocateOptions): DataBuffer;
  /**
   * Takes back a buffer that has just been released. `DataBuffer.release` calls it, nobody else.
   *
   * @throws BufferStateError `SW_BUFFER_RECLAIM` for a buffer in any other state, or of another owner.
   */
  reclaim(buffer: DataBuffer): void;
}
