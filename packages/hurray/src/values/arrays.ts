import type { ElementTypeName } from "../elements.js";

/**
 * The array that holds unpacked elements of each type. Nothing is converted: floats of 16 bits and fewer are their
 * codes, float128 is 16 bytes an element, complex numbers are pairs. Types below a byte take a byte an element.
 *
 * @since 0.1.0
 */
export interface ElementArrays {
  float16: Uint16Array;
  bfloat16: Uint16Array;
  float32: Float32Array;
  float64: Float64Array;
  int8: Int8Array;
  uint8: Uint8Array;
  int16: Int16Array;
  uint16: Uint16Array;
  int32: Int32Array;
  uint32: Uint32Array;
  int64: BigInt64Array;
  uint64: BigUint64Array;
  bool: Uint8Array;
  float8_e4m3: Uint8Array;
  float8_e5m2: Uint8Array;
  float8_e8m0: Uint8Array;
  float4_e2m1: Uint8Array;
  float6_e2m3: Uint8Array;
  float6_e3m2: Uint8Array;
  float128: Uint8Array;
  int4: Int8Array;
  uint4: Uint8Array;
  int2: Int8Array;
  uint2: Uint8Array;
  complex64: Float32Array;
  complex128: Float64Array;
}

/** The unpacked elements of any type. @since 0.1.0 */
export type ElementArray = ElementArrays[ElementTypeName];

interface ArrayConstructorOf {
  readonly BYTES_PER_ELEMENT: number;
  new (length: number): ElementArray;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): ElementArray;
}

const ARRAYS: { readonly [T in ElementTypeName]?: ArrayConstructorOf } = {
  float16: Uint16Array,
  bfloat16: Uint16Array,
  float32: Float32Array,
  float64: Float64Array,
  int8: Int8Array,
  int16: Int16Array,
  uint16: Uint16Array,
  int32: Int32Array,
  uint32: Uint32Array,
  int64: BigInt64Array,
  uint64: BigUint64Array,
  int4: Int8Array,
  int2: Int8Array,
  complex64: Float32Array,
  complex128: Float64Array,
};

const arrayOf = (type: ElementTypeName): ArrayConstructorOf => ARRAYS[type] ?? Uint8Array;

/** How many entries of its array an element takes. */
export function entriesOf(type: ElementTypeName): number {
  if (type === "float128") return 16;
  return type === "complex64" || type === "complex128" ? 2 : 1;
}

/** Makes an array for `count` elements, all zero bits. */
export function newElements<T extends ElementTypeName>(type: T, count: number): ElementArrays[T] {
  return new (arrayOf(type))(count * entriesOf(type)) as ElementArrays[T];
}

/** Bits of an unpacked element. */
export function unpackedBits(type: ElementTypeName): number {
  return arrayOf(type).BYTES_PER_ELEMENT * entriesOf(type) * 8;
}

/** Elements of whole bytes as unsigned integers, so that moving one keeps its bits: a NaN may lose some as a float. */
export interface Words {
  readonly words: Uint8Array | Uint16Array | Uint32Array;
  /** How many of them an element is. */
  readonly perElement: number;
}

/** Gives bytes as words, the widest that elements of this width consist of: a window where aligned, else a copy. */
export function wordsOf(bits: number, bytes: Uint8Array): Words {
  if (bits % 32 === 0) return { words: windowOf("uint32", bytes), perElement: bits / 32 };
  if (bits % 16 === 0) return { words: windowOf("uint16", bytes), perElement: bits / 16 };
  return { words: bytes, perElement: Math.max(1, bits / 8) };
}

/**
 * Gives bytes as an array of elements of a type that is not packed: a window where the bytes are aligned for it, a copy
 * where they are not.
 */
export function windowOf<T extends ElementTypeName>(type: T, bytes: Uint8Array): ElementArrays[T] {
  const Elements = arrayOf(type);
  const width = Elements.BYTES_PER_ELEMENT;
  // Not by slice: that of a Buffer is no copy.
  const aligned = bytes.byteOffset % width === 0 ? bytes : new Uint8Array(bytes);
  const length = Math.floor(aligned.byteLength / width);
  return new Elements(aligned.buffer, aligned.byteOffset, length) as ElementArrays[T];
}
