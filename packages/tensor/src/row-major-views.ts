import {
  axisStart,
  expandTo,
  flipAxis,
  type Layout,
  permute as permuteModes,
  selectedAxis,
  slicedAxis,
  squeezeAxis,
  unsqueezeAxis,
} from "@sw/layout";
import type { DType } from "./dtype.js";
import { UnsupportedError } from "./errors.js";
import { checkAxis, refusePadding, showShape } from "./gate.js";
import { viewAt } from "./handle.js";
import { swapped } from "./orders.js";
import { isRecorded, record } from "./record.js";
import type { Tensor } from "./tensor.js";

// The views of OneModel section 4: arithmetic on a layout, a handle, and where a leaf is upstream, a record. Positive
// indices only; axes may count from the end. They run millions of times a second, so what only a record needs is
// made for a record, and liveness is checked once, by `viewAt`.

const NOTHING: readonly number[] = [];

/** Dimension i of the result is dimension `order[i]` of the source. A padded tensor keeps its padding. */
export function permute<D extends DType>(t: Tensor<D>, order: readonly number[], operation = "permute"): Tensor<D> {
  // What is no list is refused by permuteModes.
  const axes = Array.isArray(order) ? positive(order, t.rank) : order;
  const layout = permuteModes(t.layout, axes);
  const box = t.isPadded ? taken(t.shape, axes) : undefined;
  const out = viewAt(t, layout, 0, box, operation);
  return isRecorded(t) ? record(out, { kind: "permute", inputs: [t], ints: [...axes] }) : out;
}

/** The order itself, or a copy where an axis counts from the end. */
function positive(order: readonly number[], rank: number): readonly number[] {
  for (let i = 0; i < order.length; i++) {
    const axis = order[i] as number;
    if (!(typeof axis === "number" && axis >= 0 && axis < rank)) return checkedAxes(order, rank);
  }
  return order;
}

// A closure costs a call that makes none its memory all the same: hence these two stand alone.

function checkedAxes(order: readonly number[], rank: number): readonly number[] {
  return order.map((axis) => checkAxis("permute", axis, rank));
}

function taken(shape: readonly number[], axes: readonly number[]): readonly number[] {
  return axes.map((axis) => shape[axis] as number);
}

/** Swaps two axes. */
export function transpose<D extends DType>(t: Tensor<D>, a: number, b: number): Tensor<D> {
  const first = checkAxis("transpose", a, t.rank);
  const second = checkAxis("transpose", b, t.rank);
  return permute(t, swapped(t.rank, first, second), "transpose");
}

/** Elements `start, start + step, …` before `end` of one axis; the extent rounds up. */
export function slice<D extends DType>(
  t: Tensor<D>,
  axis: number,
  start: number,
  before: number | undefined,
  step: number,
): Tensor<D> {
  refusePadding(t, "slice");
  const a = checkAxis("slice", axis, t.rank);
  const end = before === undefined ? (t.shape[a] as number) : before;
  const layout = slicedAxis(t.layout, a, start, end, step, "slice");
  const first = start === end ? 0 : axisStart(t.layout, a, start, "slice");
  const out = viewAt(t, layout, first, undefined, "slice");
  return isRecorded(t) ? record(out, { kind: "slice", inputs: [t], ints: [a, start, end, step] }) : out;
}

/** One index of an axis, which is removed. */
export function select<D extends DType>(t: Tensor<D>, axis: number, index: number): Tensor<D> {
  refusePadding(t, "select");
  const a = checkAxis("select", axis, t.rank);
  const layout = selectedAxis(t.layout, a, index, "select");
  const out = viewAt(t, layout, axisStart(t.layout, a, index, "select"), undefined, "select");
  return isRecorded(t) ? record(out, { kind: "select", inputs: [t], ints: [a, index] }) : out;
}

/** One axis reversed. */
export function flip<D extends DType>(t: Tensor<D>, axis: number): Tensor<D> {
  refusePadding(t, "flip");
  const a = checkAxis("flip", axis, t.rank);
  const { layout, start } = flipAxis(t.layout, a, "flip");
  const out = viewAt(t, layout, start, undefined, "flip");
  return isRecorded(t) ? record(out, { kind: "flip", inputs: [t], ints: [a] }) : out;
}

/** The same elements under other axes. */
function reshaped<D extends DType>(t: Tensor<D>, layout: Layout, operation: string): Tensor<D> {
  const out = viewAt(t, layout, 0, undefined, operation);
  return isRecorded(t) ? record(out, { kind: "reshape", inputs: [t], ints: NOTHING }) : out;
}

/** An extent-1 axis inserted before `axis`, or at the end. */
export function unsqueeze<D extends DType>(t: Tensor<D>, axis: number): Tensor<D> {
  refusePadding(t, "unsqueeze");
  const a = checkAxis("unsqueeze", axis, t.rank + 1);
  return reshaped(t, unsqueezeAxis(t.layout, a, "unsqueeze").layout, "unsqueeze");
}

/** One extent-1 axis removed, or all of them. */
export function squeeze<D extends DType>(t: Tensor<D>, axis?: number): Tensor<D> {
  refusePadding(t, "squeeze");
  if (axis !== undefined) {
    const a = checkAxis("squeeze", axis, t.rank);
    return reshaped(t, squeezeAxis(t.layout, a, "squeeze").layout, "squeeze");
  }
  let layout: Layout = t.layout;
  for (let a = t.rank - 1; a >= 0; a--) {
    if (t.shape[a] === 1) layout = squeezeAxis(layout, a, "squeeze").layout;
  }
  return reshaped(t, layout, "squeeze");
}

/** Extent-1 and missing leading axes repeated to a shape, without copying (stride 0). */
export function expand<D extends DType>(t: Tensor<D>, shape: readonly number[]): Tensor<D> {
  refusePadding(t, "expand");
  const { layout, start } = expandTo(t.layout, shape, "expand");
  const out = viewAt(t, layout, start, undefined, "expand");
  return isRecorded(t) ? record(out, { kind: "expand", inputs: [t], ints: NOTHING }) : out;
}

/** The strides of a tensor all of whose axes are leaves. */
export function flatStrides(t: Tensor): readonly number[] {
  const { stride } = t.layout;
  for (const s of stride) {
    if (typeof s !== "number") {
      throw new UnsupportedError(
        `strides: an axis is nested and has no one stride: got layout ${t.layout.toString()} of shape ${showShape(t.shape)}, expected leaves only. Read layout.stride.`,
      );
    }
  }
  return stride as readonly number[];
}
