import type { AllocateOptions, Allocator, DataBuffer } from "@sw/buffer";
import { describe, extents, type Layout, type Located, leaves, maxIndex, minIndex, rowMajor } from "@sw/layout";
import { DTYPES, type DType, elementBytes } from "./dtype.js";
import { StaleTensorError, TensorShapeError, ViewError } from "./errors.js";
import { refuseCompound } from "./refuse-compound.js";
import { current } from "./scope.js";
import type { Tensor } from "./tensor.js";

// How a handle is made from another one. This file, and those that the `Tensor` class
// imports, never import the class at run time: they build through `t.constructor`, so
// the class can have methods that make tensors without an import cycle.

/** The most elements, bytes and steps of a stride that a tensor has (D4). */
export const LIMIT: number = 2 ** 31 - 1;
/** What operations make may leave the backend's memory under pressure; what they keep is allocated without this. */
const TRANSIENT: AllocateOptions = Object.freeze({ transient: true });
const MAX_RANK = 8;

type TensorConstructor = new <D extends DType>(
  dtype: D,
  buffer: DataBuffer,
  generation: number,
  offset: number,
  layout: Layout,
  shape: readonly number[],
) => Tensor<D>;

/**
 * Checks that a handle's memory is still its own.
 *
 * @throws StaleTensorError `SW_BUFFER_STALE`; UnsupportedError for a tensor of several parts.
 * @since 0.1.0
 */
export function checkLive(t: Pick<Tensor, "buffer" | "generation">, operation: string): void {
  const { buffer, generation } = t;
  if (buffer?.generation === generation && buffer !== undefined) return;
  refuseCompound(t, operation);
  // How the memory ended is known for its last owner only.
  const end = generation + 1 === buffer.generation ? buffer.end : undefined;
  throw new StaleTensorError(operation, generation, buffer.generation, end);
}

/**
 * Checks a shape against the limits of a tensor: rank, extents, and every prefix product (OneModel section 3, D4).
 *
 * @throws TypeError for what is no list of integers; TensorShapeError `SW_TENSOR_SHAPE_MISSING`,
 * `SW_TENSOR_SHAPE_INVALID` or `SW_TENSOR_SHAPE_LIMIT`.
 */
export function checkShape(operation: string, shape: readonly number[]): void {
  if (!Array.isArray(shape)) throw noShape(operation, shape);
  if (shape.length > MAX_RANK) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_LIMIT",
      `${operation}: too many axes: got rank ${shape.length}, expected at most ${MAX_RANK}.`,
      { given: shape.length, expected: MAX_RANK, shape },
    );
  }
  let product = 1;
  for (let axis = 0; axis < shape.length; axis++) {
    const extent = shape[axis] as number;
    if (typeof extent !== "number" || !Number.isInteger(extent)) {
      throw new TypeError(
        `${operation}: an extent is no integer: got ${describe(extent)} at position ${axis}, expected an integer from 0 to ${LIMIT}.`,
      );
    }
    if (extent < 0 || extent > LIMIT) {
      throw new TensorShapeError(
        "SW_TENSOR_SHAPE_INVALID",
        `${operation}: an extent is not possible: got ${extent} at position ${axis}, expected an integer from 0 to ${LIMIT}.`,
        { given: extent, position: axis, axis, shape },
      );
    }
    product *= extent;
    if (product > LIMIT) {
      throw new TensorShapeError(
        "SW_TENSOR_SHAPE_LIMIT",
        `${operation}: too many elements: got [${shape.join(",")}], whose product reaches ${product} at axis ${axis}, expected every prefix product to be at most ${LIMIT}.`,
        { given: product, expected: LIMIT, axis, shape },
      );
    }
  }
}

function noShape(operation: string, shape: unknown): Error {
  const expected = "expected a list of extents like [2,3]";
  if (shape !== undefined && shape !== null) {
    return new TypeError(`${operation}: the shape is no list: got ${describe(shape)}, ${expected}.`);
  }
  const problem = `the shape is missing: got ${describe(shape)}, ${expected}.`;
  return new TensorShapeError("SW_TENSOR_SHAPE_MISSING", `${operation}: ${problem}`, { given: shape });
}

