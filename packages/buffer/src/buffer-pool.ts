import type { AllocateOptions, Allocator } from "./allocator.js";
import { DataBuffer } from "./data-buffer.js";
import { disposedError, isOutOfMemory, reclaimError } from "./errors.js";
import { heapMemory } from "./heap-memory.js";
import type { Block, MemorySource } from "./memory-source.js";
import { checkByteLength, checkInteger } from "./size.js";
import { classBytes, classIndex, SIZE_CLASSES } from "./size-class.js";

/** What a pool did and holds, at one moment. Bytes are those of the blocks, so of size classes. @since 0.1.0 */
export interface PoolStatistics {
  /** Buffers handed out and not released. */
  readonly live: number;
  readonly liveBytes: number;
  /** Released buffers that wait to be handed out again. */
  readonly idle: number;
  readonly idleBytes: number;
  /** The highest `liveBytes` there has been. */
  readonly peakBytes: number;
  /** Requests served by a buffer that waited. */
  readonly hits: number;
  /** Requests that took a new block from the source. */
  readonly misses: number;
  /** Buffers made so far; `live + idle + freed`. */
  readonly created: number;
  /** Buffers whose block went back to the source: over the idle cap, trimmed, or after dispose. */
  readonly freed: number;
}

/** Options of a `BufferPool`. @since 0.1.0 */
export interface BufferPoolOptions {
  /** Where the memory comes from; the JavaScript heap by default. */
  readonly source?: MemorySource;
  /** How many bytes may wait in the pool; 2 GiB by default. */
  readonly maxIdleBytes?: number;
}

/**
 * A pool of buffers in size classes. A released buffer waits for the next request of its class,
 * object and memory together, so renting from a warm pool allocates nothing.
 * It holds no reference to a rented buffer, and belongs to one thread.
 * @since 0.1.0
 */
export class BufferPool implements Allocator {
  readonly source: MemorySource;
  /** How many bytes may wait; beyond it a released block goes back to the source at once. */
  readonly maxIdleBytes: number;
  /** Heads of the free lists, one per class, linked through `DataBuffer.next`. */
  readonly heads: (DataBuffer | undefined)[];
  live: number;
  liveBytes: number;
  idle: number;
  idleBytes: number;
  peakBytes: number;
  hits: number;
  created: number;
  freed: number;
  disposed: boolean;

  /**
   * Makes an empty pool.
   *
   * @throws TypeError when `maxIdleBytes` is not an integer.
   * @throws BufferSizeError `SW_BUFFER_OPTION` when it is negative or beyond 2⁵³−1.
   */
  constructor(options: BufferPoolOptions = {}) {
    const { source = heapMemory(), maxIdleBytes = 2 ** 31 } = options;
    checkInteger("SW_BUFFER_OPTION", "BufferPool", "maxIdleBytes", maxIdleBytes, 0, Number.MAX_SAFE_INTEGER);
    this.source = source;
    this.maxIdleBytes = maxIdleBytes;
    this.heads = new Array<DataBuffer | undefined>(SIZE_CLASSES).fill(undefined);
    this.live = 0;
    this.liveBytes = 0;
    this.idle = 0;
    this.idleBytes = 0;
    this.peakBytes = 0;
    this.hits = 0;
    this.created = 0;
    this.freed = 0;
    this.disposed = false;
  }

  /** Rents a buffer; see `Allocator.allocate`. */
  allocate(byteLength: number, options?: AllocateOptions): DataBuffer {
    checkByteLength("allocate", byteLength);
    if (this.disposed) throw disposedError("allocate", "pool");
    const index = classIndex(byteLength);
    let buffer = this.heads[index];
    if (buffer === undefined) {
      buffer = new DataBuffer(this, this.source, this.takeBlock(classBytes(index)), byteLength);
      this.created += 1;
    } else {
      this.heads[index] = buffer.next;
      buffer.next = undefined;
      this.idle -= 1;
      this.idleBytes -= buffer.block.byteLength;
      this.hits += 1;
      buffer.renew(byteLength);
    }
    this.live += 1;
    this.liveBytes += buffer.block.byteLength;
    if (this.liveBytes > this.peakBytes) this.peakBytes = this.liveBytes;
    if (options?.zero === true) buffer.view(Uint8Array).fill(0);
    return buffer;
  }

  /** Takes a released buffer back; see `Allocator.reclaim`. */
  reclaim(buffer: DataBuffer): void {
    if (buffer.owner !== this || buffer.state !== "returned") throw reclaimError(buffer.state);
    const bytes = buffer.block.byteLength;
    this.live -= 1;
    this.liveBytes -= bytes;
    if (this.disposed || this.idleBytes + bytes > this.maxIdleBytes) {
      this.freeBlock(buffer);
      return;
    }
    const index = classIndex(buffer.byteLength);
    buffer.state = "idle";
    buffer.next = this.heads[index];
    this.heads[index] = buffer;
    this.idle += 1;
    this.idleBytes += bytes;
  }

  /**
   * Gives waiting buffers back to the source, large classes first, until at most `idleBytes` wait.
   *
   * @throws TypeError when `idleBytes` is not an integer.
   * @throws BufferSizeError `SW_BUFFER_OPTION` when it is negative or beyond 2⁵³−1.
   */
  trim(idleBytes: number = 0): void {
    checkInteger("SW_BUFFER_OPTION", "trim", "idleBytes", idleBytes, 0, Number.MAX_SAFE_INTEGER);
    for (let index = SIZE_CLASSES - 1; index >= 0 && this.idleBytes > idleBytes; index -= 1) {
      let buffer = this.heads[index];
      while (buffer !== undefined && this.idleBytes > idleBytes) {
        const next: DataBuffer | undefined = buffer.next;
        this.heads[index] = next;
        this.idle -= 1;
        this.idleBytes -= buffer.block.byteLength;
        this.freeBlock(buffer);
        buffer = next;
      }
    }
  }

  /** Tells what the pool did and holds; a snapshot. */
  statistics(): PoolStatistics {
    return {
      live: this.live,
      liveBytes: this.liveBytes,
      idle: this.idle,
      idleBytes: this.idleBytes,
      peakBytes: this.peakBytes,
      hits: this.hits,
      misses: this.created,
      created: this.created,
      freed: this.freed,
    };
  }

  /**
   * Gives what waits back to the source and refuses further requests. Buffers that are out stay
   * good until they are released. Disposing twice is nothing.
   */
  dispose(): void {
    this.disposed = true;
    this.trim();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Takes a block from the source; when it is exhausted, gives back what waits and asks again. */
  takeBlock(byteLength: number): Block {
    try {
      return this.source.allocate(byteLength);
    } catch (error) {
      if (!isOutOfMemory(error) || this.idle === 0) throw error;
      this.trim();
      return this.source.allocate(byteLength);
    }
  }

  /** Parts a buffer from its block for good. */
  freeBlock(buffer: DataBuffer): void {
    const block = buffer.block;
    buffer.next = undefined;
    buffer.detach();
    this.freed += 1;
    this.source.free(block);
  }
}
