/** Elements converted at a time: the stations of a cast stay in the first cache. */
export const CHUNK: number = 2048;

/** One loop of a cast over the first `n` elements: from a station to another, or in place. */
export type Loop = (n: number) => void;

/**
 * Where a chunk of elements stops between its source and its target: a place for each width, seen as what may stand
 * there. The host's `set` brings elements there, away, and from one to another; what it cannot do is a loop.
 */
export interface Stations {
  readonly bytes: Uint8Array;
  readonly halves: Uint16Array;
  readonly floats: Float32Array;
  /** Integers of 32 bits, signed or not, and the bits of `floats`. */
  readonly ints: Int32Array;
  readonly numbers: Float64Array;
  /** Integers of 64 bits, signed or not. */
  readonly bigints: BigInt64Array;
  readonly loops: Loops;
}

/** The loops between the stations. */
export interface Loops {
  /** `bytes`: 1 for any byte but 0. */
  nonzeroBytes(n: number): void;
  /** `halves`: 1 for any but 0. Of floats the sign does not count: `keep` is 0, of integers −1. */
  nonzeroHalves(n: number, keep: number): void;
  /** `ints` to `bytes`: 1 where a bit of the mask is set. */
  nonzeroInts(n: number, mask: number): void;
  /** `bigints` or `numbers` to `bytes`: 1 where a low bit, or a high bit of the mask, is set. */
  nonzeroPairs(n: number, mask: number): void;
  /** `halves` to `floats`. */
  decodeHalf(n: number): void;
  decodeBfloat16(n: number): void;
  /** `floats` to `halves`. */
  encodeHalf(n: number): void;
  encodeBfloat16(n: number): void;
  /** `numbers` to `ints`, clamped to integers of at most 16 bits. */
  saturate(n: number, low: number, high: number): void;
  /** `numbers` to `ints`, signed and unsigned. */
  saturateInt32(n: number): void;
  saturateUint32(n: number): void;
  /** `numbers` to `bigints`, in place. */
  saturateInt64(n: number): void;
  saturateUint64(n: number): void;
  /** `ints` to `bigints`; `signs` is −1 for signed elements, 0 for others. */
  widen(n: number, signs: number): void;
  /** `bigints` to `ints`: the low word is all that a narrower integer keeps, since it wraps. */
  lowWords(n: number): void;
  /** `bigints` to `numbers`, in place, rounded once. */
  int64Numbers(n: number): void;
  uint64Numbers(n: number): void;
  /** The same, rounded to odd. */
  int64Odd(n: number): void;
  uint64Odd(n: number): void;
  /** `numbers` that are integers, in place, rounded to odd at the last bit of a float32. */
  oddNumbers(n: number): void;
  /** `halves` to `bytes`, `halves` or `ints`, by a table of all patterns. */
  lookup8(n: number, table: Uint8Array): void;
  lookup16(n: number, table: Uint16Array): void;
  lookup32(n: number, table: Int32Array): void;
}
