import {
  expandTo,
  flipAxis,
  type Layout,
  type Located,
  permuteAxes,
  selectAxis,
  sliceAxis,
  squeezeAxis,
  unsqueezeAxis,
} from "@sw/layout";
import type { DType } from "./dtype.js";
import { UnsupportedError } from "./errors.js";
import { checkAxis, plain, showShape } from "./gate.js";
import { derive } from "./handle.js";
import { isRecorded, record } from "./record.js";
import type { Tensor } from "./tensor.js";

// The views of OneModel section 4: arithmetic on a layout, a handle, and where a leaf is
// upstream, a record. Positive indices only; axes may count from the end.

const NOTHING: readonly number[] = [];

function view<D extends DType>(
  t: Tensor<D>,
  operation: string,
  located: Located,
  kind: string,
  ints: readonly number[],
): Tensor<D> {
  const out = derive(t, located, undefined, operation);
  return isRecorded(t) ? record(out, { kind, inputs: [t], ints }) : out;
}

/** Dimension i of the result is dimension `order[i]` of the source. A padded tensor keeps its padding. */
export function permute<D extends DType>(t: Tensor<D>, order: readonly number[]): Tensor<D> {
  const axes = order.map((axis) => checkAxis("permute", axis, t.rank));
  const located = permuteAxes(t.layout, axes, "permute");
  if (t.isPadded) {
    return derive(
      t,
      located,
      axes.map((axis) => t.shape[axis] as number),
      "permute",
    );
  }
  return view(t, "permute", located, "permute", axes);
}

/** Swaps two axes. */
export function transpose<D extends DType>(t: Tensor<D>, a: number, b: number): Tensor<D> {
  const first = checkAxis("transpose", a, t.rank);
  const second = checkAxis("transpose", b, t.rank);
  const order = t.shape.map((_, axis) => (axis === first ? second : axis === second ? first : axis));
  return permute(t, order);
}

/** Elements `start, start + step, …` before `end` of one axis; the extent rounds up. */
export function slice<D extends DType>(
  t: Tensor<D>,
  axis: number,
  start: number,
  end: number,
  step: number,
): Tensor<D> {
  plain(t, "slice");
  const a = checkAxis("slice", axis, t.rank);
  return view(t, "slice", sliceAxis(t.layout, a, start, end, step, "slice"), "slice", [a, start, end, step]);
}

/** One index of an axis, which is removed. */
export function select<D extends DType>(t: Tensor<D>, axis: number, index: number): Tensor<D> {
  plain(t, "select");
  const a = checkAxis("select", axis, t.rank);
  return view(t, "select", selectAxis(t.layout, a, index, "select"), "select", [a, index]);
}

/** One axis reversed. */
export function flip<D extends DType>(t: Tensor<D>, axis: number): Tensor<D> {
  plain(t, "flip");
  const a = checkAxis("flip", axis, t.rank);
  return view(t, "flip", flipAxis(t.layout, a, "flip"), "flip", [a]);
}

/** An extent-1 axis inserted before `axis`, or at the end. */
export function unsqueeze<D extends DType>(t: Tensor<D>, axis: number): Tensor<D> {
  plain(t, "unsqueeze");
  const a = checkAxis("unsqueeze", axis, t.rank + 1);
  return view(t, "unsqueeze", unsqueezeAxis(t.layout, a, "unsqueeze"), "reshape", NOTHING);
}

/** One extent-1 axis removed, or all of them. */
export function squeeze<D extends DType>(t: Tensor<D>, axis?: number): Tensor<D> {
  plain(t, "squeeze");
  if (axis !== undefined) {
    const a = checkAxis("squeeze", axis, t.rank);
    return view(t, "squeeze", squeezeAxis(t.layout, a, "squeeze"), "reshape", NOTHING);
  }
  let layout: Layout = t.layout;
  for (let a = t.rank - 1; a >= 0; a--) {
    if (t.shape[a] === 1) layout = squeezeAxis(layout, a, "squeeze").layout;
  }
  return view(t, "squeeze", { layout, start: 0 }, "reshape", NOTHING);
}

/** Extent-1 and missing leading axes repeated to a shape, without copying (stride 0). */
export function expand<D extends DType>(t: Tensor<D>, shape: readonly number[]): Tensor<D> {
  plain(t, "expand");
  return view(t, "expand", expandTo(t.layout, shape, "expand"), "expand", NOTHING);
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
