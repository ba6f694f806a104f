import { coalesce } from "./coalesce.js";
import { type Layout, trusted } from "./layout.js";
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
    else for (const leaf of leaves(mode).reverse()) out.push(leaf);
  }
  return out;
}

/** The leaves of one axis, fastest first. */
export interface FlatAxis {
  readonly extents: readonly number[];
  readonly strides: readonly number[];
}

/** Coalesces each axis by itself: the fewest leaves, at least one, that map its coordinate to the same index. */
export function coalescedAxes(l: Layout): FlatAxis[] {
  return l.shape.map((mode, axis) => {
    const stride = l.stride[axis]!;
    if (typeof mode === "number") return { extents: [mode], strides: [stride as number] };
    const { shape, stride: steps } = coalesce(trusted(mode, stride as readonly IntTree[]));
    return { extents: shape as readonly number[], strides: steps as readonly number[] };
  });
}
