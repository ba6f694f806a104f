import type { DataBuffer } from "@sw/buffer";
import { describe, extents, isLayout, type Layout } from "@sw/layout";
import { type ArrayOf, checkDType, type DType, type ValueOf } from "./dtype.js";
import { checkBox, checkReach, checkShape, checkStrides } from "./handle.js";
import type { IndexEntry } from "./index-key.js";
import { index } from "./indexing.js";
import { iterate } from "./iterate.js";
import { contiguous, copyFrom, isContiguousTensor, reshape, tryReshape, viewOf } from "./movement.js";
import { checkOffset } from "./offset.js";
import { reversed } from "./orders.js";
import { at, data, fill, item, type NestedArray, set, toArray } from "./read.js";
import type { GradNode } from "./record.js";
import { expand, flatStrides, flip, permute, select, slice, squeeze, transpose, unsqueeze } from "./row-major-views.js";
import { format, inspected } from "./text.js";
import { toLayout } from "./to-layout.js";
import { type StridedWindow, windowView } from "./window-view.js";

/**
 * A tensor: memory, an origin in it, a layout, the box of it that is meant, an element type.
 *
 * A handle is cheap and never owns its memory alone: views share it, and `dispose` on any of them returns it for
 * all. The methods number elements row-major; the functions of `views` number them first-mode-fastest.
 * @since 0.1.0
 */
export class Tensor<D extends DType = DType> {
  readonly dtype: D;
  readonly buffer: DataBuffer;
  /** The generation of the buffer that this handle was made in. */
  readonly generation: number;
  /** Where layout index 0 lies, in elements. */
  readonly offset: number;
  /** The domain: one mode per axis, nested where an axis is. */
  readonly layout: Layout;
  /** One extent per axis. */
  readonly shape: readonly number[];
  /** The leaf or the history, where gradients are wanted. */
  node: GradNode | undefined;

  /** Tensors are made by creation functions, `fromBuffer`, views and operations. @internal */
  constructor(
    dtype: D,
    buffer: DataBuffer,
    generation: number,
    offset: number,
    layout: Layout,
    shape: readonly number[],
  ) {
    this.dtype = dtype;
    this.buffer = buffer;
    this.generation = generation;
    this.offset = offset;
    this.layout = layout;
    this.shape = shape;
    this.node = undefined;
  }

  static {
    // Node prints values through this hook; a computed key on an exported class has no declaration.
    Object.defineProperty(Tensor.prototype, Symbol.for("nodejs.util.inspect.custom"), {
      value(this: Tensor): string {
        return inspected(this);
      },
    });
  }

  /** The brand by which tensors of any installed copy are recognised. */
  get "@sw/tensor/Tensor/1"(): true {
    return true;
  }

  /** The number of elements. */
  get size(): number {
    let size = 1;
    for (const extent of this.shape) size *= extent;
    return size;
  }

  /** The number of axes. */
  get rank(): number {
    return this.shape.length;
  }

  /**
   * One stride per axis, in elements.
   *
   * @throws UnsupportedError where an axis is nested; read `layout.stride` there.
   */
  get strides(): readonly number[] {
    return flatStrides(this);
  }

  /** Whether the shape is a box inside a larger layout. */
  get isPadded(): boolean {
    return this.shape !== this.layout.shape && !isWhole(this.shape, this.layout);
  }

  /** Whether the elements follow one another in row-major order without gaps (OneModel section 3). */
  get isContiguous(): boolean {
    return isContiguousTensor(this);
  }

  /** The gradient that backward accumulated, where this is a leaf or retains one. */
  get grad(): Tensor | undefined {
    return this.node?.grad;
  }

  /** The view with all axes reversed (D14). */
  get T(): Tensor<D> {
    return permute(this, reversed(this.rank), "T");
  }

  /** Reorders the axes: axis i of the view is axis `order[i]` of this tensor. Shares memory. */
  permute(order: readonly number[]): Tensor<D> {
    return permute(this, order);
  }

  /** Swaps two axes. Shares memory. */
  transpose(a: number, b: number): Tensor<D> {
    return transpose(this, a, b);
  }

  /**
   * Takes the elements `start, start + step, …` before `end` along one axis. Shares memory.
   *
   * @throws LayoutError when `0 ≤ start ≤ end ≤ extent` and `step ≥ 1` do not hold.
   */
  slice(axis: number, start: number, end?: number, step = 1): Tensor<D> {
    return slice(this, axis, start, end, step);
  }

  /** Takes one index of an axis and drops the axis. Shares memory. */
  select(axis: number, index: number): Tensor<D> {
    return select(this, axis, index);
  }

