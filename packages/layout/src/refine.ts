import { LayoutError } from "./errors.js";
import { formatLayout, type Layout, requireLayout } from "./layout.js";
import { copied } from "./lists.js";
import { type IntTree, isFlat, leaves, requireList, treeSize } from "./tree.js";

/** More loops of 2 and above than this pass 2^53 elements, so a nest of more has an extent of 0 and is never walked. */
const MOST_LOOPS = 53;

/** One nest of loops over several layouts, outermost loop first. @since 0.1.0 */
export interface Loops {
  /** The extent of each loop; none of them is 1. */
  readonly extents: number[];
  /** For each layout, its stride in each loop. */
  readonly strides: number[][];
}

/**
 * Gives the one nest of loops that walks several layouts of equal axes in lock-step, or undefined when there is none.
 *
 * Axes whose nests differ are split to their common refinement, if the nests have one. Loops are ordered by the size of
 * their stride in the first layout, outermost the largest; ties by the next layouts, then row-major. Neighbours that
 * continue each other in every layout become one. Loops of extent 1 go, those of extent 0 stay as they are.
 *
 * @throws TypeError for what is not a list of layouts.
 * @throws LayoutError `SW_LAYOUT_SHAPES_DIFFER` when the extents of an axis differ: expand first.
 * @example
 * ```ts
 * import { refine, rowMajor, strided } from "@sw/layout";
 * console.log(refine([rowMajor([4, 6]), rowMajor([4, 6])])); // { extents: [ 24 ], strides: [ [ 1 ], [ 1 ] ] }
 * console.log(refine([rowMajor([4, 6]), strided([4, 6], [0, 1])])); // { extents: [ 4, 6 ], strides: [ [ 6, 1 ], [ 0, 1 ] ] }
 * ```
 * @since 0.1.0
 */
export function refine(layouts: readonly Layout[]): Loops | undefined {
  return commonLoops("refine", layouts, true);
}

/** As `refine`, for any operation; unsorted the loops stay row-major, and still merge with their neighbours. */
export function commonLoops(operation: string, layouts: readonly Layout[], sorted: boolean): Loops | undefined {
  // Called for every operation on tensors: plain loops, and no list but those of the result while all axes are flat.
  requireList(operation, "layouts", layouts);
  const count = layouts.length;
  for (let k = 0; k < count; k++) requireLayout(operation, layouts[k]);
  if (count === 0) return { extents: [], strides: [] };
  const shape = layouts[0]!.shape;
  let flat = isFlat(shape);
  let ones = false;
  for (let axis = 0; axis < shape.length; axis++) if (shape[axis] === 1) ones = true;
  for (let k = 1; k < count; k++) {
    const other = layouts[k]!.shape;
    if (other === shape) continue;
    if (other.length !== shape.length) throw shapesDiffer(operation, layouts, k);
    for (let axis = 0; axis < shape.length; axis++) if (other[axis] !== shape[axis]) flat = false;
  }
  let extents: number[] = [];
  const strides: number[][] = [];
  if (flat) {
    extents = copied(shape as readonly number[]);
    for (let k = 0; k < count; k++) strides.push(copied(layouts[k]!.stride as readonly number[]));
    if (ones) dropOnes(extents, strides);
  } else {
    requireEqualAxes(operation, layouts);
    for (let k = 0; k < count; k++) strides.push([]);
    for (let axis = 0; axis < shape.length; axis++) {
      if (!pushNestedAxis(layouts, axis, extents, strides)) return undefined;
    }
  }
  if (sorted) sortLoops(extents, strides);
  mergeLoops(extents, strides);
  return { extents, strides };
}

/** Refuses layouts of which an axis differs in extent; ranks are equal. */
function requireEqualAxes(operation: string, layouts: readonly Layout[]): void {
  const shape = layouts[0]!.shape;
  for (let axis = 0; axis < shape.length; axis++) {
    const extent = treeSize(shape[axis]!);
    for (let k = 1; k < layouts.length; k++) {
      if (treeSize(layouts[k]!.shape[axis]!) !== extent) throw shapesDiffer(operation, layouts, k);
    }
  }
}

/** Removes in place the loops of extent 1. */
function dropOnes(extents: number[], strides: number[][]): void {
  let kept = 0;
  for (let i = 0; i < extents.length; i++) {
    if (extents[i] === 1) continue;
    extents[kept] = extents[i]!;
    for (let k = 0; k < strides.length; k++) strides[k]![kept] = strides[k]![i]!;
    kept++;
  }
  cut(extents, strides, kept);
}

function cut(extents: number[], strides: number[][], length: number): void {
  while (extents.length > length) {
    extents.pop();
    for (let k = 0; k < strides.length; k++) strides[k]!.pop();
  }
}

