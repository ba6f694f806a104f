import type { DType, TypedArray } from "../dtype.js";
import { bfloat16ToFloat32Bits } from "./bfloat16.js";
import { halfToFloat32Bits } from "./half.js";
import { type Scratch, wordsAt } from "./scratch.js";

/** Reads `n` neighbouring elements, from element `s` on, into the scratch. */
export type Load = (scratch: Scratch, source: TypedArray, s: number, n: number) => void;

/** Picks how elements become float64 numbers on their way to `to`, none of them rounded before its time. */
export function loadNumbers(from: DType, to: DType, toFloat: boolean): Load {
  switch (from) {
    case "bool":
      return loadBool;
    case "float16":
      return loadHalf;
    case "bfloat16":
      return loadBfloat16;
    case "int64":
    case "uint64":
      if (to === "bool") return loadAnyBit;
      if (!toFloat) return loadLowWord;
      if (to === "float64") return from === "int64" ? loadInt64 : loadUint64;
      return from === "int64" ? loadInt64Odd : loadUint64Odd;
    default:
      return loadPlain;
  }
}

/** Picks how a floating element becomes float32 bits, payload of NaNs included. */
export function loadFloat32Bits(from: DType): Load {
  return from === "float16" ? loadHalfBits : from === "bfloat16" ? loadBfloat16Bits : loadBits;
}

function loadPlain(scratch: Scratch, source: TypedArray, s: number, n: number): void {
  scratch.numbers.set((source as Float64Array).subarray(s, s + n));
}

/** Any byte but 0 is true, also one that another program wrote. */
function loadBool(scratch: Scratch, source: TypedArray, s: number, n: number): void {
  const { numbers } = scratch;
  const bytes = source as Uint8Array;
  for (let k = 0; k < n; k++) numbers[k] = bytes[s + k] === 0 ? 0 : 1;
}

function loadHalf(scratch: Scratch, source: TypedArray, s: number, n: number): void {
  loadHalfBits(scratch, source, s, n);
  scratch.numbers.set(scratch.floats.subarray(0, n));
}

function loadBfloat16(scratch: Scratch, source: TypedArray, s: number, n: number): void {
  loadBfloat16Bits(scratch, source, s, n);
  scratch.numbers.set(scratch.floats.subarray(0, n));
}

function loadHalfBits(scratch: Scratch, source: TypedArray, s: number, n: number): void {
  const { bits } = scratch;
  const halves = source as Uint16Array;
  for (let k = 0; k < n; k++) bits[k] = halfToFloat32Bits(halves[s + k]!);
}

function loadBfloat16Bits(scratch: Scratch, source: TypedArray, s: number, n: number): void {
  const { bits } = scratch;
  const halves = source as Uint16Array;
  for (let k = 0; k < n; k++) bits[k] = bfloat16ToFloat32Bits(halves[s + k]!);
}

function loadBits(scratch: Scratch, source: TypedArray, s: number, n: number): void {
  scratch.bits.set(wordsAt(source, 4, s, n));
}

/** The low word is all that a narrower integer keeps: it wraps. */
function loadLowWord(scratch: Scratch, source: TypedArray, s: number, n: number): void {
  const { numbers } = scratch;
  const pairs = wordsAt(source, 8, s, 2 * n);
  for (let k = 0; k < n; k++) numbers[k] = pairs[2 * k]!;
}

function loadAnyBit(scratch: Scratch, source: TypedArray, s: number, n: number): void {
  const { numbers } = scratch;
  const pairs = wordsAt(source, 8, s, 2 * n);
  for (let k = 0; k < n; k++) numbers[k] = (pairs[2 * k]! | pairs[2 * k + 1]!) === 0 ? 0 : 1;
}

// The high word times 2³² is exact and so is the low word: their sum is the one rounding.

function loadInt64(scratch: Scratch, source: TypedArray, s: number, n: number): void {
  const { numbers } = scratch;
  const pairs = wordsAt(source, 8, s, 2 * n);
  for (let k = 0; k < n; k++) numbers[k] = (pairs[2 * k + 1]! | 0) * 4294967296 + pairs[2 * k]!;
}

function loadUint64(scratch: Scratch, source: TypedArray, s: number, n: number): void {
  const { numbers } = scratch;
  const pairs = wordsAt(source, 8, s, 2 * n);
  for (let k = 0; k < n; k++) numbers[k] = pairs[2 * k + 1]! * 4294967296 + pairs[2 * k]!;
}

// On the way to a format narrower than float64, what float64 cannot hold is rounded to odd: the last
// bit kept stands for everything below it, so that the next rounding is the only one that shows (D10).

function loadInt64Odd(scratch: Scratch, source: TypedArray, s: number, n: number): void {
  const { numbers } = scratch;
  const pairs = wordsAt(source, 8, s, 2 * n);
  for (let k = 0; k < n; k++) {
    const high = (pairs[2 * k + 1]! | 0) * 4294967296;
    const low = pairs[2 * k]!;
    const sum = high + low;
    numbers[k] = Math.abs(sum) < 9007199254740992 ? sum : high + oddWord(low);
  }
}

function loadUint64Odd(scratch: Scratch, source: TypedArray, s: number, n: number): void {
  const { numbers } = scratch;
  const pairs = wordsAt(source, 8, s, 2 * n);
  for (let k = 0; k < n; k++) {
    const high = pairs[2 * k + 1]! * 4294967296;
    const low = pairs[2 * k]!;
    const sum = high + low;
    numbers[k] = sum < 9007199254740992 ? sum : high + oddWord(low);
  }
}

/** Drops the eleven bits that 53 of 64 have no room for, and sets the last one kept if any of them was set. */
function oddWord(low: number): number {
  return ((low & ~0x7ff) | ((low & 0x7ff) === 0 ? 0 : 0x800)) >>> 0;
}
