import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layout, maxIndex, minIndex, sliceAxis } from "../src/index.js";
import { asMap } from "../src/maps.js";
import { table } from "./map-support.js";
import { enumerate, layouts, refusal } from "./support.js";

describe("asMap", () => {
  test("LA-110 law: a layout from a start on, or refused for its sign", () => {
    fc.assert(
      fc.property(layouts({ maxSize: 200 }), fc.integer({ min: 0, max: 60 }), (l, start) => {
        if (start + minIndex(l) < 0) {
          refusal("SW_LAYOUT_SIGN", () => asMap(l, { start }));
          return;
        }
        const map = asMap(l, { start });
        expect(table(map)).toEqual(enumerate(l).map((index) => start + index));
        expect(map.codomainSize).toBe(l.size === 0 ? 0 : start + maxIndex(l) + 1);
        expect(map).toMatchObject({ kind: "layout", layout: l, shape: l.shape, size: l.size, start });
      }),
      { numRuns: 400 },
    );
  });

  test("D3 a reversed view is a map from its start on", () => {
    const { layout: l, start } = sliceAxis(layout([8]), 0, 2, 8, 2);
    expect(table(asMap(l, { start }))).toEqual([2, 4, 6]);
    expect(table(asMap(layout([2, 2], [-2, -1]), { start: 3 }))).toEqual([3, 1, 2, 0]);
  });

  test("LA-110 the bound stays as declared", () => {
    const map = asMap(layout([4]), { codomainSize: 100 });
    expect(map).toMatchObject({ codomainSize: 100, isIdentity: false });
    expect(asMap(layout([4])).isIdentity).toBe(true);
    expect(asMap(layout([2, 2], [2, 1])).isIdentity).toBe(false);
    expect(asMap(layout([1, 1], [7, 9])).isIdentity).toBe(true);
    expect(asMap(layout([4]), { start: 1 }).isIdentity).toBe(false);
  });

  test("LA-33 injectivity is exact, but for what a long search would tell", () => {
    expect(asMap(layout([3, 4], [0, 1])).isInjective).toBe(false);
    expect(asMap(layout([3, 5, 7], [35, 21, 15])).isInjective).toBe(true);
    // Conway and Guy: all sums of a subset are distinct, though no weight exceeds the sum of the smaller ones.
    const u = [0, 1];
    for (let n = 1; n < 24; n++) u.push(2 * u[n]! - u[n - Math.round(Math.sqrt(2 * n))]!);
    const weights = u.slice(0, -1).map((x) => u[24]! - x);
    const all = asMap(layout(Array<number>(24).fill(2), weights));
    expect(all.isInjective).toBe(undefined);
    expect(asMap(layout(Array<number>(8).fill(2), weights.slice(-8))).isInjective).toBe(true);
  });

  test("large indices are exact", () => {
    const map = asMap(layout([2 ** 26, 2 ** 26], [2 ** 26, 1]));
    expect(map.index(2 ** 52 - 2)).toBe(2 ** 52 - 1 - 2 ** 26);
    expect(map.codomainSize).toBe(2 ** 52);
  });

  test("wrong input", () => {
    const l = layout([4], [2]);
    for (const wrong of [null, undefined, 4, [4], {}, "4:2"]) expect(() => asMap(wrong as never)).toThrow(TypeError);
    for (const wrong of [null, 4, "4"])
      expect(() => asMap(l, wrong as never)).toThrow("asMap: options are not an object");
    for (const wrong of [0.5, Number.NaN, "1", null, true, 1n]) {
      expect(() => asMap(l, { start: wrong as never })).toThrow(TypeError);
      expect(() => asMap(l, { codomainSize: wrong as never })).toThrow(TypeError);
    }
    expect(refusal("SW_LAYOUT_CODOMAIN", () => asMap(l, { codomainSize: 6 }))).toMatchObject({ value: 6, layout: l });
    expect(refusal("SW_LAYOUT_CODOMAIN", () => asMap(layout([0]), { codomainSize: 0 })).value).toBe(0);
    expect(refusal("SW_LAYOUT_CODOMAIN", () => asMap(l, { start: 4, codomainSize: 10 })).message).toBe(
      "asMap: an index leaves the codomain: got 10 from (4):(2) at start 4, expected below 10.",
    );
    expect(refusal("SW_LAYOUT_SIGN", () => asMap(l, { start: -1 }))).toMatchObject({ value: -1, layout: l });
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => asMap(l, { start: 2 ** 53 - 4 }));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => asMap(l, { start: 2 ** 60 }));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => asMap(l, { codomainSize: 2 ** 60 }));
  });
});
