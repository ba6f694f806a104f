import { bfloat16ToFloat32Bits, float32BitsToBfloat16 } from "./bfloat16.js";
import { float32BitsToHalf, halfToFloat32Bits } from "./half.js";

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

// Rounded to odd, a number that is between two of a format becomes the one of them whose last bit is 1: that bit
// stands for everything below it, so that a second rounding, to a narrower format, is the only one that shows (D10).

/** One more than the largest int64. */
const TWO_63 = 2 ** 63;

let made: Stations | undefined;

/** Returns the stations that every cast goes through: no cast runs inside another, so one set is enough. */
export function stations(): Stations {
  made ??= createStations();
  return made;
}

/**
 * Makes the stations. It must run once a process: an engine that knows a loop's only closure takes the arrays in it as
 * constants, and then checks neither class nor length for each element, which is three times faster. Nor does a loop
 * meet any array but these, and arrays of several classes would slow it down for good.
 */
function createStations(): Stations {
  const bytes = new Uint8Array(CHUNK);
  const halves = new Uint16Array(CHUNK);
  const floats = new Float32Array(CHUNK);
  const numbers = new Float64Array(CHUNK);
  const fourBytes = new Int32Array(bytes.buffer);
  const twoHalves = new Int32Array(halves.buffer);
  const ints = new Int32Array(floats.buffer);
  /** Low word, high word, low word … */
  const words = new Int32Array(numbers.buffer);

  const writeWords = (k: number, x: number): void => {
    // An integer below 2⁶⁴ in size, in two's complement; every step of it is exact.
    const high = Math.floor(x / 4294967296);
    words[2 * k] = x - high * 4294967296;
    words[2 * k + 1] = high;
  };

  // Parameters are made 32-bit integers before a loop, and sums inside: the engine else computes them as float64.
  const loops: Loops = {
    // The sum carries into the top bit of each byte unless its other bits are 0, and no further.
    nonzeroBytes(n) {
      const end = (n + 3) >> 2;
      let k = 0;
      // What is 0 or 1 already, as bytes of bool are, is read only.
      while (k < end && (fourBytes[k]! & 0xfefefefe) === 0) k++;
      for (; k < end; k++) {
        const four = fourBytes[k]!;
        fourBytes[k] = ((((four & 0x7f7f7f7f) + 0x7f7f7f7f) | four) >>> 7) & 0x01010101;
      }
    },
    nonzeroHalves(n, keep) {
      const end = (n + 1) >> 1;
      const kept = keep | 0;
      for (let k = 0; k < end; k++) {
        const two = twoHalves[k]!;
        twoHalves[k] = ((((two & 0x7fff7fff) + 0x7fff7fff) | (two & kept)) >>> 15) & 0x00010001;
      }
    },
    // Of x and −x one at least has the top bit, unless x is 0.
    nonzeroInts(n, mask) {
      const kept = mask | 0;
      for (let k = 0; k < n; k++) {
        const x = ints[k]! & kept;
        bytes[k] = (x | -x) >>> 31;
      }
    },
    nonzeroPairs(n, mask) {
      const kept = mask | 0;
      for (let k = 0; k < n; k++) {
        const x = words[2 * k]! | (words[2 * k + 1]! & kept);
        bytes[k] = (x | -x) >>> 31;
      }
    },

    decodeHalf(n) {
      for (let k = 0; k < n; k++) ints[k] = halfToFloat32Bits(halves[k]!);
    },
    decodeBfloat16(n) {
      for (let k = 0; k < n; k++) ints[k] = bfloat16ToFloat32Bits(halves[k]!);
    },
    encodeHalf(n) {
      for (let k = 0; k < n; k++) halves[k] = float32BitsToHalf(ints[k]!);
    },
    encodeBfloat16(n) {
      for (let k = 0; k < n; k++) halves[k] = float32BitsToBfloat16(ints[k]!);
    },

    // Clamped without branches: data on both sides of a limit would have them guessed wrong. NaN becomes 0 (D11).
    saturate(n, low, high) {
      const least = low | 0;
      const most = high | 0;
      for (let k = 0; k < n; k++) {
        const x = numbers[k]!;
        if (x > -1073741824 && x < 1073741824) {
          const over = ((x | 0) - most) | 0;
          const under = (most + (over & (over >> 31)) - least) | 0;
          ints[k] = (least + (under & ~(under >> 31))) | 0;
        } else {
          ints[k] = x > 0 ? most : x < 0 ? least : 0;
        }
      }
    },
    saturateInt32(n) {
      for (let k = 0; k < n; k++) {
        const x = numbers[k]!;
        if (x > -2147483648 && x < 2147483648) ints[k] = x | 0;
        else ints[k] = x > 0 ? 2147483647 : x < 0 ? -2147483648 : 0;
      }
    },
    saturateUint32(n) {
      for (let k = 0; k < n; k++) {
        const x = numbers[k]!;
        if (x > -2147483648 && x < 2147483648) {
          const whole = x | 0;
          ints[k] = whole & ~(whole >> 31);
        } else {
          ints[k] = x > 0 ? (x < 4294967296 ? x >>> 0 : -1) : 0;
        }
      }
    },
    saturateInt64(n) {
      for (let k = 0; k < n; k++) {
        const x = numbers[k]!;
        if (x > -2147483648 && x < 2147483648) {
          const whole = x | 0;
          words[2 * k] = whole;
          words[2 * k + 1] = whole >> 31;
        } else if (x >= TWO_63) {
          words[2 * k] = -1;
          words[2 * k + 1] = 0x7fffffff;
        } else {
          writeWords(k, x > -TWO_63 ? Math.trunc(x) : Number.isNaN(x) ? 0 : -TWO_63);
        }
      }
    },
    saturateUint64(n) {
      for (let k = 0; k < n; k++) {
        const x = numbers[k]!;
        if (x > -2147483648 && x < 2147483648) {
          const whole = x | 0;
          words[2 * k] = whole & ~(whole >> 31);
          words[2 * k + 1] = 0;
        } else if (x >= 2 * TWO_63) {
          words[2 * k] = -1;
          words[2 * k + 1] = -1;
        } else {
          writeWords(k, x > 0 ? Math.trunc(x) : 0);
        }
      }
    },

    widen(n, signs) {
      const kept = signs | 0;
      for (let k = 0; k < n; k++) {
        const x = ints[k]!;
        words[2 * k] = x;
        words[2 * k + 1] = (x >> 31) & kept;
      }
    },
    lowWords(n) {
      for (let k = 0; k < n; k++) ints[k] = words[2 * k]!;
    },

    // The high word times 2³² is exact and so is the low word: their sum is the one rounding.
    int64Numbers(n) {
      for (let k = 0; k < n; k++) numbers[k] = words[2 * k + 1]! * 4294967296 + (words[2 * k]! >>> 0);
    },
    uint64Numbers(n) {
      for (let k = 0; k < n; k++) numbers[k] = (words[2 * k + 1]! >>> 0) * 4294967296 + (words[2 * k]! >>> 0);
    },
    int64Odd(n) {
      for (let k = 0; k < n; k++) {
        const high = words[2 * k + 1]! * 4294967296;
        const low = words[2 * k]! >>> 0;
        const sum = high + low;
        numbers[k] = Math.abs(sum) < 9007199254740992 ? sum : high + oddWord(low);
      }
    },
    uint64Odd(n) {
      for (let k = 0; k < n; k++) {
        const high = (words[2 * k + 1]! >>> 0) * 4294967296;
        const low = words[2 * k]! >>> 0;
        const sum = high + low;
        numbers[k] = sum < 9007199254740992 ? sum : high + oddWord(low);
      }
    },
    oddNumbers(n) {
      for (let k = 0; k < n; k++) {
        const low = words[2 * k]!;
        words[2 * k] = (low & ~0x1fffffff) | ((((low & 0x1fffffff) + 0x1fffffff) | low) & 0x20000000);
      }
    },

    lookup8(n, table) {
      for (let k = 0; k < n; k++) bytes[k] = table[halves[k]!]!;
    },
    lookup16(n, table) {
      for (let k = 0; k < n; k++) halves[k] = table[halves[k]!]!;
    },
    lookup32(n, table) {
      for (let k = 0; k < n; k++) ints[k] = table[halves[k]!]!;
    },
  };
  return { bytes, halves, floats, ints, numbers, bigints: new BigInt64Array(numbers.buffer), loops };
}

/** Drops the eleven bits that 53 of 64 have no room for, and sets the last one kept if any of them was set. */
function oddWord(low: number): number {
  return ((low & ~0x7ff) | ((low & 0x7ff) === 0 ? 0 : 0x800)) >>> 0;
}
