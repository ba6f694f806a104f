import { type Layout, requireLayout } from "./layout.js";
import type { IntTree } from "./tree.js";

/**
 * Gives a hash of a layout, an integer from 0 to 2^32 - 1, for tables that compare by `layoutEquals`: equal layouts
 * have equal hashes. Allocates nothing. The value may change between versions: do not store it.
 *
 * @example
 * ```ts
 * import { hashLayout, layout } from "@sw/layout";
 * console.log(hashLayout(layout([2, 3])) === hashLayout(layout([2, 3], [1, 2]))); // true
 * ```
 * @since 0.1.0
 */
export function hashLayout(l: Layout): number {
  requireLayout("hashLayout", l);
  return hashTree(hashTree(0, l.shape), l.stride) + HALF / 2;
}

const HALF = 2 ** 32;
/** What stands for the brackets of a mode, so that the form counts. */
const OPEN = 0x28f51d3b;
const CLOSE = 0x6a3f9c27;

function hashTree(seed: number, tree: IntTree): number {
  // Both halves, the upper one signed: numbers that differ by 2^32, or in sign, differ here.
  if (typeof tree === "number") {
    const high = Math.floor(tree / HALF);
    return mix(mix(seed, tree - high * HALF), high);
  }
  let hash = mix(seed, OPEN);
  for (let i = 0; i < tree.length; i++) hash = hashTree(hash, tree[i]!);
  return mix(hash, CLOSE);
}

/** One step, from and to the 32-bit integers; the second product brings the upper bits down. */
function mix(hash: number, value: number): number {
  const product = Math.imul(hash + value, 0x9e3779b1);
  return Math.imul(product + Math.floor(product / 0x8000), 0x85ebca6b);
}
