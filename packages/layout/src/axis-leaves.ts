import type { Layout } from "./layout.js";
import { type IntTree, isFlat, leaves } from "./tree.js";

/** The leaves of a layout in row-major order, slowest first, with their strides. */
interface AxisLeaves {
  readonly extents: readonly number[];
  readonly strides: readonly number[];
}

/**
 * Lists the leaves of a layout as loops of a row-major walk, outermost first: axes in order, the leaves of one axis
 * last to first, since the first leaf of an axis is its fastest (D1). A flat layout gives its own lists.
 */
export function rowMajorLeaves(l: Layout): AxisLeaves {
  if (isFlat(l.shape) && isFlat(l.stride)) return { extents: l.shape, strides: l.stride };
  return { extents: slowestFirst(l.shape), strides: slowestFirst(l.stride) };
}

function slowestFirst(tree: readonly IntTree[]): number[] {
  const out: number[] = [];
  for (const mode of tree) {
    if (typeof mode === "number") out.push(mode);
    else out.push(...leaves(mode).reverse());
  }
  return out;
}
