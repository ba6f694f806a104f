import { LayoutError, notAnInteger, unsafe } from "./errors.js";
import { extents, formatLayout, type Layout, requireLayout, trusted } from "./layout.js";
import { copied, inserted, replaced, without } from "./lists.js";
import { formatShape, type IntTree, leaves, requireExtent, requireList, treeSize } from "./tree.js";

/** A layout and where it starts: what a view of another layout is. @since 0.1.0 */
export interface Located {
  /** The layout of the view. */
  readonly layout: Layout;
  /** The index, in the source, of the first coordinate of the view. */
  readonly start: number;
}

/** A view as arithmetic: a pure function of the source layout that throws LayoutError. @since 0.1.0 */
export type LayoutView = (source: Layout) => Located;

// The functions below run millions of times a second: plain loops, lists shared where they do not change, and all that
// only an error needs is computed when it is thrown. `+ 0` turns -0 into 0. What is not a layout is a TypeError in each.

/**
 * Reorders the axes: axis j of the view is axis `order[j]` of the source. The identity gives the source itself.
 *
 * @throws TypeError when an entry is not an integer; LayoutError `SW_LAYOUT_ORDER` when the order is no permutation.
 * @since 0.1.0
 */
export function permuteAxes(l: Layout, order: readonly number[], operation = "permuteAxes"): Located {
  requireLayout(operation, l);
  const { shape, stride } = l;
  const rank = shape.length;
  requireList(operation, "order", order);
  let sorted = order.length === rank;
  for (let j = 0; j < order.length; j++) {
    const axis = order[j]!;
    if (typeof axis !== "number" || !Number.isInteger(axis)) throw notAnInteger(operation, "an axis", axis);
    if (axis !== j) sorted = false;
  }
  if (sorted) return { layout: l, start: 0 };
  if (order.length !== rank || repeats(order)) throw orderError(l, order, operation);
  const newShape = copied(shape);
  const newStride = copied(stride);
  for (let j = 0; j < rank; j++) {
    const axis = order[j]!;
    const mode = shape[axis];
    if (mode === undefined) throw orderError(l, order, operation);
    newShape[j] = mode;
    newStride[j] = stride[axis]!;
  }
  return { layout: trusted(newShape, newStride), start: 0 };
}

/** Whether an order names an axis twice: by pairs, which allocates nothing, unless it is long. */
function repeats(order: readonly number[]): boolean {
  if (order.length > 16) return new Set(order).size < order.length;
  for (let j = 1; j < order.length; j++) {
    for (let k = 0; k < j; k++) if (order[k] === order[j]) return true;
  }
  return false;
}

/**
 * Keeps the coordinates `start`, `start + step`, … below `end` of one axis; the extent is ceil((end - start) / step).
 *
 * `0 <= start <= end <= extent` and `step >= 1`. Of a nested axis only the whole can be taken.
 *
 * @throws TypeError when a bound is not an integer.
 * @throws LayoutError `SW_LAYOUT_AXIS`, `SW_LAYOUT_SLICE`, `SW_LAYOUT_NESTED_AXIS`, `SW_LAYOUT_UNSAFE_INTEGER`.
 * @since 0.1.0
 */
