import type { AllocateOptions, Allocator } from "./allocator.js";
import type { BufferPool } from "./buffer-pool.js";
import { DataBuffer } from "./data-buffer.js";
import { type BufferEnd, disposedError, reclaimError } from "./errors.js";
import type { MemorySource } from "./memory-source.js";
import { ALIGNMENT, alignUp, checkByteLength, checkInteger, MAX_BUFFER_BYTES } from "./size.js";

/** What an arena did and holds, at one moment. @since 0.1.0 */
export interface ArenaStatistics {
  /** Buffers given since the last reset and not released. */
  readonly live: number;
  readonly liveBytes: number;
  /** Bytes taken since the last reset, in whole 64-byte lines, with those of released buffers. */
  readonly usedBytes: number;
  /** The highest `usedBytes` there has been. */
  readonly peakBytes: number;
  /** Chunks rented from the pool, and their bytes. */
  readonly chunks: number;
  readonly chunkBytes: number;
  /** Buffer objects made so far; it stands still once runs repeat. */
  readonly created: number;
  /** How often the arena was reset. */
  readonly resets: number;
}

/** Options of an `Arena`. @since 0.1.0 */
export interface ArenaOptions {
  /** Bytes of a chunk, unless a request is larger; 1 MiB by default. */
  readonly chunkBytes?: number;
}

/** A chunk of an arena: a rented buffer, with the generation it was rented in. */
interface Chunk {
  readonly buffer: DataBuffer;
  readonly generation: number;
}

/**
 * Memory for the state of one run: allocating moves a mark, `reset` takes everything back at once
 * and makes it stale. Buffer objects are reused by position, so a run that repeats the allocation
 * sequence of the run before allocates nothing. One arena serves one run at a time.
 * @since 0.1.0
 */
export class Arena implements Allocator {
  readonly source: MemorySource;
  /** Where the chunks come from. */
  readonly pool: BufferPool;
  readonly chunkBytes: number;
  /** Chunks in the order of use; those after `cursor` are free. */
  readonly chunks: Chunk[];
  /** Buffer objects by position in the run; those from `used` on are free. */
  readonly buffers: DataBuffer[];
  /** The chunk in use, and the first free byte within it. */
  cursor: number;
  top: number;
  used: number;
  live: number;
  liveBytes: number;
  usedBytes: number;
  peakBytes: number;
  created: number;
  resets: number;
  disposed: boolean;

  /**
   * Makes an empty arena over a pool.
   *
   * @throws TypeError when `chunkBytes` is not an integer.
   * @throws BufferSizeError `SW_BUFFER_OPTION` when it is outside 64 to 2³¹−1.
   */
  constructor(pool: BufferPool, options: ArenaOptions = {}) {
    const { chunkBytes = 2 ** 20 } = options;
    checkInteger("SW_BUFFER_OPTION", "Arena", "chunkBytes", chunkBytes, ALIGNMENT, MAX_BUFFER_BYTES);
    this.pool = pool;
    this.source = pool.source;
    this.chunkBytes = chunkBytes;
    this.chunks = [];
    this.buffers = [];
    this.cursor = 0;
    this.top = 0;
    this.used = 0;
    this.live = 0;
    this.liveBytes = 0;
    this.usedBytes = 0;
    this.peakBytes = 0;
    this.created = 0;
    this.resets = 0;
    this.disposed = false;
  }

  /** Gives the next buffer of the run; see `Allocator.allocate`. */
  allocate(byteLength: number, options?: AllocateOptions): DataBuffer {
    checkByteLength("allocate", byteLength);
    if (this.disposed) throw disposedError("allocate", "arena");
    const room = alignUp(byteLength);
    const chunk = this.chunkFor(byteLength);
    const address = chunk.address + this.top;
    let buffer = this.buffers[this.used];
    if (buffer === undefined) {
      buffer = new DataBuffer(this, chunk.source, chunk.block, byteLength, address);
      this.buffers.push(buffer);
      this.created += 1;
    } else {
      if (buffer.address !== address || buffer.block !== chunk.block) {
        buffer.source = chunk.source;
        buffer.block = chunk.block;
        buffer.address = address;
        buffer.dropWindow();
      }
      buffer.renew(byteLength);
    }
    this.used += 1;
    this.top += room;
    this.live += 1;
    this.liveBytes += byteLength;
    this.usedBytes += room;
    if (this.usedBytes > this.peakBytes) this.peakBytes = this.usedBytes;
    if (options?.zero === true) buffer.view(Uint8Array).fill(0);
    return buffer;
  }

  /** Counts a released buffer out; its memory comes back at the next reset. See `Allocator.reclaim`. */
  reclaim(buffer: DataBuffer): void {
    if (buffer.owner !== this || buffer.state !== "returned") throw reclaimError(buffer.state);
    buffer.state = "idle";
    this.live -= 1;
    this.liveBytes -= buffer.byteLength;
  }

  /**
   * Takes everything back. Every buffer given since the last reset is stale afterwards.
   *
   * @throws BufferStateError `SW_BUFFER_DISPOSED` after dispose.
   */
  reset(): void {
    if (this.disposed) throw disposedError("reset", "arena");
    this.retireAll("reset");
    this.resets += 1;
  }

  /** Tells what the arena did and holds; a snapshot. */
  statistics(): ArenaStatistics {
    let chunkBytes = 0;
    for (const chunk of this.chunks) chunkBytes += chunk.buffer.byteLength;
    return {
      live: this.live,
      liveBytes: this.liveBytes,
      usedBytes: this.usedBytes,
      peakBytes: this.peakBytes,
      chunks: this.chunks.length,
      chunkBytes,
      created: this.created,
      resets: this.resets,
    };
  }

  /** Makes everything stale and gives the chunks back to the pool. Disposing twice is nothing. */
  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    this.retireAll("disposed");
    for (const buffer of this.buffers) buffer.detach();
    for (const chunk of this.chunks) chunk.buffer.release(chunk.generation);
    this.buffers.length = 0;
    this.chunks.length = 0;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Ends the generation of every buffer of the run and moves the mark back to the start. */
  retireAll(end: BufferEnd): void {
    for (let position = 0; position < this.used; position += 1) {
      const buffer = this.buffers[position];
      if (buffer === undefined || buffer.state !== "live") continue;
      buffer.retire(end);
      buffer.state = "idle";
    }
    this.cursor = 0;
    this.top = 0;
    this.used = 0;
    this.live = 0;
    this.liveBytes = 0;
    this.usedBytes = 0;
  }

  /**
   * Moves the cursor to a chunk with room at `top`. A later chunk that is large enough is brought
   * forward, so the order of chunks ends as the run used them and the same run repeats it.
   */
  chunkFor(byteLength: number): DataBuffer {
    const present = this.chunks[this.cursor];
    if (present !== undefined && this.top + byteLength <= present.buffer.byteLength) return present.buffer;
    // A chunk of which nothing is used gives its place away; otherwise the run goes on after it.
    const position = this.top === 0 ? this.cursor : this.cursor + 1;
    let found = position;
    while (found < this.chunks.length && this.chunks[found]!.buffer.byteLength < byteLength) found += 1;
    if (found === this.chunks.length) {
      const buffer = this.pool.allocate(Math.max(this.chunkBytes, byteLength));
      this.chunks.push({ buffer, generation: buffer.generation });
    }
    const chunk = this.chunks[found]!;
    this.chunks[found] = this.chunks[position]!;
    this.chunks[position] = chunk;
    this.cursor = position;
    this.top = 0;
    return chunk.buffer;
  }
}
