import { LayoutError, notAnInteger, unsafe } from "./errors.js";
import { orderCode } from "./last-views.js";
import { extents, formatLayout, type Layout, lastViews, remember, requireLayout, trusted } from "./layout.js";
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
  return { layout: reordered(l, order, operation), start: 0 };
}

/** The layout of {@link permuteAxes}, which starts where its source does. */
export function reordered(l: Layout, order: readonly number[], operation: string): Layout {
  requireLayout(operation, l);
  requireList(operation, "order", order);
  const { shape, stride } = l;
  const rank = shape.length;
  const code = orderCode(order, rank);
  if (code < 0) checkOrder(l, order, operation);
  else if (lastViews(l).orderCode === code) return lastViews(l).permuted!;
  const newShape = copied(shape);
  const newStride = copied(stride);
  let sorted = true;
  for (let j = 0; j < rank; j++) {
    const axis = order[j]!;
    if (axis === j) continue;
    sorted = false;
    newShape[j] = shape[axis]!;
    newStride[j] = stride[axis]!;
  }
  if (sorted) return l;
  const view = trusted(newShape, newStride);
  const room = code < 0 ? undefined : remember(l, view);
  if (room !== undefined) {
    room.permuted = view;
    room.orderCode = code;
  }
  return view;
}

function checkOrder(l: Layout, order: readonly number[], operation: string): void {
  const rank = l.shape.length;
  for (const axis of order) {
    if (!Number.isInteger(axis)) throw notAnInteger(operation, "an axis", axis);
  }
  const named = new Set(order);
  if (order.length === rank && l.shape.every((_, axis) => named.has(axis))) return;
  throw orderError(l, order, operation);
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
  const layout = slicedAxis(l, axis, start, end, step, operation);
  return { layout, start: start === end ? 0 : axisStart(l, axis, start, operation) };
}

/**
 * The layout of {@link sliceAxis}; it starts at `axisStart(l, axis, start)`, and at 0 where the slice is empty. For who
 * makes views by the million: a `Located` costs as much as the view.
 *
 * @throws As `sliceAxis` does.
 * @since 0.1.0
 */
export function slicedAxis(
  l: Layout,
  axis: number,
  start: number,
  end: number,
  step = 1,
  operation = "slicedAxis",
): Layout {
  requireLayout(operation, l);
  const { shape, stride } = l;
  const mode = modeAt(l, axis, operation);
  const extent = typeof mode === "number" ? mode : treeSize(mode);
  if (!Number.isInteger(start)) throw notAnInteger(operation, "start", start);
  if (!Number.isInteger(end)) throw notAnInteger(operation, "end", end);
  if (!Number.isInteger(step)) throw notAnInteger(operation, "step", step);
  if (start < 0 || start > end || end > extent || step < 1) throw sliceError(l, axis, start, end, step, operation);
  if (step === 1 && start === 0 && end === extent) return l;
  if (typeof mode !== "number") throw nestedAxis(l, axis, operation, "only its whole extent can be sliced");
  const count = step === 1 ? end - start : Math.ceil((end - start) / step);
  const last = lastViews(l);
  if (last.sliceAxis === axis && last.sliceExtent === count && last.sliceStep === step) return last.sliced!;
  const newStride = (stride[axis] as number) * step;
  // Two elements that exist are that far apart; but there may be one or none, on this axis or for an extent of 0.
  if (!Number.isSafeInteger(newStride)) throw unsafe(operation, "the stride", newStride, { layout: l, axis });
  const view = trusted(
    count === extent ? shape : replaced(shape, axis, count),
    step === 1 ? stride : replaced(stride, axis, newStride),
  );
  const room = remember(l, view);
  if (room !== undefined) {
    room.sliced = view;
    room.sliceAxis = axis;
    room.sliceExtent = count;
    room.sliceStep = step;
  }
  return view;
}

