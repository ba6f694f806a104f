import { type TypedArray as BufferArray, wrapMemory } from "@sw/buffer";
import { describe, rowMajor } from "@sw/layout";
import { type ArrayOf, checkDType, DTYPES, type DType, type TypedArray } from "./dtype.js";
import { toElement } from "./element.js";
import { TensorShapeError, TensorValueError } from "./errors.js";
import { showShape } from "./gate.js";
import { checkBytes, checkShape } from "./handle.js";
import { dtypeOfValue, type Nested, type NestedOf, shapeOf, visitNested } from "./nested.js";
import { checkOptions } from "./options.js";
import { refuseCompound } from "./refuse-compound.js";
import { current } from "./scope.js";
import { fromBuffer, type Tensor } from "./tensor.js";
import { type Writable, windowOf } from "./window.js";

/** The dtype that values have when none is asked for (D14). @since 0.1.0 */
export type DefaultDType<V> = V extends Float32Array
  ? "float32"
  : V extends Float64Array
    ? "float64"
    : V extends Int8Array
      ? "int8"
      : V extends Uint8Array
        ? "uint8"
        : V extends Int16Array
          ? "int16"
          : V extends Uint16Array
            ? "uint16"
            : V extends Int32Array
              ? "int32"
              : V extends Uint32Array
                ? "uint32"
                : V extends BigInt64Array
                  ? "int64"
                  : V extends BigUint64Array
                    ? "uint64"
                    : DType;

/** Options of creation functions. @since 0.1.0 */
export interface CreateOptions<D extends DType> {
  readonly dtype?: D;
}

/** The dtype that options ask for; float32 where they ask for none. */
export function wantedDType<D extends DType>(operation: string, options: CreateOptions<D>): D {
  checkOptions(operation, options, '{ dtype: "int32" }');
  return (options.dtype ?? "float32") as D;
}

/** Makes row-major memory from the allocator in force. */
function allocate<D extends DType>(operation: string, shape: readonly number[], dtype: D, zero: boolean): Tensor<D> {
  checkDType(operation, dtype);
  const byteLength = checkBytes(operation, shape, dtype);
  const layout = rowMajor(shape);
  return fromBuffer(dtype, current().memory.allocate(byteLength, { zero }), layout);
}

/** Makes an uninitialised tensor whose elements `write` must all set; a throw returns the memory. */
export function createWith<D extends DType>(
  operation: string,
  shape: readonly number[],
  dtype: D,
  write: (elements: ArrayOf[D]) => void,
): Tensor<D> {
  const out = allocate(operation, shape, dtype, false);
  try {
    write(windowOf(out).subarray(0, out.size) as ArrayOf[D]);
  } catch (error) {
    out.dispose();
    throw error;
  }
  return out;
}

/** The dtype of each kind of typed array, by the name that arrays of every realm have. */
const DTYPE_OF_ARRAY: { readonly [tag: string]: DType | undefined } = {
  Float32Array: "float32",
  Float64Array: "float64",
  Float16Array: "float16",
  Int8Array: "int8",
  Uint8Array: "uint8",
  Uint8ClampedArray: "uint8",
  Int16Array: "int16",
  Uint16Array: "uint16",
  Int32Array: "int32",
  Uint32Array: "uint32",
  BigInt64Array: "int64",
  BigUint64Array: "uint64",
};

function dtypeOfArray(operation: string, array: TypedArray): DType {
  const tag: string = array[Symbol.toStringTag];
  const dtype = DTYPE_OF_ARRAY[tag];
  if (dtype !== undefined) return dtype;
  throw new TypeError(`${operation}: an unknown kind of typed array: got ${tag}, expected a number or bigint array.`);
}