export function sliceAxis(
  l: Layout,
  axis: number,
  start: number,
  end: number,
  step = 1,
  operation = "sliceAxis",
): Located {
  requireLayout(operation, l);
  const { shape, stride } = l;
  const mode = modeAt(l, axis, operation);
  const extent = typeof mode === "number" ? mode : treeSize(mode);
  if (!Number.isInteger(start)) throw notAnInteger(operation, "start", start);
  if (!Number.isInteger(end)) throw notAnInteger(operation, "end", end);
  if (!Number.isInteger(step)) throw notAnInteger(operation, "step", step);
  if (start < 0 || start > end || end > extent || step < 1) throw sliceError(l, axis, start, end, step, operation);
  if (step === 1 && start === 0 && end === extent) return { layout: l, start: 0 };
  if (typeof mode !== "number") throw nestedAxis(l, axis, operation, "only its whole extent can be sliced");
  const count = Math.ceil((end - start) / step);
  const oldStride = stride[axis] as number;
  const newStride = oldStride * step;
  // Two elements that exist are that far apart; but there may be one or none, on this axis or for an extent of 0.
  if (!Number.isSafeInteger(newStride)) throw unsafe(operation, "the stride", newStride, { layout: l, axis });
  return {
    layout: trusted(
      count === extent ? shape : replaced(shape, axis, count),
      step === 1 ? stride : replaced(stride, axis, newStride),
    ),
    start: count === 0 ? 0 : checkedStart(l, start, oldStride, operation),
  };
}

/**
 * Keeps one coordinate of an axis and removes the axis; in a nested axis it is the ordinal, first leaf fastest.
 *
 * @throws TypeError when the index is not an integer; LayoutError `SW_LAYOUT_AXIS`, `SW_LAYOUT_COORDINATE`.
 * @since 0.1.0
 */
export function selectAxis(l: Layout, axis: number, index: number, operation = "selectAxis"): Located {
  requireLayout(operation, l);
  const { shape, stride } = l;
  const mode = modeAt(l, axis, operation);
  const extent = typeof mode === "number" ? mode : treeSize(mode);
  if (!Number.isInteger(index)) throw notAnInteger(operation, "index", index);
  if (index < 0 || index >= extent) {
    const problem = `index is outside axis ${axis}: got index ${index}, expected 0 to ${extent - 1} (shape ${formatShape(extents(l))}).`;
    throw new LayoutError("SW_LAYOUT_COORDINATE", operation, problem, { layout: l, axis, value: index, shape });
  }
  const start =
    typeof mode === "number"
      ? checkedStart(l, index, stride[axis] as number, operation)
      : nestedStart(l, mode, stride[axis]!, index, operation);
  return { layout: trusted(without(shape, axis), without(stride, axis)), start };
}

/**
 * Reverses an axis: the stride is negated and the view starts at the last element.
 *
 * @throws TypeError when the axis is not an integer; LayoutError `SW_LAYOUT_AXIS`, `SW_LAYOUT_NESTED_AXIS`.
 * @since 0.1.0
 */
export function flipAxis(l: Layout, axis: number, operation = "flipAxis"): Located {
  requireLayout(operation, l);
  const extent = modeAt(l, axis, operation);
  if (typeof extent !== "number") throw nestedAxis(l, axis, operation, "it cannot be reversed");
  const oldStride = l.stride[axis] as number;
  return {
    layout: trusted(l.shape, replaced(l.stride, axis, 0 - oldStride)),
    start: extent === 0 ? 0 : checkedStart(l, extent - 1, oldStride, operation),
  };
}

/**
 * Inserts an axis of extent 1 before axis `axis`, or at the end when it equals the rank.
 *
 * Its stride continues that of the axis it precedes (extent times stride; 1 at the end).
 *
 * @throws TypeError when the axis is not an integer; LayoutError `SW_LAYOUT_AXIS`, `SW_LAYOUT_UNSAFE_INTEGER`.
 * @since 0.1.0
 */
export function unsqueezeAxis(l: Layout, axis: number, operation = "unsqueezeAxis"): Located {
  requireLayout(operation, l);
  const { shape, stride } = l;
  const rank = shape.length;
  if (!Number.isInteger(axis)) throw notAnInteger(operation, "axis", axis);
  if (axis < 0 || axis > rank) throw axisError(l, axis, rank, operation);
  let newStride = 1;
  if (axis < rank) {
    const mode = shape[axis]!;
    newStride = typeof mode === "number" ? mode * (stride[axis] as number) + 0 : slowestStep(mode, stride[axis]!);
    if (!Number.isSafeInteger(newStride)) throw unsafe(operation, "the stride", newStride, { layout: l, axis });
  }
  return { layout: trusted(inserted(shape, axis, 1), inserted(stride, axis, newStride)), start: 0 };
}

