import { BlockRecord, PoolAccount } from "./account.js";
import type { AllocateOptions, Allocator } from "./allocator.js";
import { arm, CANARY_BYTES, creationSite, inspect, isCheckedByDefault } from "./checked.js";
import { DataBuffer } from "./data-buffer.js";
import { disposedError, isOutOfMemory, OutOfMemoryError, reclaimError } from "./errors.js";
import { watch } from "./finalizer.js";
import { heapMemory } from "./heap-memory.js";
import { type Leak, leaksOf } from "./leaks.js";
import type { Block, MemorySource } from "./memory-source.js";
import { checkByteLength, checkInteger, MAX_BUFFER_BYTES } from "./size.js";
import { classBytes, classIndex, SIZE_CLASSES } from "./size-class.js";

/** The step of `prewarm`: the smallest page there is. */
const PAGE = 4096;
/** What transient buffers may take beside twice of what is kept, before they overflow. */
const FLOOR_BYTES = 2 ** 24;
/** The largest buffer that has room for its canary. */
const MAX_CHECKED_BYTES = MAX_BUFFER_BYTES - CANARY_BYTES;
/** A transient buffer of that size costs less outside of the pool, when the pool has none waiting and none comes back. */
const TINY_BYTES = 64;

/** The buffers of one size class. @since 0.1.0 */
export interface ClassStatistics {
  /** The bytes of a block of the class. */
  readonly byteLength: number;
  readonly live: number;
  readonly idle: number;
}

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
  /** Requests that took a new block, from the source or outside of it. */
  readonly misses: number;
  /** Buffers made so far in the source; `live + idle + freed + forgotten`. */
  readonly created: number;
  /** Buffers whose block went back to the source: over the idle cap, trimmed, or after dispose. */
  readonly freed: number;
  /** Buffers that were collected without having been released. Their blocks went back to the source. */
  readonly forgotten: number;
  /** Transient requests served outside of the source so far, and their bytes. Such buffers count nowhere else. */
  readonly overflow: number;
  readonly overflowBytes: number;
  /** The classes that have blocks, small ones first. */
  readonly classes: readonly ClassStatistics[];
}

/** Options of a `BufferPool`. @since 0.1.0 */
export interface BufferPoolOptions {
  /** Where the memory comes from; the JavaScript heap by default. */
  readonly source?: MemorySource;
  /** How many bytes may wait in the pool; 2 GiB by default. */
  readonly maxIdleBytes?: number;
  /** Where transient buffers go when the source is under pressure: a source whose blocks the collector frees. */
  readonly overflow?: MemorySource;
  /**
   * From how many bytes taken from the source on, waiting ones included, the source is under pressure. By default
   * 16 MiB more than twice of what is kept: what is out and was no operation's output, or was still out when
   * finalizers ran last. Means nothing without `overflow`.
   */
  readonly softLimitBytes?: number;
  /** How many bytes are taken from the source at most; what it has, by default. */
  readonly hardLimitBytes?: number;
  /** Fills buffers and watches their ends; by default when the environment variable `SW_CHECKED` is 1. */
  readonly checked?: boolean;
  /** Writes down where buffers were made, some 30 µs each, for `leakReport` and errors; by default in checked mode. */
  readonly trackSites?: boolean;
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
  readonly overflow: MemorySource | undefined;
  readonly softLimitBytes: number | undefined;
  readonly hardLimitBytes: number;
  readonly checked: boolean;
  readonly trackSites: boolean;
  readonly account: PoolAccount;
  /** Heads of the free lists, one per class, linked through `DataBuffer.next`. */
  readonly heads: (DataBuffer | undefined)[];
  disposed = false;
  /** Whether a tiny buffer from outside was released by hand since: then the next one is worth a place in the pool. */
  released = false;