/**
 * Checks that a row-major tensor of a shape fits in a buffer (OneModel section 3, D4), before it is allocated.
 *
 * @returns the bytes it needs.
 * @throws as {@link checkShape}; TensorShapeError `SW_TENSOR_SHAPE_LIMIT`.
 */
export function checkBytes(operation: string, shape: readonly number[], dtype: DType): number {
  checkShape(operation, shape);
  let size = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    // The row-major stride of the axis. That of an axis before an extent of 0 is 0, of one after it may be anything.
    if (size > LIMIT) throw strideError(operation, size, `[${shape.join(",")}] in row-major order`);
    size *= shape[axis] as number;
  }
  const byteLength = size * elementBytes(dtype);
  if (byteLength <= LIMIT) return byteLength;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_LIMIT",
    `${operation}: too many bytes: got [${shape.join(",")}] of ${dtype}, which is ${byteLength} bytes, expected at most ${LIMIT}.`,
    { given: byteLength, expected: LIMIT, shape },
  );
}

function strideError(operation: string, stride: number, where: string): TensorShapeError {
  return new TensorShapeError(
    "SW_TENSOR_SHAPE_LIMIT",
    `${operation}: a stride is too long: got ${stride} in ${where}, expected at most ${LIMIT} either way.`,
    { given: stride, expected: LIMIT },
  );
}

/**
 * Checks that the strides fit in 32 signed bits (D4), those of empty and extent-1 axes too, which reach nothing.
 *
 * @throws TensorShapeError `SW_TENSOR_SHAPE_LIMIT`.
 */
export function checkStrides(operation: string, layout: Layout): void {
  for (const stride of leaves(layout.stride)) {
    if (Math.abs(stride) > LIMIT) throw strideError(operation, stride, layout.toString());
  }
}

/**
 * Checks that every element of a layout lies inside a buffer: the lowest and the highest reachable one
 * (OneModel section 3). An empty layout reaches nothing.
 *
 * @throws ViewError `SW_TENSOR_VIEW_BOUNDS`.
 */
export function checkReach(operation: string, dtype: DType, buffer: DataBuffer, layout: Layout, offset: number): void {
  if (!Number.isSafeInteger(offset) || (offset < 0 && layout.size !== 0)) {
    throw new ViewError(
      "SW_TENSOR_VIEW_BOUNDS",
      `${operation}: the offset is not possible: got ${offset}, expected an integer of at least 0.`,
      { given: offset },
    );
  }
  if (layout.size === 0) return;
  const count = Math.floor(buffer.byteLength / DTYPES[dtype].byteLength);
  const lowest = offset + minIndex(layout);
  const highest = offset + maxIndex(layout);
  if (lowest >= 0 && highest < count) return;
  throw new ViewError(
    "SW_TENSOR_VIEW_BOUNDS",
    `${operation}: the view leaves its buffer: got elements ${lowest} to ${highest} (offset ${offset}, layout ${layout.toString()}), expected 0 to ${count - 1}.`,
    { given: [lowest, highest], expected: [0, count - 1] },
  );
}

/**
 * Makes a view: another layout over the same memory. Liveness, limits and bounds are checked here and only here.
 *
 * @param shape - the box inside the layout, where that is smaller than its domain.
 * @throws StaleTensorError, TensorShapeError, ViewError.
 * @since 0.1.0
 */
export function derive<D extends DType>(
  t: Tensor<D>,
  view: Located,
  shape?: readonly number[],
  operation = "view",
): Tensor<D> {
  if (shape !== undefined) checkBox(operation, extents(view.layout), shape);
  return viewAt(t, view.layout, view.start, shape, operation);
}

/**
 * Checks that a shape is a box inside a domain.
 *
 * @throws as {@link checkShape}; TensorShapeError `SW_TENSOR_SHAPE_MISMATCH`.
 */