/** Appends the loops of one axis, nested or flat, slowest first; false when there is no common refinement. */
function pushNestedAxis(layouts: readonly Layout[], axis: number, extents: number[], strides: number[][]): boolean {
  const count = layouts.length;
  const extent = treeSize(layouts[0]!.shape[axis]!);
  if (extent === 0) {
    extents.push(0);
    for (let k = 0; k < count; k++) {
      const stride = layouts[k]!.stride[axis]!;
      strides[k]!.push(typeof stride === "number" ? stride : 0);
    }
    return true;
  }
  // Per layout: the coalesced leaves of the axis, how far the current one has been used up, and its step there.
  const leafExtents: number[][] = [];
  const leafStrides: number[][] = [];
  const next: number[] = [];
  for (let k = 0; k < count; k++) {
    const e: number[] = [];
    const d: number[] = [];
    coalesceAxis(layouts[k]!.shape[axis]!, layouts[k]!.stride[axis]!, e, d);
    leafExtents.push(e);
    leafStrides.push(d);
    next.push(0);
  }
  const from = extents.length;
  for (let left = extent; left > 1; ) {
    let piece = left;
    for (let k = 0; k < count; k++) piece = Math.min(piece, leafExtents[k]![next[k]!]!);
    for (let k = 0; k < count; k++) if (leafExtents[k]![next[k]!]! % piece !== 0) return false;
    extents.push(piece);
    for (let k = 0; k < count; k++) {
      const at = next[k]!;
      strides[k]!.push(leafStrides[k]![at]!);
      leafStrides[k]![at]! *= piece;
      leafExtents[k]![at]! /= piece;
      if (leafExtents[k]![at] === 1) next[k] = at + 1;
    }
    left /= piece;
  }
  // Found fastest first; loops are listed slowest first.
  reverseFrom(extents, from);
  for (let k = 0; k < count; k++) reverseFrom(strides[k]!, from);
  return true;
}

/** Lists the leaves of one axis, extents of 1 left out, each run that is one progression as one. */
function coalesceAxis(mode: IntTree, stride: IntTree, outExtents: number[], outStrides: number[]): void {
  const e = leaves(mode);
  const d = leaves(stride);
  for (let i = 0; i < e.length; i++) {
    if (e[i] === 1) continue;
    const last = outExtents.length - 1;
    if (last >= 0 && d[i] === outExtents[last]! * outStrides[last]!) outExtents[last] = outExtents[last]! * e[i]!;
    else {
      outExtents.push(e[i]!);
      outStrides.push(d[i]!);
    }
  }
}

function reverseFrom(list: number[], from: number): void {
  for (let i = from, j = list.length - 1; i < j; i++, j--) {
    const kept = list[i]!;
    list[i] = list[j]!;
    list[j] = kept;
  }
}

/** Whether loop i strides further than loop j: in the first layout in which they differ. */
function outweighs(strides: readonly number[][], i: number, j: number): boolean {
  for (let k = 0; k < strides.length; k++) {
    const difference = Math.abs(strides[k]![i]!) - Math.abs(strides[k]![j]!);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

/** Sorts the loops in place by insertion, which keeps ties in order. */
function sortLoops(extents: number[], strides: number[][]): void {
  if (extents.length > MOST_LOOPS) return;
  for (let i = 1; i < extents.length; i++) {
    for (let j = i; j > 0 && outweighs(strides, j, j - 1); j--) {
      swap(extents, j);
      for (let k = 0; k < strides.length; k++) swap(strides[k]!, j);
    }
  }
}

function swap(list: number[], j: number): void {
  const kept = list[j]!;
  list[j] = list[j - 1]!;
  list[j - 1] = kept;
}

/** Joins in place the loops that continue each other in every layout; an extent of 0 joins nothing. */
function mergeLoops(extents: number[], strides: number[][]): void {
  let last = -1;
  for (let i = 0; i < extents.length; i++) {
    const extent = extents[i]!;
    let joins = last >= 0 && extent !== 0 && extents[last] !== 0;
    for (let k = 0; joins && k < strides.length; k++) joins = strides[k]![last] === strides[k]![i]! * extent;
    if (!joins) last++;
    extents[last] = joins ? extents[last]! * extent : extent;
    for (let k = 0; k < strides.length; k++) strides[k]![last] = strides[k]![i]!;
  }
  cut(extents, strides, last + 1);
}

function shapesDiffer(operation: string, layouts: readonly Layout[], k: number): LayoutError {
  const a = layouts[0]!;
  const b = layouts[k]!;
  const problem = `the axes of two layouts differ: got ${formatLayout(a)} and ${formatLayout(b)}, expected equal extents on every axis. Expand one of them first.`;
  return new LayoutError("SW_LAYOUT_SHAPES_DIFFER", operation, problem, { layout: a, other: b });
}
