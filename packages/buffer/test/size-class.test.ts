import { describe, expect, test } from "vitest";
import { BufferSizeError, sizeClassIndex, sizeClassOf } from "../src/index.js";
import { SIZE_CLASSES } from "../src/size-class.js";
import { thrown } from "./thrown.js";

const LIMIT = 2 ** 31 - 1;

/** The rule of OneModel section 6 as it is written, with no bit operation. */
function written(n: number): number {
  if (n <= 256) return Math.max(64, Math.ceil(n / 64) * 64);
  let b = 256;
  while (b * 2 < n) b *= 2;
  const step = b / 4;
  return Math.min(b + Math.ceil((n - b) / step) * step, LIMIT);
}

/** Every n up to 10⁵, then everything near the edges of the classes above. */
function* interesting(): Iterable<number> {
  for (let n = 0; n <= 100_000; n += 1) yield n;
  for (let power = 2 ** 16; power <= 2 ** 31; power *= 2) {
    for (const part of [1, 1.25, 1.5, 1.75]) {
      for (let d = -9; d <= 9; d += 1) {
        const n = power * part + d;
        if (n <= LIMIT) yield n;
      }
    }
  }
}

describe("size classes", () => {
  test("OneModel 6: a class is what the written rule says, for every n to 10^5 and around every class above", () => {
    for (const n of interesting()) {
      if (sizeClassOf(n) !== written(n)) expect(`${n}: ${sizeClassOf(n)}`).toBe(`${n}: ${written(n)}`);
    }
  });

  test("OneModel 6: classes are multiples of 64 and waste less than a quarter above 256 bytes", () => {
    for (const n of interesting()) {
      const bytes = sizeClassOf(n);
      if (bytes !== LIMIT && bytes % 64 !== 0) expect(`${n}: ${bytes}`).toBe("a multiple of 64");
      if (n > 256 && (bytes < n || bytes - n >= bytes / 4)) expect(`${n}: ${bytes}`).toBe("waste below 25 %");
    }
  });

  test("numbers of classes are consecutive, start at 0 and agree with the sizes", () => {
    const sizes = new Map<number, number>();
    for (const n of interesting()) {
      const index = sizeClassIndex(n);
      const known = sizes.get(index);
      if (known !== undefined && known !== sizeClassOf(n)) expect(`${n}: ${sizeClassOf(n)}`).toBe(`${n}: ${known}`);
      sizes.set(index, sizeClassOf(n));
    }
    expect(sizes.size).toBe(SIZE_CLASSES);
    expect(Math.max(...sizes.keys())).toBe(SIZE_CLASSES - 1);
    const ordered = [...sizes].sort((a, b) => a[0] - b[0]).map(([, bytes]) => bytes);
    expect(ordered).toEqual([...ordered].sort((a, b) => a - b));
    expect(ordered.slice(0, 9)).toEqual([64, 128, 192, 256, 320, 384, 448, 512, 640]);
  });

  test("the class of more than 1.75 * 2^30 bytes is capped at the limit of a buffer", () => {
    expect(sizeClassOf(1.75 * 2 ** 30)).toBe(1.75 * 2 ** 30);
    expect(sizeClassOf(1.75 * 2 ** 30 + 1)).toBe(LIMIT);
    expect(sizeClassOf(LIMIT)).toBe(LIMIT);
  });

  test("sizes outside 0 to 2^31-1 are refused with the limits, what is no integer as a type", () => {
    for (const n of [-1, 2 ** 31, 2 ** 32 + 64, 40_000_000_000]) {
      for (const ask of [sizeClassOf, sizeClassIndex]) {
        const error = thrown(() => ask(n));
        expect(error).toBeInstanceOf(BufferSizeError);
        expect(error).toMatchObject({ code: "SW_BUFFER_SIZE", requested: n, minimum: 0, maximum: LIMIT });
      }
    }
    expect(() => sizeClassOf(1.5)).toThrow(TypeError);
    expect(() => sizeClassOf(Number.NaN)).toThrow(TypeError);
    expect(() => sizeClassOf("64" as unknown as number)).toThrow(
      "sizeClassOf: byteLength is not an integer: got string, expected an integer of 0 to 2147483647.",
    );
  });
});
