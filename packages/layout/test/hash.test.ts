import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashLayout, layout, layoutEquals, rowMajor } from "../src/index.js";
import { layouts } from "./support.js";

describe("hashLayout", () => {
  test("law: equal layouts have equal hashes, which are unsigned 32-bit integers", () => {
    fc.assert(
      fc.property(layouts(), layouts(), (a, b) => {
        const again = layout(a.shape, a.stride);
        expect(hashLayout(again)).toBe(hashLayout(a));
        expect(hashLayout(a)).toBe(hashLayout(a) >>> 0);
        if (layoutEquals(a, b)) expect(hashLayout(a)).toBe(hashLayout(b));
      }),
      { numRuns: 300 },
    );
  });

  test("signs, both halves of a number, and the form count", () => {
    const family = [
      layout([2], [1]),
      layout([2], [-1]),
      layout([2], [2 ** 32 + 1]),
      layout([2], [-(2 ** 32) - 1]),
      layout([[2]], [[1]]),
      layout([2, 3], [1, 2]),
      layout([[2, 3]], [[1, 2]]),
      layout([3, 2], [1, 2]),
      layout([], []),
    ];
    expect(new Set(family.map(hashLayout)).size).toBe(family.length);
  });

  test("ten thousand matrices share few hashes", () => {
    const hashes = new Set<number>();
    for (let m = 1; m <= 100; m++) for (let n = 1; n <= 100; n++) hashes.add(hashLayout(rowMajor([m, n])));
    expect(hashes.size).toBeGreaterThan(9990);
  });

  test("signed strides spread over the upper and the lower bits alike", () => {
    const hashes: number[] = [];
    for (let a = 0; a < 20; a++) {
      for (let b = 0; b < 20; b++) {
        for (let c = -6; c < 6; c++) for (let d = -6; d < 6; d++) hashes.push(hashLayout(layout([a, b], [c, d])));
      }
    }
    // 57,600 hashes: by chance 0.4 pairs meet, and 0.58 of 65,536 buckets are used.
    expect(hashes.length - new Set(hashes).size).toBeLessThan(20);
    expect(new Set(hashes.map((hash) => hash % 65536)).size).toBeGreaterThan(0.55 * 65536);
    expect(new Set(hashes.map((hash) => Math.floor(hash / 65536))).size).toBeGreaterThan(0.55 * 65536);
  });

  test("what is no layout is a TypeError", () => {
    expect(() => hashLayout([2] as never)).toThrow(TypeError);
  });
});
