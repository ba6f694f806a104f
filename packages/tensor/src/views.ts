import {
  broadcastTo as broadcastModes,
  type Coordinate,
  columnMajor,
  describe,
  type Layout,
  type LayoutView,
  permuteAxes,
  type Shape,
  type Stride,
} from "@sw/layout";
import { type Arrangement, rearrange as rearrangeParts } from "@sw/layout/algebra";
import { parseRearrange } from "@sw/layout/command";
import {
  asStrided as asStridedLayout,
  broadcastInDim as broadcastModesIn,
  isModeSlice,
  type ModeSlice,
  reshapeModes,
  sliceModes,
  squeezeMode,
  unsqueezeMode,
} from "@sw/layout/views";
import type { DType, TypedArray, ValueOf } from "./dtype.js";
import { fromElement } from "./element.js";
import { plain } from "./gate.js";
import { derive } from "./handle.js";
import { record, save, withLeaf } from "./record.js";
import { isCompound } from "./refuse-compound.js";
import { current } from "./scope.js";
import type { Tensor } from "./tensor.js";
import { windowOf } from "./window.js";

// The views of StrideWeave, which number coordinates first-mode-fastest (D1): a layout function and one way to apply it.

/** A tensor of several parts, as far as views know it: it maps its leading layouts (VA-32). @since 0.1.0 */
export interface LeadingLayouts {
  readonly "@sw/tensor/CompoundTensor/1": true;
  /** The placement of the first part. */
  readonly layout: Layout;
  mapLeading(view: LayoutView, operation: string): LeadingLayouts;
}

/** What views are made of. @since 0.1.0 */
export type Viewable = Tensor | LeadingLayouts;

/** A key of {@link slice}: one entry per top-level mode; one entry needs no list. @since 0.1.0 */
export type SliceKey = number | ModeSlice | readonly (Coordinate | ModeSlice)[];

/**
 * Makes the view. Where a leaf is upstream, its history is the source's version and which ordinals of the source it
 * shows; under `noGrad` the view is a leaf of its own (VA-63).
 */
function viewOf<D extends DType>(t: Tensor<D>, operation: string, view: LayoutView): Tensor<D> {
  const out = derive(t, view(t.layout), undefined, operation);
  if (t.node === undefined) return out;
  if (!current().recording) return withLeaf(out, "layout");
  const domain = columnMajor(t.layout.shape);
  const selector = view(domain);
  return record(out, { kind: "views", inputs: [t], saved: [save(t)], domain, selector, cotangent: "layout" });
}

function apply<T extends Viewable>(t: T, operation: string, view: LayoutView): T {
  if (isCompound(t)) return t.mapLeading(view, operation) as T;
  plain(t, operation);
  return viewOf(t, operation, view) as Tensor as T;
}

/**
 * Takes a part of each top-level mode (VA-35 to VA-40): an integer, the ordinal in its mode, removes the mode; a slice
 * `{ start, stop, step }` cuts it as Python does, but must not be empty and its step must divide it. Of a nested mode
 * only the whole, `{}`, can be taken. Shares memory.
 *
 * A key without slices reads the element. A tensor of several parts is sliced from the start of its modes only, and is
 * never read.
 *
 * @throws TypeError for an entry, bound or step of another type.
 * @throws LayoutError `SW_LAYOUT_COORDINATE` for another number of entries than modes, or a coordinate outside its mode;
 * `SW_LAYOUT_SLICE`, `SW_LAYOUT_NESTED_AXIS`.
 * @throws UnsupportedError for reading a tensor of several parts, or slicing it from elsewhere; for a padded tensor.
 * @throws StaleTensorError `SW_BUFFER_STALE`.
 * @example
 * ```ts
 * import { arange, views } from "@sw/tensor";
 * const t = views.reshape(arange(50), [5, 10]); // first mode fastest
 * const row = views.slice(t, [2, { start: 1, stop: -1, step: 2 }]);
 * console.log(row.toArray(), row.offset); // [ 7, 17, 27, 37 ] 7
 * console.log(views.slice(t, [2, 3])); // 17
 * ```
 * @since 0.1.0
 */