  /**
   * Makes an empty pool.
   *
   * @throws TypeError when a number of bytes is not an integer.
   * @throws BufferSizeError `SW_BUFFER_OPTION` when it is negative or beyond 2⁵³−1.
   */
  constructor(options: BufferPoolOptions = {}) {
    const { source = heapMemory(), maxIdleBytes = 2 ** 31, overflow, softLimitBytes, checked } = options;
    const { hardLimitBytes = Number.MAX_SAFE_INTEGER } = options;
    checkBytes("BufferPool", "maxIdleBytes", maxIdleBytes);
    checkBytes("BufferPool", "softLimitBytes", softLimitBytes ?? 0);
    checkBytes("BufferPool", "hardLimitBytes", hardLimitBytes);
    this.source = source;
    this.maxIdleBytes = maxIdleBytes;
    this.overflow = overflow;
    this.softLimitBytes = softLimitBytes;
    this.hardLimitBytes = hardLimitBytes;
    this.checked = checked ?? isCheckedByDefault();
    this.trackSites = options.trackSites ?? this.checked;
    this.account = new PoolAccount(source, this.trackSites);
    this.heads = new Array<DataBuffer | undefined>(SIZE_CLASSES).fill(undefined);
  }

  /**
   * Rents a buffer; see `Allocator.allocate`.
   *
   * @throws OutOfMemoryError `SW_BUFFER_OUT_OF_MEMORY` beyond `hardLimitBytes`, too.
   */
  allocate(byteLength: number, options?: AllocateOptions): DataBuffer {
    checkByteLength("allocate", byteLength);
    if (this.disposed) throw disposedError("allocate", "pool");
    if (this.checked) checkInteger("SW_BUFFER_SIZE", "allocate", "byteLength", byteLength, 0, MAX_CHECKED_BYTES);
    const index = classIndex(byteLength);
    const isTransient = options?.transient === true;
    let buffer = this.heads[index];
    if (buffer === undefined) {
      buffer = this.make(byteLength, index, isTransient);
    } else {
      this.unlink(buffer, index);
      this.account.counts.hits += 1;
      buffer.renew(byteLength);
    }
    const { record } = buffer;
    if (this.trackSites) buffer.site = creationSite();
    record?.rent(isTransient, buffer.site);
    if (this.checked) arm(buffer);
    if (options?.zero === true) buffer.fill(0);
    return buffer;
  }

  /** Takes a released buffer back; see `Allocator.reclaim`. */
  reclaim(buffer: DataBuffer): void {
    if (buffer.owner !== this || buffer.state !== "returned") throw reclaimError(buffer.state);
    const overrun = this.checked ? inspect(buffer) : undefined;
    const { counts } = this.account;
    const { record } = buffer;
    if (record === undefined) {
      const { source, block } = buffer;
      this.released = true;
      buffer.detach();
      source.free(block);
    } else {
      record.giveBack();
      if (this.disposed || counts.idleBytes + record.byteLength > this.maxIdleBytes) {
        this.freeBlock(buffer, record);
      } else {
        buffer.state = "idle";
        buffer.next = this.heads[record.sizeClass];
        this.heads[record.sizeClass] = buffer;
        counts.idle += 1;
        counts.idleBytes += record.byteLength;
      }
    }
    // Only now, when all is counted and the buffer is where it belongs.
    if (overrun !== undefined) throw overrun;
  }

  /**
   * Has buffers of a size wait in the pool, their pages touched, so that no operation pays for fresh memory.
   *
   * @param count - how many of them are to wait, those that wait already included.
   * @throws As `allocate` does, with nothing held; TypeError or BufferSizeError `SW_BUFFER_OPTION` for a `count` that is none.
   */
  prewarm(byteLength: number, count: number = 1): void {
    checkInteger("SW_BUFFER_OPTION", "prewarm", "count", count, 0, MAX_BUFFER_BYTES);
    const made: DataBuffer[] = [];
    try {
      while (made.length < count) {
        const buffer = this.allocate(byteLength);
        made.push(buffer);
        const bytes = buffer.blockBytes();
        // A store a page: a load would not make the page the process's own. In checked mode all bytes were written.
        if (!this.checked) for (let at = 0; at < byteLength; at += PAGE) bytes[at] = 0;
      }
    } finally {
      for (const buffer of made) buffer.release(buffer.generation);
    }
  }

  /**
   * Gives waiting buffers back to the source, large classes first, until at most `idleBytes` wait.
   *
   * @throws TypeError when `idleBytes` is not an integer.
   * @throws BufferSizeError `SW_BUFFER_OPTION` when it is negative or beyond 2⁵³−1.
   */
  trim(idleBytes: number = 0): void {
    checkBytes("trim", "idleBytes", idleBytes);
    for (let index = SIZE_CLASSES - 1; index >= 0; index -= 1) {
      let buffer = this.heads[index];
      while (buffer !== undefined && this.account.counts.idleBytes > idleBytes) {
        this.unlink(buffer, index);
        this.freeBlock(buffer, buffer.record!);
        buffer = this.heads[index];
      }
    }
  }

