import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { filter, filterByMode, filterZeros, modeOf } from "../src/algebra.js";
import { isInjective, type Layout, layout, parseLayout } from "../src/index.js";
import { cases, enumerate, flat, fromVector, layouts, normalForm, refusal, type Tree } from "./support.js";

interface FilterCase {
  readonly l: readonly [Tree, Tree];
  readonly filter: { readonly want: [Tree, Tree] };
  readonly by_mode?: { readonly profile: readonly number[]; readonly filter: [Tree, Tree] };
  readonly n1?: boolean;
}

const nested = layouts({ maxDepth: 3, maxExtent: 6, minStride: -4, maxStride: 12 });

describe("filter", () => {
  test("LA-53: the shared vectors, whole and by mode", async () => {
    for (const c of await cases<FilterCase>("layout/coalesce_filter")) {
      const l = fromVector(c.l);
      const collapse = c.n1 === true;
      const whole = filter(l);
      expect(normalForm(whole.shape, whole.stride), String(l)).toEqual(normalForm(...c.filter.want));
      if (c.by_mode === undefined) continue;
      const parts = filterByMode(l, c.by_mode.profile);
      expect(normalForm(parts.shape, parts.stride, collapse), String(l)).toEqual(
        normalForm(...c.by_mode.filter, collapse),
      );
    }
  });

  test("LA-53 law: the same indices in the same order, without the repeats of stride 0", () => {
    fc.assert(
      fc.property(nested, (l) => {
        const result = filter(l);
        const strides = flat(l.stride);
        const kept = layout(
          flat(l.shape).map((extent, i) => (strides[i] === 0 && extent > 1 ? 1 : extent)),
          strides,
        );
        expect(enumerate(result)).toEqual(enumerate(kept));
        expect(new Set(enumerate(result))).toEqual(new Set(enumerate(l)));
        expect(result.depth).toBe(1);
      }),
      { numRuns: 300 },
    );
  });

  test("LA-53 law: by mode, each mode is filtered by itself", () => {
    fc.assert(
      fc.property(nested, (l) => {
        const result = filterByMode(l);
        expect(result.rank).toBe(l.rank);
        for (let i = 0; i < l.rank; i++) expect(String(modeOf(result, i))).toBe(String(filter(modeOf(l, i))));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["(2,(4,1),6):(1,(0,9),2)", "(12):(1)"],
    ["(2,4,6):(0,0,0)", "(1):(0)"],
    ["():()", "(1):(0)"],
    ["(3,4):(-1,-3)", "(12):(-1)"],
    ["(3,0):(1,0)", "(0):(0)"],
  ])("LA-53 D3 %s becomes %s", (from, to) => {
    expect(String(filter(parseLayout(from)))).toBe(to);
  });

  test("wrong input: no layouts and no profiles are TypeErrors, a long profile is refused", () => {
    expect(() => filter([2] as never)).toThrow(TypeError);
    expect(() => filterByMode(2 as never)).toThrow(TypeError);
    expect(() => filterByMode(layout([2]), "1" as never)).toThrow(TypeError);
    expect(refusal("SW_LAYOUT_TILER", () => filterByMode(layout([2]), [1, 1])).operation).toBe("filterByMode");
  });
});

describe("filterZeros", () => {
  test("LA-53 law: the form and the strides stay, the indices reached too", () => {
    fc.assert(
      fc.property(nested, (l) => {
        const result = filterZeros(l);
        expect(result.stride).toEqual(l.stride);
        expect(new Set(enumerate(result))).toEqual(new Set(enumerate(l)));
        const strides = flat(l.stride);
        expect(flat(result.shape)).toEqual(flat(l.shape).map((e, i) => (strides[i] === 0 && e > 1 ? 1 : e)));
      }),
      { numRuns: 300 },
    );
  });

  test("LA-53 D3 leaves of stride 0 get extent 1, of extent 0 they stay", () => {
    expect(String(filterZeros(parseLayout("(2,(4,3)):(0,(1,0))")))).toBe("(1,(4,1)):(0,(1,0))");
    expect(String(filterZeros(parseLayout("(2,0):(0,0)")))).toBe("(1,0):(0,0)");
    expect(filterZeros(parseLayout("(2,(4,3)):(0,(1,0))")).size).toBe(4);
    expect(() => filterZeros([2] as never)).toThrow(TypeError);
  });

  test("LA-34 aliasing by broadcast alone: without its strides of 0 a layout is injective", () => {
    const onlyBroadcast = (l: Layout): boolean => !isInjective(l) && isInjective(filterZeros(l));
    expect(onlyBroadcast(parseLayout("(4,3):(0,1)"))).toBe(true);
    expect(onlyBroadcast(parseLayout("(4,(3,2)):(0,(1,2))"))).toBe(false);
    expect(onlyBroadcast(parseLayout("(4,3):(3,1)"))).toBe(false);
  });
});
