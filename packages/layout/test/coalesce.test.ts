import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { coalesceByMode, modeOf } from "../src/algebra.js";
import { coalesce, type IntTree, layout, layoutEquals, parseLayout } from "../src/index.js";
import { cases, enumerate, flat, fromVector, layouts, normalForm, refusal, type Tree } from "./support.js";

interface CoalesceCase {
  readonly l: readonly [Tree, Tree];
  readonly coalesce: { readonly want: [Tree, Tree] };
  readonly by_mode?: { readonly profile: readonly number[]; readonly coalesce: [Tree, Tree] };
  readonly n1?: boolean;
}

describe("coalesce", () => {
  test("LA-50 LA-51: the shared vectors", async () => {
    for (const c of await cases<CoalesceCase>("layout/coalesce_filter")) {
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

describe("coalesceByMode", () => {
  test("LA-52: the shared vectors", async () => {
    let tested = 0;
    for (const c of await cases<CoalesceCase>("layout/coalesce_filter")) {
      if (c.by_mode === undefined) continue;
      const l = fromVector(c.l);
      const collapse = c.n1 === true;
      const result = coalesceByMode(l, c.by_mode.profile);
      expect(normalForm(result.shape, result.stride, collapse), `${l} by ${c.by_mode.profile}`).toEqual(
        normalForm(...c.by_mode.coalesce, collapse),
      );
      if (c.by_mode.profile.length === l.rank) expect(layoutEquals(coalesceByMode(l), result)).toBe(true);
      tested++;
    }
    expect(tested).toBe(220);
  });

  test("LA-52 law: every mode is coalesced by itself and keeps its indices; modes beyond the profile stay", () => {
    fc.assert(
      fc.property(layouts({ maxDepth: 3, maxExtent: 6 }), fc.nat({ max: 6 }), (l, n) => {
        const named = Math.min(n, l.rank);
        const result = coalesceByMode(l, Array(named).fill(1));
        expect(result.rank).toBe(l.rank);
        expect(enumerate(result)).toEqual(enumerate(l));
        for (let i = 0; i < l.rank; i++) {
          const mode = i < named ? coalesce(modeOf(l, i)) : modeOf(l, i);
          expect(String(modeOf(result, i))).toBe(String(mode));
        }
      }),
      { numRuns: 300 },
    );
  });

  test.each<[string, Tree | undefined, string]>([
    ["((2,4),(3,5)):((1,2),(8,24))", undefined, "(8,15):(1,8)"],
    ["((2,4),(3,5)):((1,2),(8,24))", 1, "(120):(1)"],
    ["((2,4),(3,5)):((1,2),(8,24))", [1], "(8,(3,5)):(1,(8,24))"],
    ["((2,4),(3,5)):((1,2),(8,24))", [], "((2,4),(3,5)):((1,2),(8,24))"],
    ["((2,(4,1)),3):((1,(2,5)),9)", [[1, 1], 1], "((2,4),3):((1,2),9)"],
    ["(((2,4)),3):(((1,2)),9)", [[1]], "((8),3):((1),9)"],
    ["((2,0),(1,1)):((1,2),(8,24))", undefined, "(0,1):(0,0)"],
    ["():()", undefined, "():()"],
  ])("LA-52 %s by %j is %s", (from, profile, to) => {
    expect(String(coalesceByMode(parseLayout(from), profile))).toBe(to);
  });

  test("LA-52 a profile longer than its mode is refused", () => {
    const l = parseLayout("(2,(3,4)):(1,(2,6))");
    const error = refusal("SW_LAYOUT_TILER", () => coalesceByMode(l, [1, 1, 1]));
    expect(error).toMatchObject({ layout: l, value: 3, operation: "coalesceByMode" });
    expect(error.message).toBe(
      "coalesceByMode: the profile has too many entries: got [1,1,1], expected at most 2 entries (layout (2,(3,4)):(1,(2,6))).",
    );
    refusal("SW_LAYOUT_TILER", () => coalesceByMode(l, [1, [1, 1, 1]]));
    refusal("SW_LAYOUT_TILER", () => coalesceByMode(l, [[1]]));
  });

  test("D5 a profile that is too long and no profile at all is refused in the name of the function", () => {
    const l = parseLayout("(2,3):(1,2)");
    const holes = new Array<number>(3);
    expect(() => coalesceByMode(l, holes)).toThrow(/^coalesceByMode: .* got undefined/);
    let deep: IntTree = 1;
    for (let i = 0; i < 70; i++) deep = [deep];
    expect(refusal("SW_LAYOUT_DEPTH", () => coalesceByMode(l, [1, 1, deep])).operation).toBe("coalesceByMode");
  });

  test("wrong input: a profile of anything but integers is a TypeError", () => {
    const l = layout([2, 3]);
    for (const profile of ["1", null, {}, [1, "1"], [0.5], Number.NaN, [null]]) {
      expect(() => coalesceByMode(l, profile as never)).toThrow(TypeError);
    }
    expect(() => coalesceByMode([2] as never)).toThrow(TypeError);
    expect(() => coalesce([2] as never)).toThrow(TypeError);
  });
});