/** Recognises a typed array, of this or another realm. */
export function isTypedArray(value: unknown): value is TypedArray {
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

/**
 * The dtype of a tensor over the memory of an array: the one asked for, or the array's own.
 *
 * @throws TypeError for an unknown dtype or array; TensorValueError `SW_TENSOR_DTYPE_MISMATCH` for another width.
 */
export function dtypeOver(operation: string, array: TypedArray, wanted: DType | undefined): DType {
  const dtype = wanted ?? dtypeOfArray(operation, array);
  checkDType(operation, dtype);
  if (DTYPES[dtype].byteLength === array.BYTES_PER_ELEMENT) return dtype;
  throw new TensorValueError(
    "SW_TENSOR_DTYPE_MISMATCH",
    `${operation}: the array's elements are not as wide as the dtype's: got ${array.BYTES_PER_ELEMENT} bytes, expected ${DTYPES[dtype].byteLength} for ${dtype}.`,
    { given: array.BYTES_PER_ELEMENT, expected: DTYPES[dtype].byteLength },
  );
}

/**
 * Makes a tensor of numbers, bigints or booleans in nested lists, or of a typed array; the elements are copied.
 * Numbers make float32, booleans bool, bigints int64; a typed array its own dtype, or the one asked for, value by value.
 * Only a `Uint16Array` that is to be float16 or bfloat16 is taken for its bits, as in `asTensor`.
 *
 * @throws TensorShapeError `SW_TENSOR_RAGGED`, or `SW_TENSOR_SHAPE_MISMATCH` when `shape` needs another number of
 * elements; TensorValueError `SW_TENSOR_VALUE` for a value the dtype cannot hold; TypeError for values that are no numbers.
 * @example
 * ```ts
 * import { tensor } from "@sw/tensor";
 * console.log(tensor([[1, 2], [3, 4]]).T.toArray());
 * ```
 * @since 0.1.0
 */
export function tensor<D extends DType>(
  values: Nested | TypedArray,
  options: { readonly dtype: D; readonly shape?: readonly number[] },
): Tensor<D>;
export function tensor<A extends TypedArray>(
  values: A,
  options?: { readonly shape?: readonly number[] },
): Tensor<DefaultDType<A>>;
export function tensor(values: NestedOf<number>, options?: { readonly shape?: readonly number[] }): Tensor<"float32">;
export function tensor(values: NestedOf<bigint>, options?: { readonly shape?: readonly number[] }): Tensor<"int64">;
export function tensor(values: NestedOf<boolean>, options?: { readonly shape?: readonly number[] }): Tensor<"bool">;
export function tensor(
  values: unknown,
  options: { readonly dtype?: DType; readonly shape?: readonly number[] } = {},
): Tensor {
  checkOptions("tensor", options, "{ dtype, shape }");
  return fromValues("tensor", values, options.dtype, options.shape);
}

/** Makes a tensor of whatever holds values; errors speak of `operation`. */
export function fromValues(
  operation: string,
  values: unknown,
  wantedDType: DType | undefined,
  shape: readonly number[] | undefined,
): Tensor {
  if (isTypedArray(values)) return fromTypedArray(operation, values, wantedDType, shape);
  if (
    typeof values !== "number" &&
    typeof values !== "bigint" &&
    typeof values !== "boolean" &&
    !Array.isArray(values)
  ) {
    refuseCompound(values, operation);
    throw new TypeError(
      `${operation}: no values: got ${describe(values)}, expected a number, nested lists, or a typed array.`,
    );
  }
  const nested = values as Nested;
  const own = shapeOf(nested);
  checkShape(operation, own);
  const dtype = wantedDType ?? dtypeOfValue(nested);
  checkDType(operation, dtype);
  const wanted = shape ?? own;
  checkShape(operation, wanted);
  checkCount(operation, own, wanted);
  return createWith(operation, wanted, dtype, (elements) => {
    const out = elements as Writable;
    let next = 0;
    visitNested(operation, nested, own, (value) => {
      out[next] = toElement(operation, dtype, value, next);
      next += 1;
    });
  });
}

function checkCount(operation: string, own: readonly number[], wanted: readonly number[]): void {
  const count = own.reduce((product, extent) => product * extent, 1);
  const needed = wanted.reduce((product, extent) => product * extent, 1);
  if (count === needed) return;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_MISMATCH",
    `${operation}: the number of values does not fit the shape: got ${count} values, expected ${needed} for shape ${showShape(wanted)}.`,
    { given: count, expected: needed, shape: wanted },
  );
}

