import { describe, LayoutError, unsafe } from "./errors.js";
import { afterView, isOwn, type LastViews, NEVER_VIEWS, NO_VIEWS, startOfView } from "./last-views.js";
import {
  checkDepth,
  congruent,
  copyShape,
  copyStride,
  formatTree,
  freezeTree,
  type IntTree,
  isFlat,
  type Shape,
  type Stride,
  treeDepth,
  treeSize,
  treesEqual,
} from "./tree.js";

/**
 * A function from coordinates to indices: a shape and a stride of the same tree form.
 *
 * Only the functions of this package make one, so every `Layout` has been checked: its size and all its indices are
 * safe integers. It has no offset; the origin belongs to whoever has memory. Never write into its lists.
 *
 * @since 0.1.0
 */
export interface Layout {
  /** The brand by which any installed copy of the package knows a layout. */
  readonly "@sw/layout/Layout/1": true;
  /** Extents, one entry per axis; an entry that is a list is a nested mode. */
  readonly shape: Shape;
  /** Strides in elements, any sign, congruent with the shape. */
  readonly stride: Stride;
  /** The number of coordinates: the product of all extents. */
  readonly size: number;
  /** The number of axes, which are the top-level modes. */
  readonly rank: number;
  /** The levels of nesting: 1 when flat (and for rank 0). */
  readonly depth: number;
  /** The layout in CuTe notation, `(2,(3,4)):(1,(2,6))`; `parseLayout` reads it back. */
  toString(): string;
  /** The pair `[shape, stride]`, for `JSON.stringify`; `layoutFromJSON` reads it back. */
  toJSON(): [Shape, Stride];
}

/** What views of a layout were made last; layouts of other copies of the package remember none here. */
export let lastViews: (l: Layout) => LastViews;
/** Gives what a layout remembers to be written into, now that it has a view to remember; `undefined` if it may not. */
export let remember: (l: Layout, view: Layout) => LastViews | undefined;

/** The one implementation. Its class is not exported: values are recognised by the brand. */
class LayoutValue implements Layout {
  readonly shape: Shape;
  readonly stride: Stride;
  // Private by the language, so that equal layouts compare equal by their fields, whatever was asked of them before.
  /** The size, or -1 until somebody asks: views are made more often than their size is read. */
  #size: number;
  #views: LastViews = NO_VIEWS;

  constructor(shape: Shape, stride: Stride, size: number) {
    this.shape = shape;
    this.stride = stride;
    this.#size = size;
  }

