import { describe } from "@sw/layout";
import { bfloat16ToNumber, numberToBfloat16 } from "./convert/bfloat16.js";
import { halfToNumber, numberToHalf } from "./convert/half.js";
import { DTYPES, type DType, type ValueOf } from "./dtype.js";
import { TensorValueError } from "./errors.js";

// One element, between a JavaScript value and what its typed array holds.

const RANGES: { readonly [D in DType]?: readonly [number, number] } = {
  uint8: [0, 2 ** 8 - 1],
  int8: [-(2 ** 7), 2 ** 7 - 1],
  uint16: [0, 2 ** 16 - 1],
  int16: [-(2 ** 15), 2 ** 15 - 1],
  uint32: [0, 2 ** 32 - 1],
  int32: [-(2 ** 31), 2 ** 31 - 1],
};

const WIDE_RANGES: { readonly [D in DType]?: readonly [bigint, bigint] } = {
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
};

/** The least and the greatest value of a dtype; of floats they are the infinities. */
export function endsOf(dtype: DType): readonly [number, number] | readonly [bigint, bigint] {
  return WIDE_RANGES[dtype] ?? RANGES[dtype] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
}

function refuse(operation: string, dtype: DType, value: unknown, position: number, expected: string): never {
  throw new TensorValueError(
    "SW_TENSOR_VALUE",
    `${operation}: ${dtype} cannot hold the value at position ${position}: got ${String(value)}, expected ${expected}. Make a float tensor and cast it, if rounding is meant.`,
    { given: value, expected, position },
  );
}

/**
 * Turns a JavaScript value into what a dtype's typed array stores. Floats are rounded once, also to 16 bits
 * (field case 16); an integer dtype takes integers in its range only (D14).
 *
 * @throws TensorValueError `SW_TENSOR_VALUE` naming position and value; TypeError for what is no number, bigint or
 * boolean.
 */
export function toElement(operation: string, dtype: DType, value: unknown, position: number): number | bigint {
  const v = typeof value === "boolean" ? Number(value) : value;
  if (typeof v !== "number" && typeof v !== "bigint") {
    throw new TypeError(
      `${operation}: not a number at position ${position}: got ${describe(v)}, expected a number, bigint or boolean.`,
    );
  }
  const wide = WIDE_RANGES[dtype];
  if (wide !== undefined) {
    if (typeof v === "number" && !Number.isSafeInteger(v))
      refuse(operation, dtype, v, position, "a safe integer or a bigint");
    const big = BigInt(v);
    if (big < wide[0] || big > wide[1]) refuse(operation, dtype, v, position, `${wide[0]} to ${wide[1]}`);
    return big;
  }
  const range = RANGES[dtype];
  if (range !== undefined) {
    if (typeof v === "number" && !Number.isInteger(v)) refuse(operation, dtype, v, position, "an integer");
    if (v < range[0] || v > range[1]) refuse(operation, dtype, v, position, `${range[0]} to ${range[1]}`);
    return Number(v);
  }
  if (dtype === "bool") {
    if (v !== 0 && v !== 1 && v !== 0n && v !== 1n) refuse(operation, dtype, v, position, "true, false, 0 or 1");
    return Number(v);
  }
  const number = dtype !== "float64" && typeof v === "bigint" ? roundToOdd(v) : Number(v);
  if (dtype === "float16") return numberToHalf(number);
  if (dtype === "bfloat16") return numberToBfloat16(number);
  return number;
}

/**
 * Gives a bigint as a number; where 53 bits do not hold it, the odd one of the two numbers around it, so that rounding
 * that to a narrower format rounds the bigint once.
 */
function roundToOdd(v: bigint): number {
  const size = v < 0n ? -v : v;
  if (size < 2n ** 53n) return Number(v);
  const excess = BigInt(size.toString(2).length - 53);
  const kept = size >> excess;
  const odd = kept << excess === size ? kept : kept | 1n;
  return Number((v < 0n ? -odd : odd) << excess);
}

/** Turns what a dtype's typed array stores into the JavaScript value it stands for. */
export function fromElement<D extends DType>(dtype: D, stored: number | bigint): ValueOf<D> {
  return toValue(dtype, stored) as ValueOf<D>;
}

function toValue(dtype: DType, stored: number | bigint): number | bigint | boolean {
  if (typeof stored === "bigint") return stored;
  if (dtype === "bool") return stored !== 0;
  if (dtype === "float16") return halfToNumber(stored);
  if (dtype === "bfloat16") return bfloat16ToNumber(stored);
  return stored;
}

/** Tells whether elements of a dtype are floating-point numbers. */
export function isFloat(dtype: DType): boolean {
  return DTYPES[dtype].kind === "float";
}