  /**
   * Takes what NumPy's basic indexing takes: `"1:5, ::-1, ..., None"`, or the same as a list. An integer takes one index
   * of an axis and drops the axis, a slice `start:stop:step` cuts it, `...` stands for the axes that the key does not
   * name, and `None` (`null` in a list, `newaxis`) adds an axis of extent 1. Negative numbers count from the end; bounds
   * of slices past an end mean that end. Shares memory, always: integers alone give a view of rank 0, where `at` reads
   * the element.
   *
   * Of a nested axis it takes the whole or one index.
   *
   * @throws TypeError for a key or an entry of another type, bigints and typed arrays included; TensorValueError `SW_TENSOR_KEY` for text that
   * is no key, two ellipses, more entries than axes or a step of 0, and `SW_TENSOR_INDEX` for an integer out of
   * range, both with the `position`, of a character in text and of an entry in a list; LayoutError
   * `SW_LAYOUT_NESTED_AXIS`; TensorShapeError `SW_TENSOR_SHAPE_LIMIT` for more than 8 axes, or a step that makes a stride
   * beyond 2³¹−1.
   * @example
   * ```ts
   * import { arange } from "@sw/tensor";
   * const t = arange(24).reshape([4, 6]);
   * console.log(t.index("1:3, ::-2").toArray()); // [ [ 11, 9, 7 ], [ 17, 15, 13 ] ]
   * console.log(t.index([-1, "...", null]).shape, t.index("0, 5").shape); // [ 6, 1 ] []
   * console.log(t.index([{ start: 1, step: 2 }, 0]).toArray()); // [ 6, 18 ]
   * ```
   */
  index(key: string | readonly IndexEntry[]): Tensor<D> {
    return index(this, key);
  }

  /**
   * Shows the elements that an offset and strides select among this tensor's, numbered row-major. They may overlap: every
   * window of width 3 of a row of 6 is `{ shape: [4, 3], strides: [1, 1] }`, and gradients of what shows twice add up.
   * Shares memory, always, so the elements must be in one row-major run; steps backwards or of 0 are as good.
   *
   * @throws TypeError for anything that is no integer or no list of them; ViewError `SW_TENSOR_VIEW_BOUNDS` when it leaves
   * the tensor, `SW_TENSOR_VIEW_COPY` where the elements are not one run; TensorShapeError beyond the limits of a tensor;
   * LayoutError `SW_LAYOUT_INCONGRUENT` unless there is a stride for each extent, `SW_LAYOUT_UNSAFE_INTEGER`.
   * @example
   * ```ts
   * import { tensor } from "@sw/tensor";
   * const t = tensor([1, 2, 3, 4]);
   * console.log(t.window({ shape: [3, 2], strides: [1, 1] }).toArray()); // [ [ 1, 2 ], [ 2, 3 ], [ 3, 4 ] ]
   * console.log(t.window({ shape: [2], strides: [-2], offset: 3 }).toArray()); // [ 4, 2 ]
   * ```
   */
  window(options: StridedWindow): Tensor<D> {
    return windowView(this, options);
  }

  /** Reverses one axis. Shares memory. */
  flip(axis: number): Tensor<D> {
    return flip(this, axis);
  }

  /** Inserts an extent-1 axis before `axis`; `rank` inserts it at the end. Shares memory. */
  unsqueeze(axis: number): Tensor<D> {
    return unsqueeze(this, axis);
  }

  /** Drops one extent-1 axis, or without an argument all of them. Shares memory. */
  squeeze(axis?: number): Tensor<D> {
    return squeeze(this, axis);
  }

  /** Repeats extent-1 and missing leading axes up to a shape (stride 0). Shares memory. */
  expand(shape: readonly number[]): Tensor<D> {
    return expand(this, shape);
  }

  /**
   * Gives the elements another shape, in row-major order; one extent may be -1. A view where one exists, else a copy:
   * `view` never copies, `tryReshape` tells.
   */
  reshape(shape: readonly number[]): Tensor<D> {
    return reshape(this, shape);
  }

  /** The reshape as a view, or `undefined` where it would need a copy. */
  tryReshape(shape: readonly number[]): Tensor<D> | undefined {
    return tryReshape(this, shape);
  }

  /**
   * The reshape as a view.
   *
   * @throws ViewError `SW_TENSOR_VIEW_COPY` where it would need a copy.
   */
  view(shape: readonly number[]): Tensor<D> {
    return viewOf(this, shape);
  }

  /** This tensor when contiguous, else a row-major copy: without padding, where there is some. */
  contiguous(): Tensor<D> {
    return contiguous(this);
  }