/**
 * Keeps one coordinate of an axis and removes the axis; in a nested axis it is the ordinal, first leaf fastest.
 *
 * @throws TypeError when the index is not an integer; LayoutError `SW_LAYOUT_AXIS`, `SW_LAYOUT_COORDINATE`.
 * @since 0.1.0
 */
export function selectAxis(l: Layout, axis: number, index: number, operation = "selectAxis"): Located {
  const layout = selectedAxis(l, axis, index, operation);
  return { layout, start: axisStart(l, axis, index, operation) };
}

/**
 * The layout of {@link selectAxis}, which starts at `axisStart(l, axis, index)`; see {@link slicedAxis}.
 *
 * @throws As `selectAxis` does.
 * @since 0.1.0
 */
export function selectedAxis(l: Layout, axis: number, index: number, operation = "selectedAxis"): Layout {
  requireLayout(operation, l);
  const { shape, stride } = l;
  const mode = modeAt(l, axis, operation);
  const extent = typeof mode === "number" ? mode : treeSize(mode);
  if (!Number.isInteger(index)) throw notAnInteger(operation, "index", index);
  if (index < 0 || index >= extent) {
    const problem = `index is outside axis ${axis}: got index ${index}, expected 0 to ${extent - 1} (shape ${formatShape(extents(l))}).`;
    throw new LayoutError("SW_LAYOUT_COORDINATE", operation, problem, { layout: l, axis, value: index, shape });
  }
  const last = lastViews(l);
  if (last.selectAxis === axis) return last.selected!;
  const view = trusted(without(shape, axis), without(stride, axis));
  const room = remember(l, view);
  if (room !== undefined) {
    room.selected = view;
    room.selectAxis = axis;
  }
  return view;
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
  return {
    layout: trusted(l.shape, replaced(l.stride, axis, 0 - (l.stride[axis] as number))),
    start: extent === 0 ? 0 : axisStart(l, axis, extent - 1, operation),
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

/**
 * Gives the index of an ordinal of one axis, all other coordinates 0; in a nested axis the first leaf is the fastest.
 *
 * The ordinal is not compared with the extent: what an axis would go on with is asked for, too.
 *
 * @throws TypeError when axis or ordinal is not an integer; LayoutError `SW_LAYOUT_AXIS`, `SW_LAYOUT_UNSAFE_INTEGER`.
 * @since 0.1.0
 */
export function axisStart(l: Layout, axis: number, ordinal: number, operation = "axisStart"): number {
  requireLayout(operation, l);
  const mode = modeAt(l, axis, operation);
  if (!Number.isInteger(ordinal)) throw notAnInteger(operation, "index", ordinal);
  const stride = l.stride[axis]!;
  const start = typeof mode === "number" ? ordinal * (stride as number) + 0 : nestedStart(mode, stride, ordinal);
  // The indices of a layout with elements are safe, but those an empty one merely names may not be.
  if (!Number.isSafeInteger(start)) throw unsafe(operation, "the start", start, { layout: l });
  return start;
}

function nestedStart(mode: IntTree, stride: IntTree, ordinal: number): number {
  const extentLeaves = leaves(mode);
  const strideLeaves = leaves(stride);
  let rest = ordinal;
  let start = 0;
  for (let k = 0; k < extentLeaves.length; k++) {
    const digit = rest % extentLeaves[k]!;
    start += digit * strideLeaves[k]!;
    rest = (rest - digit) / extentLeaves[k]!;
  }
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
  const advice = step < 1 ? " To reverse an axis, flip it." : "";
  const problem = `the slice is wrong: got start ${start}, end ${end}, step ${step} on axis ${axis}, expected 0 <= start <= end <= ${shape[axis]}, step >= 1 (shape ${formatShape(shape)}).${advice}`;
  const value = step < 1 ? step : start < 0 || start > end ? start : end;
  return new LayoutError("SW_LAYOUT_SLICE", operation, problem, { layout: l, axis, value, shape: l.shape });
}