export function slice<D extends DType>(t: Tensor<D>, key: number | readonly Coordinate[]): ValueOf<D>;
export function slice<T extends Viewable>(t: T, key: SliceKey): T;
export function slice(t: Viewable, key: SliceKey): unknown {
  if (typeof key !== "number" && !Array.isArray(key) && !isModeSlice(key)) {
    const expected = "an integer, { start, stop, step }, or a list of them";
    throw new TypeError(`slice: the key has a wrong type: got ${describe(key)}, expected ${expected}.`);
  }
  const view: LayoutView = (l) => sliceModes(l, key, "slice");
  if (!reads(key)) return apply(t, "slice", view);
  plain(t, "slice");
  const { start } = view(t.layout);
  return fromElement(t.dtype, (windowOf(t) as TypedArray)[t.offset + start] as number | bigint);
}

/** Whether a key has no slice: what it shows is an element. */
function reads(key: SliceKey): boolean {
  const entries: readonly unknown[] = Array.isArray(key) ? key : [key];
  return entries.every((entry) => typeof entry === "number" || Array.isArray(entry));
}

/**
 * Takes the modes apart and puts them together in another tree (VA-41): by a command such as `"a (b c) -> (c a) b"`, or
 * by trees. In a tree the number n places part n of the selection (default: every leaf), `"1"` inserts an extent of 1,
 * a list nests; only parts of size 1 may be left out. A command is read before the tensor is looked at. Shares memory.
 *
 * @throws TypeError for an output that is neither text nor a list, or text with a selection.
 * @throws LayoutError `SW_LAYOUT_COMMAND`, with the `position` at fault; `SW_LAYOUT_ARRANGEMENT`, `SW_LAYOUT_EMPTY_MODE`.
 * @throws UnsupportedError for a tensor of several parts, or a padded one.
 * @example
 * ```ts
 * import { arange, views } from "@sw/tensor";
 * const t = arange(24).reshape([2, 12]);
 * const split = views.reshape(t.select(0, 1), [3, 4]);
 * console.log(String(views.rearrange(split, "a b -> (b a) 1").layout)); // ((4,3),1):((3,1),0)
 * console.log(String(views.rearrange(split, [[1, 0], "1"]).layout)); // ((4,3),1):((3,1),0)
 * ```
 * @since 0.1.0
 */
export function rearrange<D extends DType>(
  t: Tensor<D>,
  output: string | readonly Arrangement[],
  selection?: readonly Arrangement[],
): Tensor<D> {
  const byText = typeof output === "string";
  if (byText && selection !== undefined) {
    throw new TypeError("rearrange: text comes with a selection: got both, expected text alone. Name the parts in it.");
  }
  const trees = byText ? parseRearrange(output, "rearrange") : { output, selection };
  plain(t, "rearrange");
  return viewOf(t, "rearrange", (l) => ({ layout: rearrangeParts(l, trees.output, trees.selection), start: 0 }));
}

/**
 * Reorders the top-level modes: mode j of the view is mode `order[j]` of the source (VA-50). Shares memory.
 *
 * @throws TypeError for an entry that is no integer; LayoutError `SW_LAYOUT_ORDER`.
 * @example
 * ```ts
 * import { views, zeros } from "@sw/tensor";
 * console.log(views.permute(zeros([2, 3, 4]), 2, 0, 1).shape); // [ 4, 2, 3 ]
 * ```
 * @since 0.1.0
 */
export function permute<T extends Viewable>(t: T, ...order: number[]): T {
  return apply(t, "permute", (l) => permuteAxes(l, order, "permute"));
}

/**
 * Gives the elements another shape, filling the first mode first, where `t.reshape` fills the last (VA-51, D1). Never
 * copies: the elements, so numbered, must lie one constant step of 0 or more apart. Shares memory.
 *
 * @throws TypeError for what is not a shape; LayoutError `SW_LAYOUT_RESHAPE` when the sizes differ, `SW_LAYOUT_NO_VIEW`
 * where only a copy has this shape.
 * @example
 * ```ts
 * import { arange, views } from "@sw/tensor";
 * console.log(views.reshape(arange(6), [2, 3]).toArray()); // [ [ 0, 2, 4 ], [ 1, 3, 5 ] ]
 * console.log(String(views.reshape(arange(6), [[2, 3]]).layout)); // ((2,3)):((1,2))
 * ```
 * @since 0.1.0
 */
