import type { Operand } from "../../src/backend.js";
import { DTYPES, type DType, type TypedArray } from "../../src/dtype.js";

// A second implementation of the conversion rules, made to be plainly right: exact integers and tables, no bit tricks.

export const NAMES: readonly DType[] = Object.keys(DTYPES) as DType[];

/** Element bits of 16-bit formats by their definition: sign, exponent, fraction. */
export function decode16(bits: number, fractionBits: number, bias: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const scale = 2 ** fractionBits;
  const exponent = (bits & 0x7fff) >> fractionBits;
  const fraction = bits & (scale - 1);
  if (exponent === 2 * bias + 1) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  if (exponent === 0) return sign * fraction * 2 ** (1 - bias - fractionBits);
  return sign * (1 + fraction / scale) * 2 ** (exponent - bias);
}

export interface Format16 {
  readonly fractionBits: number;
  readonly bias: number;
  /** Every finite value ≥ 0, by its bits, and one more where infinity begins. */
  readonly values: readonly number[];
}

export function format16(dtype: "float16" | "bfloat16"): Format16 {
  const fractionBits = dtype === "float16" ? 10 : 7;
  const bias = dtype === "float16" ? 15 : 127;
  const count = (2 * bias + 1) << fractionBits;
  const values = Array.from({ length: count }, (_, bits) => decode16(bits, fractionBits, bias));
  values.push(2 ** (bias + 1));
  return { fractionBits, bias, values };
}

/** The bits of the nearest value, ties to even, by search among all values. Exact for float64 and float32 inputs. */
export function nearest16(x: number, format: Format16): number {
  const { values } = format;
  const sign = x < 0 || Object.is(x, -0) ? 0x8000 : 0;
  const a = Math.abs(x);
  let low = 0;
  let high = values.length - 1;
  if (a >= values[high]!) return sign | high;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (values[middle]! <= a) low = middle;
    else high = middle;
  }
  // The middle of two neighbours is a float64; where it is compared with, nothing is rounded.
  const between = values[low]! / 2 + values[high]! / 2;
  if (a === between) return sign | (low % 2 === 0 ? low : high);
  return sign | (a < between ? low : high);
}

/** The nearest number with `precision` significant bits, ties to even. */
export function roundBigInt(x: bigint, precision: number): number {
  const negative = x < 0n;
  let a = negative ? -x : x;
  const excess = a.toString(2).length - precision;
  if (excess > 0) {
    const unit = 1n << BigInt(excess);
    const rest = a % unit;
    a -= rest;
    if (2n * rest > unit || (2n * rest === unit && (a / unit) % 2n === 1n)) a += unit;
  }
  return negative ? -Number(a) : Number(a);
}

/** An element as a value: a bigint for integers of all widths, a number for floats, a boolean. */
export type Value = number | bigint | boolean;

export interface Formats {
  readonly float16: Format16;
  readonly bfloat16: Format16;
}

export function readElement(dtype: DType, data: TypedArray, index: number): Value {
  const raw = data[index]!;
  if (dtype === "bool") return raw !== 0;
  if (dtype === "float16") return decode16(Number(raw), 10, 15);
  if (dtype === "bfloat16") return decode16(Number(raw), 7, 127);
  return DTYPES[dtype].kind === "float" ? Number(raw) : BigInt(raw);
}

/** What `cast` makes of a value, as the element of the typed array; NaN stands for any quiet NaN. */
export function castValue(value: Value, to: DType, formats: Formats): number | bigint {
  const info = DTYPES[to];
  const plain = typeof value === "boolean" ? BigInt(value) : value;
  if (to === "bool") return typeof plain === "bigint" ? Number(plain !== 0n) : Number(plain !== 0);
  if (info.kind === "float") {
    if (to === "float64") return Number(plain);
    if (to === "float32") return typeof plain === "bigint" ? roundBigInt(plain, 24) : Math.fround(plain);
    if (typeof plain === "number" && Number.isNaN(plain)) return Number.NaN;
    const once = typeof plain === "bigint" ? roundBigInt(plain, to === "float16" ? 11 : 8) : Math.fround(plain);
    return nearest16(once, formats[to as "float16" | "bfloat16"]);
  }
  const bits = BigInt(8 * info.byteLength);
  const low = info.kind === "int" ? -(1n << (bits - 1n)) : 0n;
  const high = low + (1n << bits) - 1n;
  let integer: bigint;
  if (typeof plain === "bigint") {
    integer = info.kind === "int" ? BigInt.asIntN(Number(bits), plain) : BigInt.asUintN(Number(bits), plain);
  } else if (Number.isNaN(plain)) integer = 0n;
  else if (plain >= Number(high)) integer = high;
  else if (plain <= Number(low)) integer = low;
  else integer = BigInt(Math.trunc(plain));
  return info.byteLength === 8 ? integer : Number(integer);
}

export function operand(
  dtype: DType,
  data: TypedArray,
  shape: readonly number[] = [data.length],
  strides: readonly number[] = [1],
  offset = 0,
): Operand {
  return { dtype, data, offset, shape, strides };
}

export function arrayOf(dtype: DType, length: number): TypedArray {
  return new DTYPES[dtype].array(length);
}

export function bytesOf(data: TypedArray): Uint8Array {
  return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
}

/** The first byte in which two arrays differ; −1 when none does. */
export function firstDifference(a: Uint8Array, b: Uint8Array): number {
  for (let k = 0; k < Math.max(a.length, b.length); k++) if (a[k] !== b[k]) return k;
  return -1;
}

/** Every index that an operand reaches, in row-major order. */
export function indicesOf(shape: readonly number[], strides: readonly number[], offset: number): readonly number[] {
  let indices = [offset];
  shape.forEach((extent, axis) => {
    indices = indices.flatMap((index) => Array.from({ length: extent }, (_, k) => index + k * strides[axis]!));
  });
  return indices;
}