/**
 * Removes an axis of extent 1.
 *
 * @throws TypeError when the axis is not an integer.
 * @throws LayoutError `SW_LAYOUT_AXIS`, `SW_LAYOUT_SQUEEZE`, `SW_LAYOUT_NESTED_AXIS` (even for the nest `(1)`, D11).
 * @since 0.1.0
 */
export function squeezeAxis(l: Layout, axis: number, operation = "squeezeAxis"): Located {
  requireLayout(operation, l);
  const extent = modeAt(l, axis, operation);
  if (typeof extent !== "number") throw nestedAxis(l, axis, operation, "it cannot be removed");
  if (extent !== 1) {
    const problem = `axis ${axis} cannot be removed: got extent ${extent}, expected 1 (shape ${formatShape(extents(l))}).`;
    throw new LayoutError("SW_LAYOUT_SQUEEZE", operation, problem, { layout: l, axis, value: extent, shape: l.shape });
  }
  return { layout: trusted(without(l.shape, axis), without(l.stride, axis)), start: 0 };
}

/**
 * Repeats axes of extent 1, and adds leading axes, up to a target of one extent per axis, right-aligned; repeated axes
 * get stride 0. A nested axis of equal extent keeps its nest. A layout of that shape is returned itself.
 *
 * @throws TypeError for a target that is not a list of integers.
 * @throws LayoutError `SW_LAYOUT_EXPAND`, `SW_LAYOUT_EXTENT`, `SW_LAYOUT_NESTED_AXIS`, `SW_LAYOUT_UNSAFE_INTEGER`.
 * @since 0.1.0
 */
export function expandTo(l: Layout, target: readonly number[], operation = "expandTo"): Located {
  requireLayout(operation, l);
  const { shape, stride } = l;
  requireList(operation, "shape", target);
  const added = target.length - shape.length;
  for (let j = 0; j < target.length; j++) requireExtent(operation, target[j], j);
  if (added < 0) throw expandError(l, target, undefined, operation);
  // Both lists start as copies of the target, which is quick; every entry is overwritten.
  const newShape: IntTree[] = copied(target);
  const newStride: IntTree[] = copied(target);
  let size = 1;
  let isEmpty = false;
  let same = added === 0;
  for (let j = 0; j < target.length; j++) {
    const wanted = target[j]!;
    if (wanted === 0) isEmpty = true;
    else size *= wanted;
    if (size > Number.MAX_SAFE_INTEGER) throw unsafe(operation, "the size", size, { layout: l, shape: target });
    const mode = j < added ? 1 : shape[j - added]!;
    if (j >= added && (typeof mode === "number" ? mode : treeSize(mode)) === wanted) {
      newShape[j] = mode;
      newStride[j] = stride[j - added]!;
      continue;
    }
    if (typeof mode !== "number" && treeSize(mode) !== 1) {
      throw nestedAxis(l, j - added, operation, "it cannot be repeated");
    }
    if (typeof mode === "number" && mode !== 1) throw expandError(l, target, j - added, operation);
    same = false;
    newShape[j] = wanted + 0;
    newStride[j] = 0;
  }
  return { layout: same ? l : trusted(newShape, newStride, isEmpty ? 0 : size), start: 0 };
}

/** The step by which an axis of this nest would go on: its slowest leaf's extent times stride. */
function slowestStep(mode: IntTree, stride: IntTree): number {
  const extentLeaves = leaves(mode);
  const strideLeaves = leaves(stride);
  const last = extentLeaves.length - 1;
  return extentLeaves[last]! * strideLeaves[last]! + 0;
}

