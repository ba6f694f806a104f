/** A typed array that a window over memory can be. @since 0.1.0 */
export type TypedArray =
  | Int8Array
  | Uint8Array
  | Uint8ClampedArray
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

/** The constructor of a typed array, as `DataBuffer.view` takes it: `Float32Array`, `BigInt64Array`, … @since 0.1.0 */
export interface TypedArrayConstructor<A extends TypedArray = TypedArray> {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset?: number, length?: number): A;
}

/**
 * The same, as the host declares its own constructors. From their overloads the compiler infers an
 * array over an unshared buffer; from `prototype` it infers the plain type.
 * @since 0.1.0
 */
export interface HostArrayConstructor<A extends TypedArray> extends TypedArrayConstructor<A> {
  readonly prototype: A;
  of(...items: never[]): TypedArray;
}

/** Tells an array buffer, shared or not, of any realm. */
export function isArrayBuffer(value: unknown): value is ArrayBufferLike {
  const tag = Object.prototype.toString.call(value);
  return tag === "[object ArrayBuffer]" || tag === "[object SharedArrayBuffer]";
}