  static {
    lastViews = (l) => (#views in l ? l.#views : NEVER_VIEWS);
    remember = (l, view) => {
      if (!(#views in l && #views in view)) return undefined;
      const last = afterView(l.#views);
      l.#views = last;
      if (!isOwn(last)) return undefined;
      view.#views = startOfView(last);
      return last;
    };
  }

  get "@sw/layout/Layout/1"(): true {
    return true;
  }

  get size(): number {
    if (this.#size < 0) this.#size = treeSize(this.shape);
    return this.#size;
  }

  get rank(): number {
    return this.shape.length;
  }

  get depth(): number {
    return treeDepth(this.shape);
  }

  toString(): string {
    return formatLayout(this);
  }

  toJSON(): [Shape, Stride] {
    return [this.shape, this.stride];
  }
}

/**
 * Makes a layout of lists that are known to be good, without checking, copying or freezing them.
 * The caller gives the lists away; it passes the size if it has it.
 */
export function trusted(shape: Shape, stride: Stride, size = -1): Layout {
  return new LayoutValue(shape, stride, size);
}

/**
 * Makes a layout of lists that an operation built: size, reach, depth and every stride are checked, nothing is copied.
 * For operations by which one of these can grow.
 */
export function made(operation: string, shape: Shape, stride: Stride): Layout {
  checkDepth(operation, shape);
  const size = checkReach(operation, shape, stride);
  checkStrides(operation, stride);
  return trusted(shape, stride, size);
}

/** The reach says nothing of strides that are never taken: those of extents 1 and of empty layouts. */
function checkStrides(operation: string, stride: IntTree): void {
  if (typeof stride === "number") {
    if (!Number.isSafeInteger(stride)) throw unsafe(operation, "a stride", stride);
  } else for (let i = 0; i < stride.length; i++) checkStrides(operation, stride[i]!);
}

/**
 * Makes a layout from a shape and a stride: checked, copied, frozen.
 *
 * Without a stride it is compact with the first mode fastest (LA-10). Extents are 0 or more, strides have any sign.
 *
 * @throws TypeError for anything that is not a list of integers.
 * @throws LayoutError `SW_LAYOUT_EXTENT` (negative extent), `SW_LAYOUT_INCONGRUENT` (different tree forms),
 * `SW_LAYOUT_UNSAFE_INTEGER` (a number, the size or an index beyond 2^53 - 1), `SW_LAYOUT_EMPTY_MODE`, `SW_LAYOUT_DEPTH`.
 * @example
 * ```ts
 * import { layout } from "@sw/layout";
 * console.log(String(layout([2, [3, 4]]))); // (2,(3,4)):(1,(2,6))
 * ```
 * @since 0.1.0
 */
export function layout(shape: Shape, stride?: Stride): Layout {
  return layoutFor("layout", shape, stride);
}

/** Does what `layout` does, in the name of the operation that was called. */
export function layoutFor(operation: string, shape: Shape, stride?: Stride): Layout {
  const extentTree = copyShape(operation, shape);
  const strideTree = stride === undefined ? firstModeFastest(extentTree, { next: 1 }) : copyStride(operation, stride);
  const size = checkReach(operation, extentTree, strideTree);
  freezeTree(extentTree);
  freezeTree(strideTree);
  return trusted(extentTree, strideTree, size);
}

/** Gives each leaf of a checked shape the product of the extents before it, depth-first. */
export function firstModeFastest(shape: Shape, state: { next: number }): IntTree[] {
  const out: IntTree[] = [];
  for (let i = 0; i < shape.length; i++) {
    const item = shape[i]!;
    if (typeof item === "number") {
      out.push(state.next);
      state.next *= item;
    } else {
      out.push(firstModeFastest(item, state));
    }
  }
  return out;
}

/**
 * Gives the size of a shape, checking that the product of all its extents, those of 0 left out, is a safe integer:
 * then so is the product of any part of it, in any order.
 */
export function checkedSize(operation: string, shape: Shape): number {
  const product = nonZeroProduct(shape, 1);
  if (product > Number.MAX_SAFE_INTEGER)
    throw unsafe(operation, `the size of ${formatTree(shape)}`, product, { shape });
  return treeSize(shape);
}

/** Multiplies the extents other than 0, up to the first product that is not safe. */
function nonZeroProduct(tree: IntTree, from: number): number {
  if (typeof tree === "number") return tree === 0 || from > Number.MAX_SAFE_INTEGER ? from : from * tree;
  let product = from;
  for (let i = 0; i < tree.length; i++) product = nonZeroProduct(tree[i]!, product);
  return product;
}

/**
 * Checks that shape and stride have the same form and that the size and every index stay safe integers.
 * Returns the size.
 */
export function checkReach(operation: string, shape: Shape, stride: Stride): number {
  if (!congruent(shape, stride)) {
    throw new LayoutError(
      "SW_LAYOUT_INCONGRUENT",
      operation,
      `shape and stride have different forms: got stride ${formatTree(stride)}, expected the form of shape ${formatTree(shape)}.`,
      { shape, stride },
    );
  }
  const size = checkedSize(operation, shape);
  if (size === 0) return 0; // reaches nothing, however long its strides
  const span = spanFrom(shape, stride, 0);
  // The span bounds every index and every partial sum of one.
  if (span >= Number.MAX_SAFE_INTEGER) {
    throw unsafe(operation, `the span of ${formatTree(shape)}:${formatTree(stride)}`, span, { shape, stride });
  }
  return size;
}

/** Adds up how far each leaf of congruent trees reaches, in either direction. */
function spanFrom(shape: IntTree, stride: IntTree, from: number): number {
  if (typeof shape === "number") return from + (shape - 1) * Math.abs(stride as number);
  let span = from;
  for (let i = 0; i < shape.length; i++) span = spanFrom(shape[i]!, (stride as readonly IntTree[])[i]!, span);
  return span;
}

/** Tells whether a value is a layout, of this or any other installed copy of the package. @since 0.1.0 */
export function isLayout(value: unknown): value is Layout {
  return typeof value === "object" && value !== null && "@sw/layout/Layout/1" in value;
}

/** Refuses what is not a layout. */
export function requireLayout(operation: string, value: unknown): asserts value is Layout {
  if (!isLayout(value)) {
    throw new TypeError(
      `${operation}: argument is not a layout: got ${describe(value)}, expected a value made by layout().`,
    );
  }
}

/**
 * Tells whether two layouts have the same trees and the same numbers; strides of extent-1 leaves count (LA-8).
 *
 * @throws TypeError for what is not a layout.
 * @since 0.1.0
 */
export function layoutEquals(a: Layout, b: Layout): boolean {
  requireLayout("layoutEquals", a);
  requireLayout("layoutEquals", b);
  return a === b || (treesEqual(a.shape, b.shape) && treesEqual(a.stride, b.stride));
}

/**
 * Gives one extent per axis: the shape itself, not a copy, when the layout is flat.
 *
 * @throws TypeError for what is not a layout.
 * @since 0.1.0
 */
export function extents(l: Layout): readonly number[] {
  requireLayout("extents", l);
  const shape = l.shape;
  if (isFlat(shape)) return shape;
  const out: number[] = [];
  for (let i = 0; i < shape.length; i++) out.push(treeSize(shape[i]!));
  return out;
}

/**
 * Writes a layout in CuTe notation: `(2,(3,4)):(1,(2,6))`.
 *
 * @throws TypeError for what is not a layout.
 * @since 0.1.0
 */
export function formatLayout(l: Layout): string {
  requireLayout("formatLayout", l);
  return `${formatTree(l.shape)}:${formatTree(l.stride)}`;
}