  /** Tells what the pool did and holds; a snapshot. */
  statistics(): PoolStatistics {
    const { counts, carved } = this.account;
    const classes: ClassStatistics[] = [];
    carved.forEach((blocks, index) => {
      if (blocks === 0) return;
      let idle = 0;
      for (let buffer = this.heads[index]; buffer !== undefined; buffer = buffer.next) idle += 1;
      classes.push({ byteLength: classBytes(index), live: blocks - idle, idle });
    });
    return { ...counts, misses: counts.created + counts.overflow, classes };
  }

  /**
   * Lists what is out and what was forgotten by the place in the program that rented it, most bytes first. Without
   * `trackSites` it is one line without a place. What overflowed is not in it: the collector frees that.
   */
  leakReport(): readonly Leak[] {
    return leaksOf(this.account);
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

  /** Makes a buffer, in the source or, when that is under pressure and the buffer may, outside of it. */
  make(byteLength: number, index: number, isTransient: boolean): DataBuffer {
    const { account, source } = this;
    const outside = isTransient ? this.overflow : undefined;
    const padding = this.checked ? CANARY_BYTES : 0;
    const room = classBytes(index);
    const isTiny = outside !== undefined && byteLength <= TINY_BYTES && !this.released;
    this.released = false;
    if (!isTiny && (this.relieve(room) || outside === undefined)) {
      try {
        const block = this.takeBlock(room, Math.min(room + padding, MAX_BUFFER_BYTES));
        const buffer = new DataBuffer(this, source, block, byteLength);
        const record = new BlockRecord(account, index, block);
        buffer.record = record;
        watch(buffer, record);
        return buffer;
      } catch (error) {
        if (outside === undefined || !isOutOfMemory(error)) throw error;
      }
    }
    const buffer = new DataBuffer(this, outside!, outside!.allocate(byteLength + padding), byteLength);
    account.counts.overflow += 1;
    account.counts.overflowBytes += byteLength;
    return buffer;
  }

  /** Keeps the source below its soft limit by giving up what waits; tells whether that is enough for a block. */
  relieve(room: number): boolean {
    if (this.overflow === undefined) return true;
    const { counts, transientBytes, settledBytes } = this.account;
    const kept = counts.liveBytes - transientBytes + settledBytes;
    return this.makeRoom(room, this.softLimitBytes ?? 2 * kept + FLOOR_BYTES);
  }

  /** Gives up so much of what waits that a block fits below a limit; tells whether it does. Otherwise nothing is given up. */
  makeRoom(room: number, limit: number): boolean {
    const { counts } = this.account;
    const left = limit - counts.liveBytes - room;
    if (left < 0) return false;
    if (counts.idleBytes > left) this.trim(left);
    return true;
  }

  /** Takes a block from the source; when it is exhausted, gives back what waits and asks again. */
  takeBlock(room: number, byteLength: number): Block {
    const { counts } = this.account;
    if (!this.makeRoom(room, this.hardLimitBytes)) {
      throw new OutOfMemoryError(byteLength, counts.liveBytes, this.hardLimitBytes);
    }
    try {
      return this.source.allocate(byteLength);
    } catch (error) {
      if (!isOutOfMemory(error) || counts.idle === 0) throw error;
      this.trim();
      return this.source.allocate(byteLength);
    }
  }

  /** Takes the head of a free list out of it. */
  unlink(buffer: DataBuffer, index: number): void {
    const { counts } = this.account;
    this.heads[index] = buffer.next;
    buffer.next = undefined;
    counts.idle -= 1;
    counts.idleBytes -= buffer.record!.byteLength;
  }

  /** Parts a buffer from its block for good. */
  freeBlock(buffer: DataBuffer, record: BlockRecord): void {
    const { block } = buffer;
    buffer.detach();
    this.account.counts.freed += 1;
    record.free(block);
  }
}

function checkBytes(operation: string, name: string, byteLength: number): void {
  checkInteger("SW_BUFFER_OPTION", operation, name, byteLength, 0, Number.MAX_SAFE_INTEGER);
}
