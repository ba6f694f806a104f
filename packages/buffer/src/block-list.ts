import type { Block } from "./memory-source.js";
import { ALIGNMENT } from "./size.js";
import { atLeast, rankOf, type SizeTree, withBlock, withoutBlock } from "./size-tree.js";

/** A power of two of 64-byte lines for each bin, up to 2³² bytes. */
const BINS = 27;

/** A piece of a `BlockList`. What a user holds is itself the node of the list; it changes once it is freed. */
export interface WasmBlock extends Block {
  address: number;
  byteLength: number;
  /** The list whose user holds the block; `undefined` once it is free, also when it was joined with another. */
  owner: BlockList | undefined;
  /** The neighbours in order of address. What lies between them and the block belongs to somebody else. */
  before: WasmBlock;
  after: WasmBlock;
  /** The subtrees of a free block: see `SizeTree`. */
  low: SizeTree;
  high: SizeTree;
  rank: number;
}

/**
 * The pieces of an address space of up to 2³² bytes, all of whole 64-byte lines: blocks in use, and
 * free ones that never touch one another. Taking is exactly best fit, the lowest of equals.
 *
 * Free blocks wait in bins by powers of two, each a tree. So finding, adding and removing one costs
 * the logarithm of the blocks of a bin, whatever the pattern: an expectation, over a hash of the
 * addresses. Finding neighbours costs nothing, and nothing is allocated but the block that is given.
 */
export class BlockList {
  readonly bins: SizeTree[];
  /** A block of no bytes that is never free, where the ring of the blocks begins and ends. */
  readonly edge: WasmBlock;

  constructor() {
    this.bins = new Array<SizeTree>(BINS).fill(undefined);
    this.edge = makeBlock(0, 0, this);
  }

  /** Takes `byteLength` bytes, whole lines, from the smallest free block that has them; `undefined` when none has. */
  take(byteLength: number): WasmBlock | undefined {
    const free = this.bestFit(byteLength);
    if (free === undefined) return undefined;
    this.remove(free);
    // A new object even for an exact fit: who still holds the block it was must not free its next owner's.
    const block = makeBlock(free.address, byteLength, this);
    insert(block, free.before, free);
    free.address += byteLength;
    free.byteLength -= byteLength;
    if (free.byteLength === 0) absorb(block, free);
    else this.add(free);
    return block;
  }

  /** Frees a block in use and joins it with its free neighbours. */
  free(block: WasmBlock): void {
    block.owner = undefined;
    let free = block;
    const { before, after } = block;
    if (canJoin(before, block)) {
      this.remove(before);
      absorb(before, block);
      free = before;
    }
    if (canJoin(free, after)) {
      this.remove(after);
      absorb(free, after);
    }
    this.add(free);
  }

  /** Adds free bytes, whole lines, behind everything there is. */
  extend(address: number, byteLength: number): void {
    const block = makeBlock(address, byteLength, this);
    insert(block, this.edge.before, this.edge);
    this.free(block);
  }

  /** How many bytes are free just before an address that lies behind everything there is. */
  freeBefore(address: number): number {
    const last = this.edge.before;
    return last.owner === undefined && endOf(last) === address ? last.byteLength : 0;
  }

  bestFit(byteLength: number): SizeTree {
    for (let bin = binOf(byteLength); bin < BINS; bin += 1) {
      const found = atLeast(this.bins[bin], byteLength);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  add(free: WasmBlock): void {
    const bin = binOf(free.byteLength);
    free.rank = rankOf(free.address);
    this.bins[bin] = withBlock(this.bins[bin], free);
  }

  remove(free: WasmBlock): void {
    const bin = binOf(free.byteLength);
    this.bins[bin] = withoutBlock(this.bins[bin]!, free);
  }
}

/** Makes a block that is its own neighbour. */
function makeBlock(address: number, byteLength: number, owner: BlockList): WasmBlock {
  const block: Partial<WasmBlock> = { address, byteLength, owner, low: undefined, high: undefined, rank: 0 };
  block.before = block as WasmBlock;
  block.after = block as WasmBlock;
  return block as WasmBlock;
}

function insert(block: WasmBlock, before: WasmBlock, after: WasmBlock): void {
  block.before = before;
  block.after = after;
  before.after = block;
  after.before = block;
}

/** Gives a block the bytes of the one after it, which leaves the ring: somebody may still hold it, so it keeps nothing alive. */
function absorb(block: WasmBlock, after: WasmBlock): void {
  block.byteLength += after.byteLength;
  block.after = after.after;
  block.after.before = block;
  after.before = after;
  after.after = after;
}

/** Whether two neighbours are free and touch: they do not where somebody else grew the memory. */
function canJoin(block: WasmBlock, after: WasmBlock): boolean {
  return block.owner === undefined && after.owner === undefined && endOf(block) === after.address;
}

function endOf(block: WasmBlock): number {
  return block.address + block.byteLength;
}

function binOf(byteLength: number): number {
  return 31 - Math.clz32(byteLength / ALIGNMENT);
}
