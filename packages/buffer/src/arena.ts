import type { AllocateOptions, Allocator } from "./allocator.js";
import type { BufferPool } from "./buffer-pool.js";
import { arm, CANARY_BYTES, creationSite, firstSpoilt, inspect } from "./checked.js";
import { DataBuffer } from "./data-buffer.js";
import { type BufferEnd, BufferOverrunError, BufferStateError, disposedError, reclaimError } from "./errors.js";
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
 * sequence of the run before allocates nothing. One arena serves one run at a time: runs that may
 * meet say when they `begin` and `end`. An arena belongs to the thread of its pool, and is checked as its pool is.
 * @since 0.1.0
 */
export class Arena implements Allocator {
  readonly source: MemorySource;
  /** Where the chunks come from. */
  readonly pool: BufferPool;
  readonly chunkBytes: number;
  /** Chunks in the order of use; those after `cursor` are free. */
  readonly chunks: Chunk[] = [];
  /** Buffer objects by position in the run; those from `used` on are free. */
  readonly buffers: DataBuffer[] = [];
  /** The chunk in use, and the first free byte within it. */
  cursor = 0;
  top = 0;
  used = 0;
  live = 0;
  liveBytes = 0;
  usedBytes = 0;
  peakBytes = 0;
  created = 0;
  resets = 0;
  /** The run that is open, or 0; and how many there were. */
  open = 0;
  runs = 0;
  disposed = false;

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
  }

  /** Gives the next buffer of the run; see `Allocator.allocate`. */
  allocate(byteLength: number, options?: AllocateOptions): DataBuffer {
    checkByteLength("allocate", byteLength);
    if (this.disposed) throw disposedError("allocate", "arena");
    const { checked } = this.pool;
    const room = alignUp(byteLength);
    const chunk = this.chunkFor(byteLength);
    const address = chunk.address + this.top;
    let buffer = this.buffers[this.used];
    if (buffer === undefined) {
      buffer = new DataBuffer(this, chunk.source, chunk.block, byteLength, address);
      this.buffers.push(buffer);
      this.created += 1;
    } else {
      if (buffer.address !== address || buffer.block !== chunk.block) buffer.move(chunk.source, chunk.block, address);
      buffer.renew(byteLength);
    }
    this.used += 1;
    // The canary of a buffer at the end of its chunk is the chunk's.
    this.top += checked ? alignUp(byteLength + CANARY_BYTES) : room;
    this.live += 1;
    this.liveBytes += byteLength;
    this.usedBytes += room;
    if (this.usedBytes > this.peakBytes) this.peakBytes = this.usedBytes;
    if (this.pool.trackSites) buffer.site = creationSite();
    if (checked) arm(buffer);
    if (options?.zero === true) buffer.fill(0);
    return buffer;
  }

  /** Counts a released buffer out; its memory comes back at the next reset. See `Allocator.reclaim`. */
  reclaim(buffer: DataBuffer): void {
    if (buffer.owner !== this || buffer.state !== "returned") throw reclaimError(buffer.state);
    buffer.state = "idle";
    this.live -= 1;
    this.liveBytes -= buffer.byteLength;
    const overrun = this.pool.checked ? inspect(buffer) : undefined;
    if (overrun !== undefined) throw overrun;
  }

  /**
   * Opens a run, and gives its number. While it is open no other can begin, and nothing is reset: two asynchronous
   * runs that would take each other's memory are refused. Close it with `end`, also when it fails.
   *
   * @throws BufferStateError `SW_BUFFER_ARENA_BUSY` while another run is open; `SW_BUFFER_DISPOSED` after dispose.
   */
  begin(): number {
    if (this.disposed) throw disposedError("begin", "arena");
    this.checkRun("begin", 0);
    this.runs += 1;
    this.open = this.runs;
    return this.open;
  }

  /**
   * Closes a run. What it allocated stays good until the reset.
   *
   * @throws BufferStateError `SW_BUFFER_ARENA_BUSY` when that run is not the open one.
   */
  end(run: number): void {
    this.checkRun("end", run);
    this.open = 0;
  }

  /**
   * Checks that a run is the open one; 0 is none.
   *
   * @throws BufferStateError `SW_BUFFER_ARENA_BUSY`.
   */
  checkRun(operation: string, run: number): void {
    if (this.open === run) return;
    throw new BufferStateError(
      "SW_BUFFER_ARENA_BUSY",
      operation,
      `the arena serves one run at a time: got a call for run ${run || "none"}, expected run ${this.open || "none"}. End a run first, or use two arenas.`,
    );
  }

  /**
   * Takes everything back. Every buffer given since the last reset is stale afterwards.
   *
   * @throws BufferStateError `SW_BUFFER_DISPOSED` after dispose; `SW_BUFFER_ARENA_BUSY` while a run is open.
   * @throws BufferOverrunError `SW_BUFFER_OVERRUN` in checked mode, after writes past the end. Everything is taken back all the same.
   */
  reset(): void {
    if (this.disposed) throw disposedError("reset", "arena");
    this.checkRun("reset", 0);
    const overrun = this.retireAll("reset", "reset");
    this.resets += 1;
    if (overrun !== undefined) throw overrun;
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

  /**
   * Makes everything stale and gives the chunks back to the pool. Disposing twice is nothing.
   *
   * @throws As `reset` does.
   */
  dispose(): void {
    if (this.disposed) return;
    this.checkRun("dispose", 0);
    this.disposed = true;
    let problem: unknown = this.retireAll("dispose", "disposed");
    for (const buffer of this.buffers) buffer.detach();
    for (const { buffer, generation } of this.chunks) {
      try {
        buffer.release(generation);
      } catch (error) {
        problem ??= error;
      }
    }
    this.buffers.length = 0;
    this.chunks.length = 0;
    if (problem !== undefined) throw problem;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Ends the generation of every buffer of the run and moves the mark back to the start. Tells what was overrun. */
  retireAll(operation: string, end: BufferEnd): BufferOverrunError | undefined {
    const overrun = this.pool.checked ? this.inspectAll(operation) : undefined;
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
    return overrun;
  }

  /** Looks at the canaries of the run, and fills the chunks it used. */
  inspectAll(operation: string): BufferOverrunError | undefined {
    let first: DataBuffer | undefined;
    let position = 0;
    let count = 0;
    for (let i = 0; i < this.used; i += 1) {
      const spoilt = firstSpoilt(this.buffers[i]!);
      if (spoilt < 0) continue;
      count += 1;
      if (first !== undefined) continue;
      first = this.buffers[i]!;
      position = spoilt;
    }
    for (let i = 0; i <= this.cursor && i < this.chunks.length; i += 1) arm(this.chunks[i]!.buffer);
    return first && new BufferOverrunError(operation, first.byteLength, position, first.site, count);
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
