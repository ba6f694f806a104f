import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeRowMajor, encodeRowMajor } from "../src/algebra.js";
import { indexOf, rowMajor } from "../src/index.js";
import { layouts, refusal } from "./support.js";

describe("row-major ordinals", () => {
  test("D1 the last axis is the fastest, in a nested axis the first leaf", () => {
    expect(encodeRowMajor([3, 4], [1, 2])).toBe(6);
    expect(decodeRowMajor([3, 4], 6)).toEqual([1, 2]);
    expect(encodeRowMajor([3, [2, 2]], [1, [1, 0]])).toBe(5);
    expect(encodeRowMajor([3, [2, 2]], [1, 1])).toBe(5);
    expect(encodeRowMajor([3, [2, 2]], 5)).toBe(5);
    expect(decodeRowMajor([3, [2, 2]], 5)).toEqual([1, [1, 0]]);
    expect([encodeRowMajor([], []), encodeRowMajor([], 0), decodeRowMajor([], 0)]).toEqual([0, 0, []]);
  });

  test("D1 law: they are the indices of the row-major layout, and inverse to each other", () => {
    fc.assert(
      fc.property(layouts({ minExtent: 1 }), fc.nat(), (l, n) => {
        const ordinal = n % l.size;
        const coordinate = decodeRowMajor(l.shape, ordinal);
        expect(indexOf(rowMajor(l.shape), coordinate)).toBe(ordinal);
        expect(encodeRowMajor(l.shape, coordinate)).toBe(ordinal);
      }),
      { numRuns: 300 },
    );
  });

  test("field case 3: exact beyond 32 bits", () => {
    const shape = [2 ** 29 + 1, 4, 2 ** 20];
    const ordinal = 2 ** 29 * 2 ** 22 + 3 * 2 ** 20 + 5;
    expect(encodeRowMajor(shape, [2 ** 29, 3, 5])).toBe(ordinal);
    expect(decodeRowMajor(shape, ordinal)).toEqual([2 ** 29, 3, 5]);
  });

  test("LA-24 wrong input is refused in its name", () => {
    const error = refusal("SW_LAYOUT_COORDINATE", () => encodeRowMajor([3, 4], [1, 4]));
    expect(error).toMatchObject({ operation: "encodeRowMajor", value: 4 });
    refusal("SW_LAYOUT_COORDINATE", () => encodeRowMajor([3, 4], [1]));
    refusal("SW_LAYOUT_COORDINATE", () => encodeRowMajor([3, 4], [1, [2]]));
    refusal("SW_LAYOUT_COORDINATE", () => encodeRowMajor([3, 0], [1, 0]));
    refusal("SW_LAYOUT_COORDINATE", () => encodeRowMajor([3, 4], 12));
    expect(refusal("SW_LAYOUT_COORDINATE", () => decodeRowMajor([3, 4], 12)).operation).toBe("decodeRowMajor");
    refusal("SW_LAYOUT_COORDINATE", () => decodeRowMajor([3, 4], -1));
    refusal("SW_LAYOUT_EXTENT", () => decodeRowMajor([3, -4], 0));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => encodeRowMajor([2 ** 30, 2 ** 30], [0, 0]));
    for (const key of [null, "1", [1, 0.5], [1, null], [1, undefined]]) {
      expect(() => encodeRowMajor([3, 4], key as never)).toThrow(TypeError);
      expect(() => decodeRowMajor([3, 4], key as never)).toThrow(TypeError);
    }
    expect(() => encodeRowMajor(3 as never, [1])).toThrow(TypeError);
  });
});
