import type { DType, DTypeKind, TypedArray } from "../dtype.js";
import { float32BitsToBfloat16, numberToBfloat16 } from "./bfloat16.js";
import { float32BitsToHalf } from "./half.js";
import { type Scratch, wordsAt } from "./scratch.js";

/** One more than the largest int64. */
const TWO_63 = 2 ** 63;

/** Writes the `n` elements in the scratch to neighbouring elements, from element `t` on. May change the scratch. */
export type Store = (scratch: Scratch, target: TypedArray, t: number, n: number) => void;

/** Picks how float64 numbers that came from a dtype of kind `fromKind` become elements of `to`. */
export function storeNumbers(to: DType, fromKind: DTypeKind): Store {
  const fromFloat = fromKind === "float";
  switch (to) {
    case "bool":
      return storeBool;
    case "float16":
      return storeHalf;
    case "bfloat16":
      return fromFloat ? storeBfloat16 : storeBfloat16Once;
    case "int64":
      return fromFloat ? saturateInt64 : wrapWords;
    case "uint64":
      return fromFloat ? saturateUint64 : wrapWords;
    case "int8":
      return fromFloat ? saturateInt8 : storePlain;
    case "uint8":
      return fromFloat ? saturateUint8 : storePlain;
    case "int16":
      return fromFloat ? saturateInt16 : storePlain;
    case "uint16":
      return fromFloat ? saturateUint16 : storePlain;
    case "int32":
      return fromFloat ? saturateInt32 : storePlain;
    case "uint32":
      return fromFloat ? saturateUint32 : storePlain;
    default:
      return storePlain;
  }
}

/** Picks how float32 bits become elements of a floating dtype of at most 32 bits. */
export function storeFloat32Bits(to: DType): Store {
  return to === "float16" ? storeHalfBits : to === "bfloat16" ? storeBfloat16Bits : storeBits;
}

/** A typed array rounds to its own float format, and wraps integers: both are the rule. */
function storePlain(scratch: Scratch, target: TypedArray, t: number, n: number): void {
  (target as Float64Array).set(scratch.numbers.subarray(0, n), t);
}

/** NaN is true. */
function storeBool(scratch: Scratch, target: TypedArray, t: number, n: number): void {
  const { numbers } = scratch;
  const bytes = target as Uint8Array;
  for (let k = 0; k < n; k++) bytes[t + k] = numbers[k] === 0 ? 0 : 1;
}

/** Through float32 (D10). An integer that float32 must round is infinite in binary16, so it is rounded once too. */
function storeHalf(scratch: Scratch, target: TypedArray, t: number, n: number): void {
  scratch.floats.set(scratch.numbers.subarray(0, n));
  storeHalfBits(scratch, target, t, n);
}

function storeBfloat16(scratch: Scratch, target: TypedArray, t: number, n: number): void {
  scratch.floats.set(scratch.numbers.subarray(0, n));
  storeBfloat16Bits(scratch, target, t, n);
}

/** Integers are rounded once to every float format; float32 may stand between only where it holds them exactly. */
function storeBfloat16Once(scratch: Scratch, target: TypedArray, t: number, n: number): void {
  const { numbers, floats, bits } = scratch;
  const halves = target as Uint16Array;
  floats.set(numbers.subarray(0, n));
  for (let k = 0; k < n; k++) {
    const x = numbers[k]!;
    halves[t + k] = floats[k] === x ? float32BitsToBfloat16(bits[k]!) : numberToBfloat16(x);
  }
}

function storeHalfBits(scratch: Scratch, target: TypedArray, t: number, n: number): void {
  const { bits } = scratch;
  const halves = target as Uint16Array;
  for (let k = 0; k < n; k++) halves[t + k] = float32BitsToHalf(bits[k]!);
}

function storeBfloat16Bits(scratch: Scratch, target: TypedArray, t: number, n: number): void {
  const { bits } = scratch;
  const halves = target as Uint16Array;
  for (let k = 0; k < n; k++) halves[t + k] = float32BitsToBfloat16(bits[k]!);
}

function storeBits(scratch: Scratch, target: TypedArray, t: number, n: number): void {
  wordsAt(target, 4, t, n).set(scratch.bits.subarray(0, n));
}

function saturateInt8(scratch: Scratch, target: TypedArray, t: number, n: number): void {
  saturate(scratch, -128, 127, target, t, n);
}

function saturateUint8(scratch: Scratch, target: TypedArray, t: number, n: number): void {
  saturate(scratch, 0, 255, target, t, n);
}

function saturateInt16(scratch: Scratch, target: TypedArray, t: number, n: number): void {
  saturate(scratch, -32768, 32767, target, t, n);
}

function saturateUint16(scratch: Scratch, target: TypedArray, t: number, n: number): void {
  saturate(scratch, 0, 65535, target, t, n);
}

function saturateInt32(scratch: Scratch, target: TypedArray, t: number, n: number): void {
  saturate(scratch, -2147483648, 2147483647, target, t, n);
}

function saturateUint32(scratch: Scratch, target: TypedArray, t: number, n: number): void {
  saturate(scratch, 0, 4294967295, target, t, n);
}

/** Once clamped, the store truncates toward zero, makes 0 of NaN and has nothing left to wrap (D11). */
function saturate(scratch: Scratch, low: number, high: number, target: TypedArray, t: number, n: number): void {
  const { numbers } = scratch;
  for (let k = 0; k < n; k++) {
    const x = numbers[k]!;
    numbers[k] = x < low ? low : Math.min(x, high);
  }
  storePlain(scratch, target, t, n);
}

/** Two's complement of an integer of at most 32 bits, signed or not. */
function wrapWords(scratch: Scratch, target: TypedArray, t: number, n: number): void {
  const { numbers } = scratch;
  const pairs = wordsAt(target, 8, t, 2 * n);
  for (let k = 0; k < n; k++) {
    const x = numbers[k]!;
    pairs[2 * k] = x;
    pairs[2 * k + 1] = x < 0 ? 0xffffffff : 0;
  }
}

function saturateInt64(scratch: Scratch, target: TypedArray, t: number, n: number): void {
  const { numbers } = scratch;
  const pairs = wordsAt(target, 8, t, 2 * n);
  for (let k = 0; k < n; k++) {
    const x = numbers[k]!;
    if (x >= TWO_63) {
      pairs[2 * k] = 0xffffffff;
      pairs[2 * k + 1] = 0x7fffffff;
    } else {
      writeWords(pairs, k, x > -TWO_63 ? Math.trunc(x) : Number.isNaN(x) ? 0 : -TWO_63);
    }
  }
}

function saturateUint64(scratch: Scratch, target: TypedArray, t: number, n: number): void {
  const { numbers } = scratch;
  const pairs = wordsAt(target, 8, t, 2 * n);
  for (let k = 0; k < n; k++) {
    const x = numbers[k]!;
    if (x >= 2 * TWO_63) {
      pairs[2 * k] = 0xffffffff;
      pairs[2 * k + 1] = 0xffffffff;
    } else {
      writeWords(pairs, k, x > 0 ? Math.trunc(x) : 0);
    }
  }
}

/** Writes an integer below 2⁶⁴ in size as two words, in two's complement; every step of it is exact. */
function writeWords(pairs: Uint32Array, k: number, x: number): void {
  const high = Math.floor(x / 4294967296);
  pairs[2 * k] = x - high * 4294967296;
  pairs[2 * k + 1] = high;
}