export function reshape<T extends Viewable>(t: T, shape: Shape): T {
  return apply(t, "reshape", (l) => reshapeModes(l, shape, "reshape"));
}

/**
 * Shows the elements that strides select among the source's, numbered first-mode-fastest (VA-52). Strides count
 * elements of the source, not places in memory; no element may show twice. Shares memory.
 *
 * @throws TypeError for what is not a shape and a stride; LayoutError `SW_LAYOUT_INCONGRUENT`,
 * `SW_LAYOUT_INADMISSIBLE`, `SW_LAYOUT_NOT_INJECTIVE`.
 * @example
 * ```ts
 * import { arange, views } from "@sw/tensor";
 * const t = arange(20).reshape([5, 4]);
 * console.log(views.asStrided(t, [2, 2], [1, 2]).strides); // [ 4, 8 ]
 * ```
 * @since 0.1.0
 */
export function asStrided<T extends Viewable>(t: T, shape: Shape, stride: Stride): T {
  // No element may show twice; what maps elements to the scales of their blocks repeats by nature (VA-52).
  return apply(t, "asStrided", (l) => asStridedLayout(l, shape, stride, { mayRepeat: l !== t.layout }));
}

/**
 * Repeats leaves of extent 1 up to a shape of the same tree form (VA-55). Modes are not aligned: {@link broadcastInDim}
 * places them. Shares memory.
 *
 * @throws TypeError for what is not a shape; LayoutError `SW_LAYOUT_BROADCAST`.
 * @example
 * ```ts
 * import { tensor, views } from "@sw/tensor";
 * console.log(views.broadcastTo(tensor([[1], [2]]), [2, 3]).strides); // [ 1, 0 ]
 * ```
 * @since 0.1.0
 */
export function broadcastTo<T extends Viewable>(t: T, shape: Shape): T {
  return apply(t, "broadcastTo", (l) => ({ layout: broadcastModes(l, shape), start: 0 }));
}

/**
 * Places mode i at mode `dims[i]` of a shape, inserts modes at the other places, and repeats as {@link broadcastTo}
 * does (VA-56). Shares memory.
 *
 * @throws TypeError for what is not a shape and a list of integers; LayoutError `SW_LAYOUT_ORDER` unless `dims` has one
 * entry per mode, increasing, inside the shape; `SW_LAYOUT_BROADCAST`.
 * @example
 * ```ts
 * import { tensor, views } from "@sw/tensor";
 * console.log(views.broadcastInDim(tensor([1, 2]), [3, 2], [1]).toArray()); // [ [ 1, 2 ], [ 1, 2 ], [ 1, 2 ] ]
 * ```
 * @since 0.1.0
 */
export function broadcastInDim<T extends Viewable>(t: T, shape: Shape, dims: readonly number[]): T {
  return apply(t, "broadcastInDim", (l) => broadcastModesIn(l, shape, dims));
}

/**
 * Inserts a mode of extent 1 and stride 0 before mode `dim`; a negative one counts from one past the end (VA-58). Shares
 * memory.
 *
 * @throws TypeError when `dim` is no integer; LayoutError `SW_LAYOUT_AXIS`.
 * @example
 * ```ts
 * import { views, zeros } from "@sw/tensor";
 * console.log(views.unsqueeze(zeros([2, 3]), -1).strides); // [ 3, 1, 0 ]
 * ```
 * @since 0.1.0
 */
export function unsqueeze<T extends Viewable>(t: T, dim: number): T {
  return apply(t, "unsqueeze", (l) => unsqueezeMode(l, dim, "unsqueeze"));
}

/**
 * Removes a mode that is a leaf of extent 1; a negative one counts from the end (VA-59). Shares memory.
 *
 * @throws TypeError when `dim` is no integer; LayoutError `SW_LAYOUT_AXIS`, `SW_LAYOUT_SQUEEZE` for another extent,
 * `SW_LAYOUT_NESTED_AXIS` even for the nest `(1)` (D11).
 * @example
 * ```ts
 * import { views, zeros } from "@sw/tensor";
 * console.log(views.squeeze(zeros([2, 1, 3]), 1).shape); // [ 2, 3 ]
 * ```
 * @since 0.1.0
 */
export function squeeze<T extends Viewable>(t: T, dim: number): T {
  return apply(t, "squeeze", (l) => squeezeMode(l, dim, "squeeze"));
}
