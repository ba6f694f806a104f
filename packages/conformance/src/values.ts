import { bfloat16ToNumber, halfToNumber, numberToBfloat16, numberToHalf, type Operand } from "@sw/tensor/seam";

/** The element types that operands have. */
export type DType = Operand["dtype"];
/** The arrays that operands have. */
export type TypedArray = Operand["data"];
/** An element as the kit computes with it: 64-bit integers are bigints, all other dtypes numbers. */
export type Value = number | bigint;

interface NumberArray {
  readonly BYTES_PER_ELEMENT: number;
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): TypedArray;
}

interface FloatFormat {
  /** Bits of the significand, the implied one included. */
  readonly precision: number;
  /** The exponent of the smallest subnormal. */
  readonly smallest: number;
  /** The exponent of the first power of two that is too large. */
  readonly overflow: number;
}

const ARRAYS: { readonly [D in DType]: NumberArray } = {
  float32: Float32Array,
  uint8: Uint8Array,
  int8: Int8Array,
  uint16: Uint16Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  bool: Uint8Array,
  float16: Uint16Array,
  float64: Float64Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  bfloat16: Uint16Array,
};

const FLOATS: { readonly [D in DType]?: FloatFormat } = {
  float64: { precision: 53, smallest: -1074, overflow: 1024 },
  float32: { precision: 24, smallest: -149, overflow: 128 },
  float16: { precision: 11, smallest: -24, overflow: 16 },
  bfloat16: { precision: 8, smallest: -133, overflow: 128 },
};

export const FLOAT_DTYPES: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];
export const INTEGER_DTYPES: readonly DType[] = [
  "int32",
  "int64",
  "int8",
  "int16",
  "uint8",
  "uint16",
  "uint32",
  "uint64",
];

export function arrayOf(dtype: DType): NumberArray {
  return ARRAYS[dtype];
}

export function isFloat(dtype: DType): boolean {
  return FLOATS[dtype] !== undefined;
}

export function isWideInteger(dtype: DType): boolean {
  return dtype === "int64" || dtype === "uint64";
}

/** Reads an element; the bits of 16-bit floats as the number that they stand for. */
export function readElement(dtype: DType, data: TypedArray, at: number): Value {
  const held = data[at]!;
  if (dtype === "float16") return halfToNumber(held as number);
  if (dtype === "bfloat16") return bfloat16ToNumber(held as number);
  return held;
}

/** Writes an element that the dtype holds exactly. */
export function writeElement(dtype: DType, data: TypedArray, at: number, value: Value): void {
  if (dtype === "float16") data[at] = numberToHalf(value as number);
  else if (dtype === "bfloat16") data[at] = numberToBfloat16(value as number);
  else data[at] = value;
}

/** Rounds a number to the nearest of a float dtype, ties to even. */
export function roundTo(dtype: DType, value: number): number {
  if (dtype === "float32") return Math.fround(value);
  if (dtype === "float16") return halfToNumber(numberToHalf(value));
  if (dtype === "bfloat16") return bfloat16ToNumber(numberToBfloat16(value));
  return value;
}

/** Wraps an exact integer modulo 2^bits, as the value that an integer dtype holds; of bool, 1 for all but 0. */
export function wrapTo(dtype: DType, exact: bigint): Value {
  if (dtype === "bool") return exact === 0n ? 0 : 1;
  const bits = ARRAYS[dtype].BYTES_PER_ELEMENT * 8;
  const wrapped = dtype.startsWith("int") ? BigInt.asIntN(bits, exact) : BigInt.asUintN(bits, exact);
  return isWideInteger(dtype) ? wrapped : Number(wrapped);
}

/** The lowest and highest value of an integer dtype, or of bool. */
export function limitsOf(dtype: DType): readonly [bigint, bigint] {
  if (dtype === "bool") return [0n, 1n];
  const bits = BigInt(ARRAYS[dtype].BYTES_PER_ELEMENT * 8);
  return dtype.startsWith("int") ? [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n] : [0n, 2n ** bits - 1n];
}

function formatOf(dtype: DType): FloatFormat {
  const format = FLOATS[dtype];
  if (format === undefined) throw new TypeError(`a float dtype is needed here: got ${dtype}. Please report it.`);
  return format;
}

/** Half the distance from 1 to the next number: the largest relative error of one rounding. */
export function unitRoundoff(dtype: DType): number {
  return 2 ** -formatOf(dtype).precision;
}

/** The smallest positive number of a float dtype, a subnormal. */
export function smallestOf(dtype: DType): number {
  return 2 ** formatOf(dtype).smallest;
}

/** The smallest normal number of a float dtype. */
export function smallestNormalOf(dtype: DType): number {
  const { smallest, precision } = formatOf(dtype);
  return 2 ** (smallest + precision - 1);
}

/** The largest finite number of a float dtype. */
export function largestOf(dtype: DType): number {
  const { overflow, precision } = formatOf(dtype);
  return (2 - 2 ** (1 - precision)) * 2 ** (overflow - 1);
}

/** The distance between neighbours of a float dtype at a finite number. */
export function ulpOf(dtype: DType, value: number): number {
  const { precision, smallest, overflow } = formatOf(dtype);
  const size = Math.abs(value);
  if (size === 0) return 2 ** smallest;
  let exponent = Math.min(Math.floor(Math.log2(size)), overflow - 1);
  // The logarithm is rounded: beside a power of two it may be one off.
  if (2 ** exponent > size) exponent -= 1;
  else if (exponent + 1 < overflow && 2 ** (exponent + 1) <= size) exponent += 1;
  return 2 ** Math.max(exponent - precision + 1, smallest);
}

/** Stands in for what lies beyond the largest number: the power of two that comes next, where a float64 has it. */
export function bounded(dtype: DType, value: number): number {
  const { overflow } = formatOf(dtype);
  const edge = overflow === 1024 ? Number.POSITIVE_INFINITY : 2 ** overflow;
  return Math.max(-edge, Math.min(edge, value));
}

export function showValue(value: Value): string {
  if (typeof value === "bigint") return `${value}n`;
  return Object.is(value, -0) ? "-0" : String(value);
}
