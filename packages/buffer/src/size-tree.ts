import type { WasmBlock } from "./block-list.js";
import { ALIGNMENT } from "./size.js";

/**
 * A set of free blocks in order of size, then of address: a search tree through their own `low`
 * and `high`, balanced as a treap. The priority of a block is a hash of its address, so the tree
 * depends on the set alone, not on its history, and its expected depth is the logarithm of the set.
 */
export type SizeTree = WasmBlock | undefined;

/** Finds the smallest block of at least `byteLength` bytes, the lowest of equals. */
export function atLeast(tree: SizeTree, byteLength: number): SizeTree {
  let best: SizeTree;
  let node = tree;
  while (node !== undefined) {
    if (node.byteLength >= byteLength) {
      best = node;
      node = node.low;
    } else {
      node = node.high;
    }
  }
  return best;
}

/** Adds a block; gives the new root. */
export function withBlock(tree: SizeTree, block: WasmBlock): WasmBlock {
  if (tree === undefined || block.rank > tree.rank) {
    split(tree, block);
    return block;
  }
  if (isLess(block, tree)) tree.low = withBlock(tree.low, block);
  else tree.high = withBlock(tree.high, block);
  return tree;
}

/** Takes out a block that is in the tree; gives the new root. */
export function withoutBlock(tree: WasmBlock, block: WasmBlock): SizeTree {
  if (tree === block) {
    const rest = join(block.low, block.high);
    block.low = undefined;
    block.high = undefined;
    return rest;
  }
  if (isLess(block, tree)) tree.low = withoutBlock(tree.low!, block);
  else tree.high = withoutBlock(tree.high!, block);
  return tree;
}

/** Puts the smaller blocks of a tree low of a block, the larger high. */
function split(tree: SizeTree, block: WasmBlock): void {
  if (tree === undefined) return;
  if (isLess(tree, block)) {
    split(tree.high, block);
    tree.high = block.low;
    block.low = tree;
  } else {
    split(tree.low, block);
    tree.low = block.high;
    block.high = tree;
  }
}

/** Makes one tree of two; the blocks of the first are the smaller ones. */
function join(low: SizeTree, high: SizeTree): SizeTree {
  if (low === undefined) return high;
  if (high === undefined) return low;
  if (low.rank > high.rank) {
    low.high = join(low.high, high);
    return low;
  }
  high.low = join(low, high.low);
  return high;
}

function isLess(a: WasmBlock, b: WasmBlock): boolean {
  return a.byteLength === b.byteLength ? a.address < b.address : a.byteLength < b.byteLength;
}

/** A hash of an address of whole lines, different for each: the rank by which a tree is balanced. */
export function rankOf(address: number): number {
  const hash = Math.imul(address / ALIGNMENT, 0x9e37_79b1);
  return Math.imul(hash ^ (hash >>> 15), 0x85eb_ca6b);
}