/** Offset of an ordinal of a nested axis, first leaf fastest. */
function nestedStart(l: Layout, mode: IntTree, stride: IntTree, index: number, operation: string): number {
  const extentLeaves = leaves(mode);
  const strideLeaves = leaves(stride);
  let rest = index;
  let start = 0;
  for (let k = 0; k < extentLeaves.length; k++) {
    const digit = rest % extentLeaves[k]!;
    start += checkedStart(l, digit, strideLeaves[k]!, operation);
    rest = (rest - digit) / extentLeaves[k]!;
  }
  if (!Number.isSafeInteger(start)) throw unsafe(operation, "the start", start, { layout: l });
  return start;
}

/** The indices of a layout with elements are safe, but those an empty one merely names may not be. */
function checkedStart(l: Layout, count: number, stride: number, operation: string): number {
  const start = count * stride + 0;
  if (!Number.isSafeInteger(start)) throw unsafe(operation, "the start", start, { layout: l });
  return start;
}

function modeAt(l: Layout, axis: number, operation: string): IntTree {
  if (!Number.isInteger(axis)) throw notAnInteger(operation, "axis", axis);
  const mode = l.shape[axis];
  if (mode === undefined) throw axisError(l, axis, l.shape.length - 1, operation);
  return mode;
}

function axisError(l: Layout, axis: number, highest: number, operation: string): LayoutError {
  const rule = highest < 0 ? "none (rank 0)" : `0 to ${highest}`;
  const problem = `axis does not exist: got axis ${axis}, expected ${rule} (shape ${formatShape(extents(l))}).`;
  return new LayoutError("SW_LAYOUT_AXIS", operation, problem, { layout: l, axis, value: axis, shape: l.shape });
}

/** The error of a view that would have to split a nested axis. */
export function nestedAxis(l: Layout, axis: number, operation: string, why: string): LayoutError {
  const problem = `axis ${axis} is nested and ${why}: got ${formatLayout(l)}, expected a plain axis. Make it contiguous, or reshape it, first.`;
  return new LayoutError("SW_LAYOUT_NESTED_AXIS", operation, problem, { layout: l, axis, shape: l.shape });
}

function orderError(l: Layout, order: readonly number[], operation: string): LayoutError {
  const problem = `order is not a permutation of the axes: got ${formatShape(order)}, expected each of ${l.shape.length} axes once (shape ${formatShape(extents(l))}).`;
  return new LayoutError("SW_LAYOUT_ORDER", operation, problem, { layout: l, otherShape: [...order], shape: l.shape });
}

function expandError(l: Layout, target: readonly number[], axis: number | undefined, operation: string): LayoutError {
  const shape = extents(l);
  const problem =
    axis === undefined
      ? `the shape given has fewer axes: got ${formatShape(target)}, expected at least ${shape.length} axes (shape ${formatShape(shape)}).`
      : `axis ${axis} cannot be repeated: got shape ${formatShape(target)}, expected extent ${shape[axis]} there, or a source axis of extent 1 (shape ${formatShape(shape)}).`;
  const fields = { layout: l, shape: l.shape, otherShape: [...target] };
  return new LayoutError("SW_LAYOUT_EXPAND", operation, problem, axis === undefined ? fields : { ...fields, axis });
}

function sliceError(l: Layout, axis: number, start: number, end: number, step: number, operation: string): LayoutError {
  const shape = extents(l);
  const where = `(shape ${formatShape(shape)}).`;
  let value = end;
  let problem = `end is past axis ${axis}: got end ${end}, expected at most ${shape[axis]} ${where}`;
  if (step < 1) {
    value = step;
    problem = `step is not positive: got step ${step}, expected 1 or more. To reverse an axis, flip it.`;
  } else if (start < 0) {
    value = start;
    problem = `start is before axis ${axis}: got start ${start}, expected 0 or more ${where}`;
  } else if (start > end) {
    value = start;
    problem = `start is past end on axis ${axis}: got start ${start}, end ${end}, expected start <= end ${where}`;
  }
  return new LayoutError("SW_LAYOUT_SLICE", operation, problem, { layout: l, axis, value, shape: l.shape });
}
