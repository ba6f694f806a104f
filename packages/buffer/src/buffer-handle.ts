import type { DataBuffer } from "./data-buffer.js";
import type { HostArrayConstructor, TypedArray, TypedArrayConstructor } from "./typed-array.js";
import type { BufferRef } from "./versions.js";

/**
 * A buffer with the generation it was handed out in, for those who have no tensors: every use checks that the memory
 * is still its own, and the end of a `using` block gives it back.
 *
 * @example
 * ```ts
 * import { BufferHandle, BufferPool } from "@sw/buffer";
 * const pool = new BufferPool();
 * {
 *   using h = new BufferHandle(pool.allocate(16));
 *   h.beginWrite();
 *   h.view(Float32Array)[0] = 1.5;
 * }
 * console.log(pool.statistics().live); // 0
 * ```
 * @since 0.1.0
 */
export class BufferHandle implements BufferRef {
  readonly buffer: DataBuffer;
  readonly generation: number;

  /**
   * Takes hold of a buffer that was just allocated.
   *
   * @throws BufferStateError `SW_BUFFER_RELEASED` for one that was given back.
   */
  constructor(buffer: DataBuffer) {
    buffer.checkLive(buffer.generation, "BufferHandle");
    this.buffer = buffer;
    this.generation = buffer.generation;
  }

  /**
   * Makes a typed window; see `DataBuffer.view`.
   *
   * @throws StaleBufferError `SW_BUFFER_STALE` after the memory was released or its arena reset.
   */
  view<A extends TypedArray>(type: HostArrayConstructor<A>): A;
  view<A extends TypedArray>(type: TypedArrayConstructor<A>): A;
  view(type: TypedArrayConstructor): TypedArray {
    this.buffer.checkLive(this.generation, "view");
    return this.buffer.view(type);
  }

  /** Passes the write gate; see `DataBuffer.beginWrite`. */
  beginWrite(operation?: string): void {
    this.buffer.beginWrite(this.generation, operation);
  }

  /** Gives the memory back; releasing twice is nothing. See `DataBuffer.release`. */
  release(): void {
    this.buffer.release(this.generation);
  }

  [Symbol.dispose](): void {
    this.release();
  }
}
