import { type TypedArray as BufferArray, type DataBuffer, wrapMemory } from "@sw/buffer";
import { type DefaultDType, dtypeOver, isTypedArray } from "./create.js";
import type { DType, TypedArray } from "./dtype.js";
import { fromBuffer, type Tensor } from "./tensor.js";
import { readWindow, type StridedWindow } from "./window-view.js";

/** Options of {@link strided}: `offset` and `strides` count elements of the buffer. @since 0.1.0 */
export interface StridedOptions<D extends DType> extends StridedWindow {
  readonly dtype?: D;
}

/**
 * Makes a tensor of given strides over memory that exists already; nothing is copied. Strides have any sign, and
 * elements may share memory: such a tensor is read, and refused where it is to be written. A typed array is wrapped
 * anew by each call; to have several tensors know of each other's writes, give them one buffer, or use `t.window`.
 *
 * @throws TypeError for what is no memory, an unknown dtype (a buffer has none of its own), or numbers that are no
 * integers; TensorValueError `SW_TENSOR_DTYPE_MISMATCH` when an array's elements have another width than the dtype's;
 * TensorShapeError beyond the limits of a tensor; LayoutError `SW_LAYOUT_INCONGRUENT` unless there is a stride for each
 * extent, `SW_LAYOUT_UNSAFE_INTEGER`; ViewError `SW_TENSOR_VIEW_BOUNDS` when the lowest or the highest element lies
 * outside the buffer.
 * @example
 * ```ts
 * import { strided } from "@sw/tensor";
 * const samples = Float32Array.of(1, 2, 3, 4, 5);
 * const windows = strided(samples, { shape: [3, 3], strides: [1, 1] });
 * console.log(windows.toArray()); // [ [ 1, 2, 3 ], [ 2, 3, 4 ], [ 3, 4, 5 ] ]
 * console.log(strided(samples, { shape: [3], strides: [-2], offset: 4 }).toArray()); // [ 5, 3, 1 ]
 * ```
 * @since 0.1.0
 */
export function strided<A extends TypedArray, D extends DType = DefaultDType<A>>(
  array: A,
  options: StridedOptions<D>,
): Tensor<D>;
export function strided<D extends DType>(
  buffer: DataBuffer,
  options: StridedOptions<D> & { readonly dtype: D },
): Tensor<D>;
export function strided(memory: TypedArray | DataBuffer, options: StridedOptions<DType>): Tensor {
  const operation = "strided";
  const { selector, start } = readWindow(operation, options);
  if (!isTypedArray(memory)) {
    if (typeof memory?.checkLive !== "function") {
      throw new TypeError(
        `${operation}: neither a typed array nor a buffer: got ${memory === null ? "null" : typeof memory}, expected one of them.`,
      );
    }
    return fromBuffer(options.dtype as DType, memory, selector, start, undefined, operation);
  }
  const dtype = dtypeOver(operation, memory, options.dtype);
  return fromBuffer(dtype, wrapMemory(memory as BufferArray), selector, start, undefined, operation);
}
