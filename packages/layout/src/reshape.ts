import { rowMajorLeaves } from "./axis-leaves.js";
import { isContiguous } from "./bounds.js";
import { rowMajor } from "./builders.js";
import { LayoutError, notAnInteger, unsafe } from "./errors.js";
import { sameNumbers } from "./last-views.js";
import { type Layout, lastViews, remember, requireLayout, trusted } from "./layout.js";
import { copied } from "./lists.js";
import { formatShape, requireList } from "./tree.js";

/**
 * Gives the layout that shows the same elements in the same row-major order under another shape, or undefined when
 * only a copy can (VA-103). The source may be nested, the result is flat; an empty layout always gives `rowMajor(shape)`.
 *
 * @throws TypeError, LayoutError as `rowMajor` for the shape; `SW_LAYOUT_RESHAPE` when the sizes differ.
 * @example
 * ```ts
 * import { reshapeRowMajor, rowMajor, strided } from "@sw/layout";
 * console.log(String(reshapeRowMajor(rowMajor([4, 6]), [2, 2, 6]))); // (2,2,6):(12,6,1)
 * console.log(reshapeRowMajor(strided([4, 6], [1, 4]), [24])); // undefined
 * ```
 * @since 0.1.0
 */
export function reshapeRowMajor(
  l: Layout,
  shape: readonly number[],
  operation = "reshapeRowMajor",
): Layout | undefined {
  requireLayout(operation, l);
  const last = lastViews(l).reshaped;
  if (last !== undefined && Array.isArray(shape) && sameNumbers(shape, last.shape)) return last;
  const { size } = l;
  const target = inferExtent(size, shape, operation);
  if (size === 0) return rowMajor(target);
  const stride = isContiguous(l) ? rowMajorStrides(target) : viewStrides(l, target);
  if (!Array.isArray(stride)) return undefined;
  const view = trusted(target, stride, size);
  const room = remember(l, view);
  if (room !== undefined) room.reshaped = view;
  return view;
}

/** The strides of checked extents other than 0, the last axis fastest. */
function rowMajorStrides(target: readonly number[]): number[] {
  const stride = copied(target);
  let next = 1;
  for (let j = target.length - 1; j >= 0; j--) {
    stride[j] = next;
    next *= target[j]!;
  }
  return stride;
}

/** Where a row-major reshape needs a copy: an axis of the result joins neighbours that do not continue each other. */
interface Gap {
  readonly axis: number;
  /** The stride of the slower neighbour, and the one with which it would continue the faster one. */
  readonly stride: number;
  readonly expected: number;
}

/** Gives the strides of a row-major view of the elements of a layout, not empty, under a shape of the same size. */
export function viewStrides(l: Layout, target: readonly number[]): number[] | Gap {
  const source = rowMajorLeaves(l);
  const rank = target.length;
  const stride: number[] = [];
  for (let j = 0; j < rank; j++) stride.push(1);
  let i = 0; // the next source leaf
  let j = 0; // the next axis of the result
  for (;;) {
    while (i < source.extents.length && source.extents[i] === 1) i++;
    if (i === source.extents.length) break;
    // One run: leaves that continue each other.
    let length = source.extents[i]!;
    let inner = source.strides[i]!;
    for (i++; i < source.extents.length; i++) {
      const extent = source.extents[i]!;
      if (extent === 1) continue;
      if (inner !== source.strides[i]! * extent) break;
      length *= extent;
      inner = source.strides[i]!;
    }
    // The axes it fills. Sizes agree, so they cannot run out before the product is reached.
    const first = j;
    let product = 1;
    while (product < length) product *= target[j++]!;
    // Past it, the last of them reaches into the next run, whose slowest leaf is leaf i.
    if (product !== length) return { axis: j - 1, stride: inner, expected: source.extents[i]! * source.strides[i]! };
    let next = inner;
    for (let k = j - 1; k >= first; k--) {
      stride[k] = next;
      next *= target[k]!;
    }
  }
  for (let k = 0; k < rank; k++) {
    // Only the stride of an extent-1 axis can come out unsafe, and it means nothing.
    if (!Number.isSafeInteger(stride[k])) stride[k] = 1;
  }
  return stride;
}

/**
 * Replaces one -1 in a shape by the extent that gives a size, and checks that the size is met. Returns a new list.
 *
 * @throws TypeError for what is not a list of integers.
 * @throws LayoutError `SW_LAYOUT_RESHAPE` when no extent fits or the sizes differ, `SW_LAYOUT_EXTENT`,
 * `SW_LAYOUT_UNSAFE_INTEGER`.
 * @since 0.1.0
 */
export function inferExtent(size: number, shape: readonly number[], operation = "inferExtent"): number[] {
  if (typeof size !== "number" || !Number.isInteger(size)) throw notAnInteger(operation, "the size", size);
  requireList(operation, "shape", shape);
  const out = copied(shape);
  let unknown = -1;
  let known = 1;
  let isEmpty = false;
  // All of them first: the messages below print the whole shape.
  for (let i = 0; i < shape.length; i++) {
    const extent = shape[i]!;
    if (typeof extent !== "number" || !Number.isInteger(extent)) throw notAnInteger(operation, "an extent", extent);
    out[i] = extent + 0; // turns -0 into 0
  }
  for (let i = 0; i < out.length; i++) {
    const extent = out[i]!;
    if (extent === -1 && unknown < 0) {
      unknown = i;
      continue;
    }
    if (extent < 0) {
      const problem = `an extent is negative: got shape ${formatShape(shape)}, expected extents of 0 or more, and -1 at most once.`;
      throw new LayoutError("SW_LAYOUT_EXTENT", operation, problem, { shape: [...shape], axis: i, value: extent });
    }
    if (extent === 0) isEmpty = true;
    else known *= extent;
    if (known > Number.MAX_SAFE_INTEGER) throw unsafe(operation, "the size", known, { shape: [...shape] });
  }
  if (isEmpty) known = 0;
  if (unknown < 0) {
    if (known === size) return out;
    const problem = `sizes differ: got shape ${formatShape(shape)} of ${known} elements, expected ${size} elements.`;
    throw new LayoutError("SW_LAYOUT_RESHAPE", operation, problem, { shape: [...shape], value: size });
  }
  if (known === 0 || size % known !== 0) {
    const rule = known === 0 ? "no extent of 0 beside it" : `extents whose product divides ${size}`;
    const problem = `no extent fits for -1: got shape ${formatShape(shape)}, expected ${rule}.`;
    throw new LayoutError("SW_LAYOUT_RESHAPE", operation, problem, { shape: [...shape], value: size });
  }
  out[unknown] = size / known;
  return out;
}
