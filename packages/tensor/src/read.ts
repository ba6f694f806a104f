import { describe, indexOf } from "@sw/layout";
import { copyBox, copyOut } from "./box.js";
import { copyInto } from "./convert/copy.js";
import type { ArrayOf, DType, TypedArray, ValueOf } from "./dtype.js";
import { fromElement, toElement } from "./element.js";
import { valuesOf } from "./elements.js";
import { TensorShapeError, TensorValueError, ViewError } from "./errors.js";
import { live, plain, showShape } from "./gate.js";
import { allocateRowMajor, checkLive } from "./handle.js";
import { checkInjective, checkTarget, isContiguousTensor } from "./movement.js";
import { ended } from "./scope.js";
import type { Tensor } from "./tensor.js";
import { type Writable, windowOf } from "./window.js";

// Elements between tensors and JavaScript.

/** Nested lists of elements, as deep as the tensor's rank; the element itself for rank 0. @since 0.1.0 */
export type NestedArray<T> = T | readonly NestedArray<T>[];

function place(t: Tensor, operation: string, index: readonly number[]): number {
  checkLive(t, operation);
  if (index.length !== t.rank) {
    throw new TensorValueError(
      "SW_TENSOR_INDEX",
      `${operation}: one index per axis is needed: got ${index.length}, expected ${t.rank} (shape ${showShape(t.shape)}).`,
      { given: index.length, expected: t.rank },
    );
  }
  for (let axis = 0; axis < index.length; axis++) {
    const i = index[axis] as number;
    if (!Number.isInteger(i)) {
      throw new TypeError(
        `${operation}: an index is no integer: got ${describe(i)} for axis ${axis}, expected an integer.`,
      );
    }
    const extent = t.shape[axis] as number;
    if (i < 0 || i >= extent) {
      throw new TensorValueError(
        "SW_TENSOR_INDEX",
        `${operation}: an index is out of range: got ${i} for axis ${axis}, expected 0 to ${extent - 1} (shape ${showShape(t.shape)}).`,
        { given: i, expected: extent, position: axis },
      );
    }
  }
  return t.offset + indexOf(t.layout, index);
}

/** Reads one element. */
export function at<D extends DType>(t: Tensor<D>, index: readonly number[], operation = "at"): ValueOf<D> {
  const position = place(t, operation, index);
  return fromElement(t.dtype, (windowOf(t) as TypedArray)[position] as number | bigint);
}

/** Writes one element. */
export function set(t: Tensor, value: unknown, index: readonly number[]): void {
  const position = place(t, "set", index);
  checkInjective("set", t);
  const element = toElement("set", t.dtype, value, 0);
  t.buffer.beginWrite(t.generation, "set");
  (windowOf(t) as Writable)[position] = element;
}

/** Reads the only element. */
export function item<D extends DType>(t: Tensor<D>): ValueOf<D> {
  live(t, "item");
  if (t.size !== 1) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_MISMATCH",
      `item: not one element: got shape ${showShape(t.shape)} of ${t.size} elements, expected one.`,
      { given: t.size, expected: 1, shape: t.shape },
    );
  }
  return at(
    t,
    t.shape.map(() => 0),
    "item",
  );
}

/** Copies the elements, row-major, into a typed array of their own. */
export function data<D extends DType>(t: Tensor<D>): ArrayOf[D] {
  live(t, "data");
  if (isContiguousTensor(t)) return windowOf(t).slice(t.offset, t.offset + t.size) as ArrayOf[D];
  return copyOut(t, t.dtype, copyInto);
}

/** Copies the elements into nested lists of JavaScript values. */
export function toArray<D extends DType>(t: Tensor<D>): NestedArray<ValueOf<D>> {
  live(t, "toArray");
  const values = valuesOf(t);
  let next = 0;
  const build = (axis: number): NestedArray<ValueOf<D>> => {
    const extent = t.shape[axis] as number;
    if (axis === t.rank - 1) {
      next += extent;
      return values.slice(next - extent, next);
    }
    const list: NestedArray<ValueOf<D>>[] = [];
    for (let i = 0; i < extent; i++) list.push(build(axis + 1));
    return list;
  };
  return t.rank === 0 ? (values[0] as ValueOf<D>) : build(0);
}

function checkFunction(operation: string, fn: unknown): void {
  if (typeof fn === "function") return;
  throw new TypeError(`${operation}: nothing to lend the elements to: got ${describe(fn)}, expected a function.`);
}

function lend<D extends DType>(t: Tensor<D>, operation: string): ArrayOf[D] {
  if (!isContiguousTensor(t)) {
    throw new ViewError(
      "SW_TENSOR_VIEW_COPY",
      `${operation}: the elements are not in one row-major run: got layout ${t.layout.toString()}, expected a contiguous tensor. Call contiguous() first.`,
      { given: t.layout.toString() },
    );
  }
  return windowOf(t).subarray(t.offset, t.offset + t.size) as ArrayOf[D];
}

/**
 * Lends the elements of a contiguous tensor to a function, without copying. The window is good inside `fn` only: an
 * allocation may detach it. It is for reading: a write through it is seen by nobody, backward included.
 *
 * @throws TypeError for what is no function; ViewError `SW_TENSOR_VIEW_COPY` for a tensor that is not contiguous;
 * TensorStateError `SW_TENSOR_SCOPE_PROMISE` when `fn` returns a promise or an iterator, which would outlive the window.
 * @since 0.1.0
 */
export function withData<D extends DType, T>(t: Tensor<D>, fn: (elements: ArrayOf[D]) => T): T {
  plain(t, "withData");
  checkFunction("withData", fn);
  return ended("withData", fn(lend(t, "withData")));
}

/**
 * Lends the elements of a contiguous tensor to a function that may write them. The write counts once, before `fn`
 * runs, as OneModel section 7 has it: what an operation inside `fn` saves of this tensor is not protected from later
 * writes in `fn`.
 *
 * @throws as {@link withData}; TensorStateError `SW_TENSOR_RECORDING` while recording, for a tensor that takes part in
 * gradients. Nothing is written then, but by an asynchronous `fn` itself.
 * @since 0.1.0
 */
export function withMutableData<D extends DType, T>(t: Tensor<D>, fn: (elements: ArrayOf[D]) => T): T {
  plain(t, "withMutableData");
  checkFunction("withMutableData", fn);
  checkTarget("withMutableData", t);
  const elements = lend(t, "withMutableData");
  t.buffer.beginWrite(t.generation, "withMutableData");
  return ended("withMutableData", fn(elements));
}

/** Writes one value to every element. */
export function fill(t: Tensor, value: unknown): void {
  live(t, "fill");
  const element = toElement("fill", t.dtype, value, 0);
  checkTarget("fill", t);
  const scalar = allocateRowMajor(t, "fill", t.dtype, []);
  try {
    (windowOf(scalar) as Writable)[0] = element;
    copyBox(t, scalar, "fill");
  } finally {
    scalar.dispose();
  }
}
