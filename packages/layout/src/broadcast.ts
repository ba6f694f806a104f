import { LayoutError, unsafe } from "./errors.js";
import { formatLayout, type Layout, made, requireLayout } from "./layout.js";
import {
  congruent,
  copyShape,
  formatShape,
  type IntTree,
  requireExtent,
  requireList,
  type Shape,
  type Stride,
} from "./tree.js";

/**
 * Gives the shape two flat shapes broadcast to: right-aligned, each pair of extents equal or one of them 1.
 *
 * Returns one of the arguments itself when it already is that shape. For more shapes, fold.
 *
 * @throws TypeError for what is not a list of integers.
 * @throws LayoutError `SW_LAYOUT_BROADCAST` naming both shapes, `SW_LAYOUT_EXTENT`, `SW_LAYOUT_UNSAFE_INTEGER` for the
 * size of the result.
 * @example
 * ```ts
 * import { broadcastExtents } from "@sw/layout";
 * console.log(broadcastExtents([4, 1], [3])); // [ 4, 3 ]
 * ```
 * @since 0.1.0
 */
export function broadcastExtents(
  a: readonly number[],
  b: readonly number[],
  operation = "broadcastExtents",
): readonly number[] {
  requireList(operation, "shape", a);
  requireList(operation, "shape", b);
  const rank = Math.max(a.length, b.length);
  let isA = a.length === rank;
  let isB = b.length === rank;
  for (let k = 1; k <= rank; k++) {
    const x = k <= a.length ? a[a.length - k]! : 1;
    const y = k <= b.length ? b[b.length - k]! : 1;
    requireExtent(operation, x);
    if (x === y) continue;
    requireExtent(operation, y);
    if (x === 1) isA = false;
    else if (y === 1) isB = false;
    else throw mismatch(a, b, rank - k, operation);
  }
  if (isA) return a;
  if (isB) return b;
  const out: number[] = [];
  let size = 1;
  for (let j = 0; j < rank; j++) {
    const x = j < rank - a.length ? 1 : a[j - rank + a.length]!;
    const extent = x !== 1 ? x : j < rank - b.length ? 1 : b[j - rank + b.length]!;
    out.push(extent);
    if (extent !== 0) size *= extent;
    if (size > Number.MAX_SAFE_INTEGER) {
      throw unsafe(operation, "the size of the result", size, { shape: [...a], otherShape: [...b] });
    }
  }
  return out;
}

function mismatch(a: readonly number[], b: readonly number[], axis: number, operation: string): LayoutError {
  const problem = `shapes do not broadcast: got ${formatShape(a)} and ${formatShape(b)}, expected equal extents, or 1, on axis ${axis} of the result.`;
  return new LayoutError("SW_LAYOUT_BROADCAST", operation, problem, { shape: [...a], otherShape: [...b], axis });
}

/**
 * Widens extents of 1 to those of a shape of the same tree form; what was widened gets stride 0 (LA-44).
 *
 * Nothing is aligned, inserted or reordered: `expandTo` is the row-major rule that adds axes.
 *
 * @throws TypeError when `shape` is not a list of integers.
 * @throws LayoutError `SW_LAYOUT_BROADCAST` when the form differs, or an extent does that is not 1; those of `layout`
 * for the values of the shape and the size of the result.
 * @example
 * ```ts
 * import { broadcastTo, parseLayout } from "@sw/layout";
 * console.log(String(broadcastTo(parseLayout("(2,(1,3)):(1,(2,2))"), [2, [4, 3]]))); // (2,(4,3)):(1,(0,2))
 * ```
 * @since 0.1.0
 */
export function broadcastTo(l: Layout, shape: Shape): Layout {
  requireLayout("broadcastTo", l);
  return widenedTo("broadcastTo", l, copyShape("broadcastTo", shape));
}

/** Does what `broadcastTo` does with a checked shape, in the name of the operation that was called. */
export function widenedTo(operation: string, l: Layout, target: Shape): Layout {
  if (!congruent(l.shape, target)) throw notBroadcast(operation, l, target);
  return made(operation, target, widened(operation, l, l.shape, l.stride, target, target));
}

function widened(operation: string, l: Layout, shape: Shape, stride: Stride, target: Shape, whole: Shape): IntTree[] {
  return shape.map((mode, i) => {
    const step = stride[i]!;
    const wanted = target[i]!;
    if (typeof mode !== "number") return widened(operation, l, mode, step as Stride, wanted as Shape, whole);
    if (mode === wanted) return step;
    if (mode !== 1) throw notBroadcast(operation, l, whole);
    return 0;
  });
}

function notBroadcast(operation: string, l: Layout, target: Shape): LayoutError {
  const problem = `layout does not broadcast: got ${formatLayout(l)} and shape ${formatShape(target)}, expected the same form, and equal extents wherever that of the layout is not 1.`;
  return new LayoutError("SW_LAYOUT_BROADCAST", operation, problem, {
    layout: l,
    shape: l.shape,
    otherShape: target,
  });
}
