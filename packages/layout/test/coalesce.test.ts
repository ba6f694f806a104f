import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { coalesce, layout, layoutEquals, parseLayout } from "../src/index.js";
import { cases, enumerate, flat, fromVector, layouts, normalForm, type Tree } from "./support.js";

interface CoalesceCase {
  readonly l: readonly [Tree, Tree];
  readonly coalesce: { readonly want: [Tree, Tree] };
}

describe("coalesce", () => {
  test("LA-50 LA-51: the shared vectors", () => {
    for (const c of cases<CoalesceCase>("layout/coalesce_filter")) {
      const result = coalesce(fromVector(c.l));
      expect(normalForm(result.shape, result.stride)).toEqual(normalForm(...c.coalesce.want));
    }
  });

  test("LA-50 law: the same index at every ordinal, flat, and nothing left to merge", () => {
    fc.assert(
      fc.property(layouts({ minStride: -4, maxStride: 12 }), (l) => {
        const result = coalesce(l);
        expect(enumerate(result)).toEqual(enumerate(l));
        const e = flat(result.shape);
        const d = flat(result.stride);
        expect(result.depth).toBe(1);
        for (let i = 1; i < e.length; i++) expect(d[i]).not.toBe(e[i - 1]! * d[i - 1]!);
        expect(layoutEquals(coalesce(result), result)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["(2,(1,6)):(1,(6,2))", "(12):(1)"],
    ["(4,3):(-1,-4)", "(12):(-1)"],
    ["(4,3):(0,0)", "(12):(0)"],
    ["(1,(1,1)):(7,(8,9))", "(1):(0)"],
    ["():()", "(1):(0)"],
    ["((5)):((3))", "(5):(3)"],
    ["(3,0,2):(1,5,9)", "(0):(0)"],
    ["(3,4):(4,1)", "(3,4):(4,1)"],
  ])("LA-50 LA-51 D3 %s becomes %s", (from, to) => {
    expect(String(coalesce(parseLayout(from)))).toBe(to);
  });

  test("a stride near the limit is not merged by a rounded product", () => {
    expect(String(coalesce(layout([2, 2], [2 ** 51, 2 ** 52])))).toBe(`(4):(${2 ** 51})`);
    expect(String(coalesce(layout([3, 2], [2 ** 51, 1])))).toBe(`(3,2):(${2 ** 51},1)`);
  });
});
