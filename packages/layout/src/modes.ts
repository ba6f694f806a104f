import { LayoutError, notAnInteger } from "./errors.js";
import { formatLayout, type Layout, made, requireLayout, trusted } from "./layout.js";
import type { IntTree } from "./tree.js";

/** Shape and stride of one mode, of the same tree form. */
export interface Mode {
  readonly shape: IntTree;
  readonly stride: IntTree;
}

/** The mode that changes nothing: one coordinate. */
export const UNIT_MODE: Mode = { shape: 1, stride: 0 };

/**
 * Gives a top-level mode as a layout of its own (LA-40): a leaf becomes a rank-1 layout, a nested mode gives its modes.
 *
 * @throws TypeError when the position is not an integer; LayoutError `SW_LAYOUT_AXIS` when there is no such mode,
 * `SW_LAYOUT_UNSAFE_INTEGER` when only an extent of 0 elsewhere kept an index of this mode within 2^53 - 1.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { modeOf } from "@sw/layout/algebra";
 * console.log(String(modeOf(parseLayout("(2,(3,4)):(1,(2,6))"), 1))); // (3,4):(2,6)
 * ```
 * @since 0.1.0
 */
export function modeOf(l: Layout, i: number): Layout {
  requireLayout("modeOf", l);
  return modeAt("modeOf", l, i);
}

/** As `modeOf`, for an operation that found its argument to be a layout. */
export function modeAt(operation: string, l: Layout, i: number): Layout {
  const { shape, stride } = requireMode(operation, l, i);
  const extents = typeof shape === "number" ? [shape] : shape;
  const strides = typeof stride === "number" ? [stride] : stride;
  // A part of what has elements reaches no further than the whole.
  return l.size > 0 ? trusted(extents, strides) : made(operation, extents, strides);
}

/** Gives a mode that exists as it stands in its layout. */
export function modeIn(l: Layout, i: number): Mode {
  return { shape: l.shape[i]!, stride: l.stride[i]! };
}

/** As `modeIn`, when the position may be wrong. */
export function requireMode(operation: string, l: Layout, i: number): Mode {
  if (typeof i !== "number" || !Number.isInteger(i)) throw notAnInteger(operation, "a mode", i);
  if (i < 0 || i >= l.rank) {
    const rule = l.rank === 0 ? "none (rank 0)" : `0 to ${l.rank - 1}`;
    const problem = `a mode does not exist: got ${i}, expected ${rule} (layout ${formatLayout(l)}).`;
    throw new LayoutError("SW_LAYOUT_AXIS", operation, problem, { layout: l, axis: i, value: i });
  }
  return modeIn(l, i);
}

/** What a layout is as one mode of another: itself, or its only mode (LA-81), or extent 1 for rank 0. */
export function asMode(l: Layout): Mode {
  if (l.rank === 0) return UNIT_MODE;
  return l.rank === 1 ? { shape: l.shape[0]!, stride: l.stride[0]! } : l;
}

/** Nests modes in one; a group of none is extent 1, since no nested mode is empty (LA-5). */
export function nested(modes: readonly Mode[]): Mode {
  return modes.length === 0 ? UNIT_MODE : { shape: modes.map(shapeOf), stride: modes.map(strideOf) };
}

/** Makes a layout of modes; size, reach and depth are checked. */
export function fromModes(operation: string, modes: readonly Mode[]): Layout {
  return made(operation, modes.map(shapeOf), modes.map(strideOf));
}

function shapeOf(mode: Mode): IntTree {
  return mode.shape;
}

function strideOf(mode: Mode): IntTree {
  return mode.stride;
}
