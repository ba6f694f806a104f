import type { Remainder } from "./finalizer.js";
import { type Leak, tally } from "./leaks.js";
import type { Block, MemorySource } from "./memory-source.js";
import { classBytes, SIZE_CLASSES } from "./size-class.js";

/** What a pool counts; see `PoolStatistics`. */
export interface PoolCounts {
  live: number;
  liveBytes: number;
  idle: number;
  idleBytes: number;
  peakBytes: number;
  hits: number;
  created: number;
  freed: number;
  forgotten: number;
  overflow: number;
  overflowBytes: number;
}

/**
 * The books of a pool. They reach no buffer and no free list, because what the finalizer holds, directly or not,
 * is never collected: a forgotten pool must be, with all that waits in it.
 */
export class PoolAccount {
  readonly source: MemorySource;
  /** Whether creation sites are written down. */
  readonly trackSites: boolean;
  readonly counts: PoolCounts;
  /** Of the bytes that are out, those asked for as transient; and the fewest these were since finalizers last ran. */
  transientBytes = 0;
  settledBytes = 0;
  /** Blocks that came from the source and did not go back, by size class. */
  readonly carved: number[];
  /** Buffers that are out, where creation sites are written down; and the sums of those that were forgotten, by site. */
  readonly out: Set<BlockRecord> = new Set();
  readonly lost: Map<string, Leak> = new Map();

  constructor(source: MemorySource, trackSites: boolean) {
    this.source = source;
    this.trackSites = trackSites;
    this.carved = new Array<number>(SIZE_CLASSES).fill(0);
    this.counts = {
      live: 0,
      liveBytes: 0,
      idle: 0,
      idleBytes: 0,
      peakBytes: 0,
      hits: 0,
      created: 0,
      freed: 0,
      forgotten: 0,
      overflow: 0,
      overflowBytes: 0,
    };
  }
}

/** What a pool knows of one block and its buffer. It is the buffer's {@link Remainder}. */
export class BlockRecord implements Remainder {
  readonly account: PoolAccount;
  /** What goes back to the source when the buffer is forgotten; `undefined` when it did, and where the collector frees it. */
  block: Block | undefined;
  readonly sizeClass: number;
  /** The bytes of the size class: what is counted. */
  readonly byteLength: number;
  isOut = false;
  isTransient = false;
  /** Where the buffer was rented, where that is written down. */
  site = "";

  /** Makes the record of a block that was just taken, and counts it. */
  constructor(account: PoolAccount, sizeClass: number, block: Block) {
    this.account = account;
    // A block of the heap carries its memory, which a record would keep until the loop turns.
    this.block = account.source.collectable === true ? undefined : block;
    this.sizeClass = sizeClass;
    // As a small integer, which sums faster than the double that a power gives.
    this.byteLength = classBytes(sizeClass) | 0;
    account.counts.created += 1;
    account.carved[sizeClass]! += 1;
  }

  /** Counts the buffer out of the pool. */
  rent(isTransient: boolean, site: string): void {
    const { account, byteLength } = this;
    const { counts } = account;
    this.isOut = true;
    this.isTransient = isTransient;
    counts.live += 1;
    counts.liveBytes += byteLength;
    if (counts.liveBytes > counts.peakBytes) counts.peakBytes = counts.liveBytes;
    if (isTransient) account.transientBytes += byteLength;
    if (account.trackSites) {
      this.site = site;
      account.out.add(this);
    }
  }

  /** Counts the buffer back in; whether it waits or goes is counted by the pool. */
  giveBack(): void {
    const { account, byteLength } = this;
    const { counts } = account;
    this.isOut = false;
    counts.live -= 1;
    counts.liveBytes -= byteLength;
    if (this.isTransient) {
      account.transientBytes -= byteLength;
      if (account.settledBytes > account.transientBytes) account.settledBytes = account.transientBytes;
    }
    if (account.trackSites) account.out.delete(this);
  }

  /** Counts the block out of the source, and gives it back; done here, it is nothing to the finalizer. */
  free(block: Block | undefined): void {
    this.block = undefined;
    this.account.carved[this.sizeClass]! -= 1;
    if (block !== undefined) this.account.source.free(block);
  }

  /** A buffer that was out is counted as forgotten; one that waited in a forgotten pool, or went back, is not. */
  forgotten(): void {
    const { account, block, isOut } = this;
    if (isOut) {
      this.giveBack();
      account.counts.forgotten += 1;
      account.settledBytes = account.transientBytes;
      tally(account.lost, this.site, 0, 1, this.byteLength);
    }
    if (isOut || block !== undefined) this.free(block);
  }
}
