import { widenedTo } from "../broadcast.js";
import { LayoutError, notAnInteger } from "../errors.js";
import { formatLayout, type Layout, requireLayout, trusted } from "../layout.js";
import { type Located, nestedAxis } from "../located.js";
import { copyShape, formatShape, type IntTree, requireList, type Shape } from "../tree.js";

/**
 * Inserts a top-level mode `1:0` before the one that `mode` names; negative counts from one past the end (VA-58).
 *
 * @throws TypeError when `mode` is not an integer; LayoutError `SW_LAYOUT_AXIS` outside [-(rank + 1), rank].
 * @example
 * ```ts
 * import { layout } from "@sw/layout";
 * import { unsqueezeMode } from "@sw/layout/views";
 * console.log(String(unsqueezeMode(layout([2, 3]), -1).layout)); // (2,3,1):(1,2,0)
 * ```
 * @since 0.1.0
 */
export function unsqueezeMode(l: Layout, mode: number, operation = "unsqueezeMode"): Located {
  requireLayout(operation, l);
  const at = placeOf(operation, l, mode, l.rank + 1);
  return { layout: trusted(l.shape.toSpliced(at, 0, 1), l.stride.toSpliced(at, 0, 0), l.size), start: 0 };
}

/**
 * Removes a top-level mode that is a leaf of extent 1; negative counts from the end (VA-59).
 *
 * @throws TypeError when `mode` is not an integer.
 * @throws LayoutError `SW_LAYOUT_AXIS` outside [-rank, rank - 1], `SW_LAYOUT_SQUEEZE` for another extent,
 * `SW_LAYOUT_NESTED_AXIS` (even for the nest `(1)`, D11).
 * @example
 * ```ts
 * import { layout } from "@sw/layout";
 * import { squeezeMode } from "@sw/layout/views";
 * console.log(String(squeezeMode(layout([2, 1]), -1).layout)); // (2):(1)
 * ```
 * @since 0.1.0
 */
export function squeezeMode(l: Layout, mode: number, operation = "squeezeMode"): Located {
  requireLayout(operation, l);
  const at = placeOf(operation, l, mode, l.rank);
  const extent = l.shape[at]!;
  if (typeof extent !== "number") throw nestedAxis(l, at, operation, "it cannot be removed");
  if (extent !== 1) {
    const problem = `mode ${at} cannot be removed: got extent ${extent}, expected 1 (layout ${formatLayout(l)}).`;
    throw new LayoutError("SW_LAYOUT_SQUEEZE", operation, problem, { layout: l, axis: at, value: extent });
  }
  return { layout: trusted(l.shape.toSpliced(at, 1), l.stride.toSpliced(at, 1), l.size), start: 0 };
}

/**
 * Places mode i at mode `places[i]` of a shape, inserts modes at the other places, and widens as `broadcastTo` (VA-56).
 *
 * @throws TypeError when `places` is no list of integers, or the shape none.
 * @throws LayoutError `SW_LAYOUT_ORDER` unless `places` has one entry per mode, increasing, inside the shape;
 * `SW_LAYOUT_BROADCAST` and the others of `broadcastTo`.
 * @example
 * ```ts
 * import { layout } from "@sw/layout";
 * import { broadcastInDim } from "@sw/layout/views";
 * console.log(String(broadcastInDim(layout([2]), [3, 2], [1]).layout)); // (3,2):(0,1)
 * ```
 * @since 0.1.0
 */
export function broadcastInDim(l: Layout, shape: Shape, places: readonly number[]): Located {
  const operation = "broadcastInDim";
  requireLayout(operation, l);
  const target = copyShape(operation, shape);
  requireList(operation, "places", places);
  for (const place of places) if (!Number.isInteger(place)) throw notAnInteger(operation, "a place", place);
  const isAscending = places.every((place, i) => place > (places[i - 1] ?? -1) && place < target.length);
  if (places.length !== l.rank || !isAscending) {
    const problem = `places do not fit the modes: got ${formatShape(places)}, expected ${l.rank} increasing modes below ${target.length} (layout ${formatLayout(l)}, shape ${formatShape(target)}).`;
    throw new LayoutError("SW_LAYOUT_ORDER", operation, problem, { layout: l, otherShape: target });
  }
  const shapes: IntTree[] = target.map(() => 1);
  const strides: IntTree[] = target.map(() => 0);
  places.forEach((place, i) => {
    shapes[place] = l.shape[i]!;
    strides[place] = l.stride[i]!;
  });
  return { layout: widenedTo(operation, trusted(shapes, strides, l.size), target), start: 0 };
}

/** The place that an integer from -count to count - 1 names. */
function placeOf(operation: string, l: Layout, mode: number, count: number): number {
  if (!Number.isInteger(mode)) throw notAnInteger(operation, "mode", mode);
  if (mode >= -count && mode < count) return mode < 0 ? mode + count : mode + 0;
  const rule = count === 0 ? "none (rank 0)" : `${-count} to ${count - 1}`;
  const problem = `a mode does not exist: got ${mode}, expected ${rule} (layout ${formatLayout(l)}).`;
  throw new LayoutError("SW_LAYOUT_AXIS", operation, problem, { layout: l, axis: mode, value: mode });
}