export function checkBox(operation: string, domain: readonly number[], shape: readonly number[]): void {
  checkShape(operation, shape);
  if (shape.length === domain.length && shape.every((extent, axis) => extent <= (domain[axis] as number))) return;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_MISMATCH",
    `${operation}: the shape is no box inside the layout: got [${shape.join(",")}], expected at most [${domain.join(",")}].`,
    { given: shape, expected: domain, shape },
  );
}

/**
 * Makes the view of {@link derive} from the two parts of a `Located`, which its caller then need not make, in a box
 * that is known to fit.
 */
export function viewAt<D extends DType>(
  t: Tensor<D>,
  layout: Layout,
  start: number,
  shape: readonly number[] | undefined,
  operation: string,
): Tensor<D> {
  checkLive(t, operation);
  const offset = t.offset + start;
  const { dtype, buffer } = t;
  let box = shape ?? (layout.shape as readonly number[]);
  if (!isWithin(layout, offset, buffer.byteLength, dtype)) {
    // Nested, or at fault: one check after the other, which throw what they find.
    box = shape ?? extents(layout);
    checkShape(operation, box);
    checkStrides(operation, layout);
    checkReach(operation, dtype, buffer, layout, offset);
  }
  return new (t.constructor as TensorConstructor)(dtype, buffer, t.generation, offset, layout, box);
}

/**
 * Whether a flat layout keeps all the limits of a tensor and stays in a buffer of that many bytes. One pass, since every
 * view pays for it; a layout's own numbers are known to be safe integers.
 */
function isWithin(layout: Layout, offset: number, byteLength: number, dtype: DType): boolean {
  const { shape, stride } = layout;
  const rank = shape.length;
  // Any offset inside a buffer is a 32-bit integer.
  if (rank > MAX_RANK || (offset | 0) !== offset) return false;
  let size = 1;
  let low = offset;
  let high = offset;
  for (let axis = 0; axis < rank; axis++) {
    const extent = shape[axis];
    const step = stride[axis] as number;
    if (typeof extent !== "number" || step > LIMIT || step < -LIMIT) return false;
    size *= extent;
    if (size > LIMIT) return false;
    if (step < 0) low += (extent - 1) * step;
    else high += (extent - 1) * step;
  }
  return size === 0 || (low >= 0 && (high + 1) * elementBytes(dtype) <= byteLength);
}

/**
 * Makes a tensor of uninitialised memory from the allocator in force, its handle of the class of `t`: the output of
 * an operation.
 *
 * @throws TensorShapeError beyond the limits of a tensor.
 * @since 0.1.0
 */
export function allocateLike<D extends DType>(t: Tensor, operation: string, dtype: D, layout: Layout): Tensor<D> {
  return allocateIn(current().memory, t, operation, dtype, layout, TRANSIENT);
}

/**
 * Makes a tensor as {@link allocateLike} does, of the layout of a live tensor without padding, whose limits it keeps: its
 * elements are no wider.
 */
export function allocateAlike(memory: Allocator, t: Tensor, dtype: DType): Tensor {
  const buffer = memory.allocate(t.size * elementBytes(dtype), TRANSIENT);
  return new (t.constructor as TensorConstructor)(dtype, buffer, buffer.generation, 0, t.layout, t.shape);
}

/** Makes an uninitialised tensor that stays in the memory of an allocator; see {@link allocateLike}. */
export function allocateIn<D extends DType>(
  memory: Allocator,
  t: Tensor,
  operation: string,
  dtype: D,
  layout: Layout,
  options?: AllocateOptions,
): Tensor<D> {
  refuseCompound(t, operation);
  const shape = extents(layout);
  const buffer = memory.allocate(checkBytes(operation, shape, dtype), options);
  return new (t.constructor as TensorConstructor)(dtype, buffer, buffer.generation, 0, layout, shape);
}

/** Makes an uninitialised row-major tensor; see {@link allocateLike}. @since 0.1.0 */
export function allocateRowMajor<D extends DType>(
  t: Tensor,
  operation: string,
  dtype: D,
  shape: readonly number[],
): Tensor<D> {
  checkBytes(operation, shape, dtype);
  return allocateLike(t, operation, dtype, rowMajor(shape));
}