  /**
   * Copies the elements into memory of another layout: `nhwc(t.shape)`, `blocked(t.shape, 1, 8)`, `tiled`, `rowMajor`.
   * The shape stays. A layout of larger extents makes a padded tensor, whose padding is zero and whose elements are
   * read, written, copied and permuted; `contiguous()` leads back. Gradients pass, but not into a padded tensor.
   *
   * @throws TypeError for something that is no layout; TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` for one of another
   * rank or without room for the shape, `SW_TENSOR_SHAPE_LIMIT` beyond the limits of a tensor; ViewError
   * `SW_TENSOR_OVERLAP` for one that overlaps itself; UnsupportedError for a padded result while recording.
   */
  toLayout(layout: Layout): Tensor<D> {
    return toLayout(this, layout);
  }

  /**
   * Reads one element.
   *
   * @throws TensorValueError `SW_TENSOR_INDEX` out of range or with another number of indices than axes.
   */
  at(...index: readonly number[]): ValueOf<D> {
    return at(this, index);
  }

  /**
   * Writes one element: `t.set(value, i, j)`.
   *
   * @throws TensorValueError `SW_TENSOR_INDEX`, or `SW_TENSOR_VALUE` for a value the dtype cannot hold.
   */
  set(value: ValueOf<D> | number | bigint | boolean, ...index: readonly number[]): void {
    set(this, value, index);
  }

  /**
   * Writes one value to every element.
   *
   * @throws ViewError `SW_TENSOR_OVERLAP` when elements share memory; TensorStateError `SW_TENSOR_RECORDING`.
   */
  fill(value: ValueOf<D> | number | bigint | boolean): void {
    fill(this, value);
  }

  /**
   * Copies another tensor's elements into this one; it broadcasts to this shape. Regions of one buffer may overlap:
   * the source is read before the first write.
   *
   * @throws ViewError `SW_TENSOR_OVERLAP` when elements of this tensor share memory; TensorStateError
   * `SW_TENSOR_RECORDING`.
   */
  copyFrom(source: Tensor<D>): void {
    copyFrom(this, source);
  }

  /**
   * Reads the only element.
   *
   * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` when there is not exactly one.
   */
  item(): ValueOf<D> {
    return item(this);
  }

  /** Copies the elements, row-major, into a typed array. `withData` lends them without a copy. */
  data(): ArrayOf[D] {
    return data(this);
  }

  /** Copies the elements into nested lists. */
  toArray(): NestedArray<ValueOf<D>> {
    return toArray(this);
  }

  /**
   * Goes through the first axis: elements of a tensor of one axis, else views.
   *
   * @throws TypeError for rank 0.
   */
  [Symbol.iterator](): IterableIterator<ValueOf<D> | Tensor<D>> {
    return iterate(this);
  }

  /** The elements as NumPy 1.24 prints them; `format` takes options. */
  toString(): string {
    return format(this, {}, "toString");
  }

  /** Returns the memory, for this handle and all views of it. Again, or through a stale handle, it does nothing. */
  dispose(): void {
    this.buffer.release(this.generation);
  }

  /** The same as {@link Tensor.dispose}, for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}

/**
 * Makes a tensor over memory that exists already; nothing is copied.
 *
 * @param offset - where layout index 0 lies, in elements of the dtype.
 * @param shape - the box inside the layout, where that is smaller than its domain (padding).
 * @throws TypeError for an unknown dtype, something that is no buffer or no layout, or an offset that is no integer; BufferStateError `SW_BUFFER_RELEASED` for a
 * buffer that nobody holds; TensorShapeError beyond the limits of a tensor; ViewError `SW_TENSOR_VIEW_BOUNDS` when the
 * layout reaches outside the buffer.
 * @since 0.1.0
 */
export function fromBuffer<D extends DType>(
  dtype: D,
  buffer: DataBuffer,
  layout: Layout,
  offset = 0,
  shape?: readonly number[],
  operation = "fromBuffer",
): Tensor<D> {
  checkDType(operation, dtype);
  if (!isLayout(layout)) {
    throw new TypeError(`${operation}: not a layout: got ${describe(layout)}, expected a value made by @sw/layout.`);
  }
  checkOffset(operation, offset);
  if (typeof buffer?.checkLive !== "function") {
    throw new TypeError(`${operation}: not a buffer: got ${describe(buffer)}, expected a value made by @sw/buffer.`);
  }
  buffer.checkLive(buffer.generation, operation);
  const domain = extents(layout);
  checkShape(operation, domain);
  checkStrides(operation, layout);
  checkReach(operation, dtype, buffer, layout, offset);
  if (shape !== undefined) checkBox(operation, domain, shape);
  return new Tensor(dtype, buffer, buffer.generation, offset, layout, shape === undefined ? domain : [...shape]);
}

/** Whether a box inside a layout is all of it: a smaller one has fewer elements, unless there are none. */
function isWhole(box: readonly number[], layout: Layout): boolean {
  const { size } = layout;
  let count = 1;
  for (let axis = 0; axis < box.length; axis++) count *= box[axis] as number;
  if (size !== 0) return count === size;
  return extents(layout).every((extent, axis) => extent === box[axis]);
}