function fromTypedArray(
  operation: string,
  array: TypedArray,
  dtype: DType | undefined,
  shape: readonly number[] | undefined,
): Tensor {
  const own = dtypeOfArray(operation, array);
  const wanted = shape ?? [array.length];
  const d = dtype ?? own;
  checkDType(operation, d);
  checkShape(operation, wanted);
  checkCount(operation, [array.length], wanted);
  const storesAlike = own !== "float16" && DTYPES[d].array === DTYPES[own].array;
  if (storesAlike && d !== "bool") {
    return createWith(operation, wanted, d, (elements) => (elements as Uint8Array).set(array as Uint8Array));
  }
  return createWith(operation, wanted, d, (elements) => {
    const out = elements as Writable;
    for (let i = 0; i < array.length; i++) out[i] = toElement(operation, d, array[i], i);
  });
}

/**
 * Makes a tensor over a typed array's own memory, without copying: writes are seen on both sides. A window of a
 * larger buffer stays that window.
 *
 * @param shape - default: one axis of the array's length.
 * @param options - `dtype`: for a `Uint16Array` that holds float16 or bfloat16 bits, or a `Uint8Array` of bools;
 * `onRelease`: called once when the tensor's memory is returned.
 * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` when the array has fewer elements than the shape.
 * @since 0.1.0
 */
export function asTensor<A extends TypedArray, D extends DType = DefaultDType<A>>(
  array: A,
  shape?: readonly number[],
  options: CreateOptions<D> & { readonly onRelease?: () => void } = {},
): Tensor<D> {
  if (!isTypedArray(array))
    throw new TypeError(`asTensor: not a typed array: got ${describe(array)}, expected a typed array.`);
  const extents = shape ?? [array.length];
  checkOptions("asTensor", options, "{ dtype, onRelease }");
  const dtype = dtypeOver("asTensor", array, options.dtype) as D;
  checkShape("asTensor", extents);
  checkCount("asTensor", [array.length], extents);
  const { onRelease } = options;
  const buffer = wrapMemory(array as BufferArray, onRelease === undefined ? {} : { onRelease });
  return fromBuffer(dtype, buffer, rowMajor(extents));
}

/** Makes a tensor of zeros. @since 0.1.0 */
export function zeros<D extends DType = "float32">(
  shape: readonly number[],
  options: CreateOptions<D> = {},
): Tensor<D> {
  return allocate("zeros", shape, wantedDType("zeros", options), true);
}

/** Makes a tensor of ones. @since 0.1.0 */
export function ones<D extends DType = "float32">(shape: readonly number[], options: CreateOptions<D> = {}): Tensor<D> {
  return filled("ones", shape, 1, options);
}

/**
 * Makes a tensor of one value; float32 unless a dtype is given.
 *
 * @throws TensorValueError `SW_TENSOR_VALUE` when the dtype cannot hold it.
 * @since 0.1.0
 */
export function full<D extends DType = "float32">(
  shape: readonly number[],
  value: number | bigint | boolean,
  options: CreateOptions<D> = {},
): Tensor<D> {
  return filled("full", shape, value, options);
}

function filled<D extends DType>(
  operation: string,
  shape: readonly number[],
  value: number | bigint | boolean,
  options: CreateOptions<D>,
): Tensor<D> {
  const dtype = wantedDType(operation, options);
  checkDType(operation, dtype);
  const element = toElement(operation, dtype, value, 0);
  return createWith(operation, shape, dtype, (elements) =>
    (elements as { fill(v: number | bigint): void }).fill(element),
  );
}
