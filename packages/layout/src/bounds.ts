import { type Layout, requireLayout } from "./layout.js";
import { type IntTree, isFlat, leaves, treeSize } from "./tree.js";

/**
 * Gives the lowest index a layout reaches: 0 unless a stride is negative, and 0 for an empty layout. No allocation.
 *
 * @throws TypeError for what is not a layout.
 * @since 0.1.0
 */
export function minIndex(l: Layout): number {
  requireLayout("minIndex", l);
  const { shape, stride } = l;
  let sum = 0;
  for (let i = 0; i < shape.length; i++) {
    const mode = shape[i]!;
    if (typeof mode === "number") {
      if (mode === 0) return 0;
      const d = stride[i] as number;
      if (d < 0) sum += (mode - 1) * d + 0;
    } else {
      if (treeSize(mode) === 0) return 0;
      sum += reach(mode, stride[i]!, -1);
    }
  }
  return sum;
}

/**
 * Gives the highest index a layout reaches; -1 for an empty layout, which reaches nothing. No allocation.
 *
 * @throws TypeError for what is not a layout.
 * @since 0.1.0
 */
export function maxIndex(l: Layout): number {
  requireLayout("maxIndex", l);
  const { shape, stride } = l;
  let sum = 0;
  for (let i = 0; i < shape.length; i++) {
    const mode = shape[i]!;
    if (typeof mode === "number") {
      if (mode === 0) return -1;
      const d = stride[i] as number;
      if (d > 0) sum += (mode - 1) * d;
    } else {
      if (treeSize(mode) === 0) return -1;
      sum += reach(mode, stride[i]!, 1);
    }
  }
  return sum;
}

/** How far a subtree without extents of 0 reaches up (sign 1) or down (sign -1). */
function reach(shape: IntTree, stride: IntTree, sign: 1 | -1): number {
  if (typeof shape === "number") {
    const d = stride as number;
    return d * sign > 0 ? (shape - 1) * d + 0 : 0;
  }
  let sum = 0;
  for (let i = 0; i < shape.length; i++) sum += reach(shape[i]!, (stride as readonly IntTree[])[i]!, sign);
  return sum;
}

/**
 * Gives the width of the window a layout reaches: maxIndex - minIndex + 1, and 0 when it is empty (D3).
 *
 * @throws TypeError for what is not a layout.
 * @since 0.1.0
 */
export function cosize(l: Layout): number {
  requireLayout("cosize", l);
  return maxIndex(l) - minIndex(l) + 1;
}

/**
 * Tells whether a row-major walk of a layout visits 0, 1, 2, … in order; strides of extent-1 leaves do not count, and
 * an empty layout is contiguous (OneModel section 3). Within a nested axis the first leaf is the fastest.
 *
 * @throws TypeError for what is not a layout.
 * @since 0.1.0
 */
export function isContiguous(l: Layout): boolean {
  requireLayout("isContiguous", l);
  const { shape, stride } = l;
  let expected = 1;
  for (let i = shape.length - 1; i >= 0; i--) {
    const mode = shape[i]!;
    if (mode === 1) continue;
    if (typeof mode === "number" ? stride[i] !== expected : !continues(mode, stride[i]!, expected)) return l.size === 0;
    expected *= typeof mode === "number" ? mode : treeSize(mode);
  }
  return true;
}

/** Whether a nested axis, first leaf fastest, counts up from a step. */
function continues(mode: IntTree, stride: IntTree, step: number): boolean {
  const extents = leaves(mode);
  const strides = leaves(stride);
  let expected = step;
  for (let i = 0; i < extents.length; i++) {
    if (extents[i] === 1) continue;
    if (strides[i] !== expected) return false;
    expected *= extents[i]!;
  }
  return true;
}

/**
 * Tells whether a layout fills a gapless range of indices, each once, in any order and direction.
 *
 * Exact: a sum of arithmetic progressions tiles a range only when the strides, sorted, are the products of the extents
 * before them. An empty layout is dense.
 *
 * @throws TypeError for what is not a layout.
 * @since 0.1.0
 */
export function isDense(l: Layout): boolean {
  requireLayout("isDense", l);
  if (l.size === 0) return true;
  const order = sortedByStride(l);
  let expected = 1;
  for (const [extent, stride] of order) {
    if (stride !== expected) return false;
    expected *= extent;
  }
  return true;
}

/** Lists the leaves of extent above 1 as [extent, |stride|], smallest stride first. */
export function sortedByStride(l: Layout): [extent: number, stride: number][] {
  const extentLeaves = isFlat(l.shape) ? l.shape : leaves(l.shape);
  const strideLeaves = isFlat(l.stride) ? l.stride : leaves(l.stride);
  const order: [number, number][] = [];
  for (let i = 0; i < extentLeaves.length; i++) {
    if (extentLeaves[i]! < 2) continue;
    const stride = Math.abs(strideLeaves[i]!);
    // By insertion: a size within 2^53 has 52 such leaves at most, and mostly they are a handful.
    let at = order.length;
    order.push([extentLeaves[i]!, stride]);
    for (; at > 0 && order[at - 1]![1] > stride; at--) {
      const after = order[at]!;
      order[at] = order[at - 1]!;
      order[at - 1] = after;
    }
  }
  return order;
}

/**
 * Tells whether a layout repeats elements along a leaf: an extent above 1 with stride 0.
 *
 * @throws TypeError for what is not a layout.
 * @since 0.1.0
 */
export function isBroadcast(l: Layout): boolean {
  requireLayout("isBroadcast", l);
  const extentLeaves = isFlat(l.shape) ? l.shape : leaves(l.shape);
  const strideLeaves = isFlat(l.stride) ? l.stride : leaves(l.stride);
  for (let i = 0; i < extentLeaves.length; i++) if (extentLeaves[i]! > 1 && strideLeaves[i] === 0) return true;
  return false;
}
