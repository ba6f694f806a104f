import { bfloat16ToFloat32Bits, float32BitsToBfloat16 } from "./bfloat16.js";
import { float32BitsToHalf, halfToFloat32Bits } from "./half.js";
import { CHUNK, type Loops, type Stations } from "./stations.js";

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

  // What each loop does to element k. Sums are made 32-bit integers again: the engine else computes them as float64.

  // The sum carries into the top bit of each byte unless its other bits are 0, and no further.
  const fourNonzero = (k: number): void => {
    const four = fourBytes[k]!;
    fourBytes[k] = ((((four & 0x7f7f7f7f) + 0x7f7f7f7f) | four) >>> 7) & 0x01010101;
  };
  const twoNonzero = (k: number, keep: number): void => {
    const two = twoHalves[k]!;
    twoHalves[k] = ((((two & 0x7fff7fff) + 0x7fff7fff) | (two & keep)) >>> 15) & 0x00010001;
  };
  // Of x and −x one at least has the top bit, unless x is 0.
  const intNonzero = (k: number, mask: number): void => {
    const x = ints[k]! & mask;
    bytes[k] = (x | -x) >>> 31;
  };
  const pairNonzero = (k: number, mask: number): void => {
    const x = words[2 * k]! | (words[2 * k + 1]! & mask);
    bytes[k] = (x | -x) >>> 31;
  };

  const halfDecoded = (k: number): void => {
    ints[k] = halfToFloat32Bits(halves[k]!);
  };
  const bfloat16Decoded = (k: number): void => {
    ints[k] = bfloat16ToFloat32Bits(halves[k]!);
  };
  const halfEncoded = (k: number): void => {
    halves[k] = float32BitsToHalf(ints[k]!);
  };
  const bfloat16Encoded = (k: number): void => {
    halves[k] = float32BitsToBfloat16(ints[k]!);
  };

  // Clamped without branches: data on both sides of a limit would have them guessed wrong. NaN becomes 0 (D11).
  const clamped = (k: number, low: number, high: number): void => {
    const x = numbers[k]!;
    if (x > -1073741824 && x < 1073741824) {
      const over = ((x | 0) - high) | 0;
      const under = (high + (over & (over >> 31)) - low) | 0;
      ints[k] = (low + (under & ~(under >> 31))) | 0;
    } else {
      ints[k] = x > 0 ? high : x < 0 ? low : 0;
    }
  };
  const int32Saturated = (k: number): void => {
    const x = numbers[k]!;
    if (x > -2147483648 && x < 2147483648) ints[k] = x | 0;
    else ints[k] = x > 0 ? 2147483647 : x < 0 ? -2147483648 : 0;
  };
  const uint32Saturated = (k: number): void => {
    const x = numbers[k]!;
    if (x > -2147483648 && x < 2147483648) ints[k] = (x | 0) & ~((x | 0) >> 31);
    else ints[k] = x > 0 ? (x < 4294967296 ? x >>> 0 : -1) : 0;
  };
  const int64Saturated = (k: number): void => {
    const x = numbers[k]!;
    if (x > -2147483648 && x < 2147483648) writePair(k, x | 0, (x | 0) >> 31);
    else if (x >= TWO_63) writePair(k, -1, 0x7fffffff);
    else writeInteger(k, x > -TWO_63 ? Math.trunc(x) : Number.isNaN(x) ? 0 : -TWO_63);
  };
  const uint64Saturated = (k: number): void => {
    const x = numbers[k]!;
    if (x > -2147483648 && x < 2147483648) writePair(k, (x | 0) & ~((x | 0) >> 31), 0);
    else if (x >= 2 * TWO_63) writePair(k, -1, -1);
    else writeInteger(k, x > 0 ? Math.trunc(x) : 0);
  };
  const writePair = (k: number, low: number, high: number): void => {
    words[2 * k] = low;
    words[2 * k + 1] = high;
  };
  /** Writes an integer below 2⁶⁴ in size, in two's complement; every step of it is exact. */
  const writeInteger = (k: number, x: number): void => {
    const high = Math.floor(x / 4294967296);
    writePair(k, x - high * 4294967296, high);
  };

  const widened = (k: number, signs: number): void => {
    const x = ints[k]!;
    words[2 * k] = x;
    words[2 * k + 1] = (x >> 31) & signs;
  };
  const lowWord = (k: number): void => {
    ints[k] = words[2 * k]!;
  };

  // The high word times 2³² is exact and so is the low word: their sum is the one rounding.
  const int64Number = (k: number): void => {
    numbers[k] = words[2 * k + 1]! * 4294967296 + (words[2 * k]! >>> 0);
  };
  const uint64Number = (k: number): void => {
    numbers[k] = (words[2 * k + 1]! >>> 0) * 4294967296 + (words[2 * k]! >>> 0);
  };
  const int64Odd = (k: number): void => {
    numbers[k] = oddSum(words[2 * k + 1]! * 4294967296, words[2 * k]! >>> 0);
  };
  const uint64Odd = (k: number): void => {
    numbers[k] = oddSum((words[2 * k + 1]! >>> 0) * 4294967296, words[2 * k]! >>> 0);
  };
  const oddNumber = (k: number): void => {
    const low = words[2 * k]!;
    words[2 * k] = (low & ~0x1fffffff) | ((((low & 0x1fffffff) + 0x1fffffff) | low) & 0x20000000);
  };

  const lookedUp8 = (k: number, table: Uint8Array): void => {
    bytes[k] = table[halves[k]!]!;
  };
  const lookedUp16 = (k: number, table: Uint16Array): void => {
    halves[k] = table[halves[k]!]!;
  };
  const lookedUp32 = (k: number, table: Int32Array): void => {
    ints[k] = table[halves[k]!]!;
  };

  // Four elements a turn halve its cost. Up to three beyond n are stale: they are written over, and do no harm. Masks
  // and limits are made 32-bit integers before the loop.
  const loops: Loops = {
    nonzeroBytes(n) {
      let k = 0;
      // What is 0 or 1 already, as bytes of bool are, is read only.
      while (k < n / 4) {
        const any = fourBytes[k]! | fourBytes[k + 1]! | fourBytes[k + 2]! | fourBytes[k + 3]!;
        if ((any & 0xfefefefe) !== 0) break;
        k += 4;
      }
      for (; k < n / 4; k += 4) {
        fourNonzero(k);
        fourNonzero(k + 1);
        fourNonzero(k + 2);
        fourNonzero(k + 3);
      }
    },
    nonzeroHalves(n, keep) {
      const kept = keep | 0;
      for (let k = 0; k < n / 2; k += 4) {
        twoNonzero(k, kept);
        twoNonzero(k + 1, kept);
        twoNonzero(k + 2, kept);
        twoNonzero(k + 3, kept);
      }
    },
    nonzeroInts(n, mask) {
      const kept = mask | 0;
      for (let k = 0; k < n; k += 4) {
        intNonzero(k, kept);
        intNonzero(k + 1, kept);
        intNonzero(k + 2, kept);
        intNonzero(k + 3, kept);
      }
    },
    nonzeroPairs(n, mask) {
      const kept = mask | 0;
      for (let k = 0; k < n; k += 4) {
        pairNonzero(k, kept);
        pairNonzero(k + 1, kept);
        pairNonzero(k + 2, kept);
        pairNonzero(k + 3, kept);
      }
    },
    decodeHalf(n) {
      for (let k = 0; k < n; k += 4) {
        halfDecoded(k);
        halfDecoded(k + 1);
        halfDecoded(k + 2);
        halfDecoded(k + 3);
      }
    },
    decodeBfloat16(n) {
      for (let k = 0; k < n; k += 4) {
        bfloat16Decoded(k);
        bfloat16Decoded(k + 1);
        bfloat16Decoded(k + 2);
        bfloat16Decoded(k + 3);
      }
    },
    encodeHalf(n) {
      for (let k = 0; k < n; k += 4) {
        halfEncoded(k);
        halfEncoded(k + 1);
        halfEncoded(k + 2);
        halfEncoded(k + 3);
      }
    },
    encodeBfloat16(n) {
      for (let k = 0; k < n; k += 4) {
        bfloat16Encoded(k);
        bfloat16Encoded(k + 1);
        bfloat16Encoded(k + 2);
        bfloat16Encoded(k + 3);
      }
    },
    saturate(n, low, high) {
      const least = low | 0;
      const most = high | 0;
      for (let k = 0; k < n; k += 4) {
        clamped(k, least, most);
        clamped(k + 1, least, most);
        clamped(k + 2, least, most);
        clamped(k + 3, least, most);
      }
    },
    saturateInt32(n) {
      for (let k = 0; k < n; k += 4) {
        int32Saturated(k);
        int32Saturated(k + 1);
        int32Saturated(k + 2);
        int32Saturated(k + 3);
      }
    },
    saturateUint32(n) {
      for (let k = 0; k < n; k += 4) {
        uint32Saturated(k);
        uint32Saturated(k + 1);
        uint32Saturated(k + 2);
        uint32Saturated(k + 3);
      }
    },
    saturateInt64(n) {
      for (let k = 0; k < n; k += 4) {
        int64Saturated(k);
        int64Saturated(k + 1);
        int64Saturated(k + 2);
        int64Saturated(k + 3);
      }
    },
    saturateUint64(n) {
      for (let k = 0; k < n; k += 4) {
        uint64Saturated(k);
        uint64Saturated(k + 1);
        uint64Saturated(k + 2);
        uint64Saturated(k + 3);
      }
    },
    widen(n, signs) {
      const kept = signs | 0;
      for (let k = 0; k < n; k += 4) {
        widened(k, kept);
        widened(k + 1, kept);
        widened(k + 2, kept);
        widened(k + 3, kept);
      }
    },
    lowWords(n) {
      for (let k = 0; k < n; k += 4) {
        lowWord(k);
        lowWord(k + 1);
        lowWord(k + 2);
        lowWord(k + 3);
      }
    },
    int64Numbers(n) {
      for (let k = 0; k < n; k += 4) {
        int64Number(k);
        int64Number(k + 1);
        int64Number(k + 2);
        int64Number(k + 3);
      }
    },
    uint64Numbers(n) {
      for (let k = 0; k < n; k += 4) {
        uint64Number(k);
        uint64Number(k + 1);
        uint64Number(k + 2);
        uint64Number(k + 3);
      }
    },
    int64Odd(n) {
      for (let k = 0; k < n; k += 4) {
        int64Odd(k);
        int64Odd(k + 1);
        int64Odd(k + 2);
        int64Odd(k + 3);
      }
    },
    uint64Odd(n) {
      for (let k = 0; k < n; k += 4) {
        uint64Odd(k);
        uint64Odd(k + 1);
        uint64Odd(k + 2);
        uint64Odd(k + 3);
      }
    },
    oddNumbers(n) {
      for (let k = 0; k < n; k += 4) {
        oddNumber(k);
        oddNumber(k + 1);
        oddNumber(k + 2);
        oddNumber(k + 3);
      }
    },
    lookup8(n, table) {
      for (let k = 0; k < n; k += 4) {
        lookedUp8(k, table);
        lookedUp8(k + 1, table);
        lookedUp8(k + 2, table);
        lookedUp8(k + 3, table);
      }
    },
    lookup16(n, table) {
      for (let k = 0; k < n; k += 4) {
        lookedUp16(k, table);
        lookedUp16(k + 1, table);
        lookedUp16(k + 2, table);
        lookedUp16(k + 3, table);
      }
    },
    lookup32(n, table) {
      for (let k = 0; k < n; k += 4) {
        lookedUp32(k, table);
        lookedUp32(k + 1, table);
        lookedUp32(k + 2, table);
        lookedUp32(k + 3, table);
      }
    },
  };
  return { bytes, halves, floats, ints, numbers, bigints: new BigInt64Array(numbers.buffer), loops };
}

/** Adds a low word to a multiple of 2³², rounding to odd where 53 bits have no room for its last eleven. */
function oddSum(high: number, low: number): number {
  const sum = high + low;
  if (Math.abs(sum) < 9007199254740992) return sum;
  return high + (((low & ~0x7ff) | ((low & 0x7ff) === 0 ? 0 : 0x800)) >>> 0);
}
