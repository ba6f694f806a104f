import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  columnMajor,
  cosize,
  isBroadcast,
  isContiguous,
  isDense,
  isInjective,
  layout,
  maxIndex,
  minIndex,
  parseLayout,
  permuteAxes,
  rowMajor,
} from "../src/index.js";
import { cases, enumerate, enumerateRowMajor, flat, fromVector, layouts, refusal, type Tree } from "./support.js";

interface BasicCase {
  readonly l: readonly [Tree, Tree];
  readonly size: number;
  readonly cosize: number;
  readonly sw_rank: number;
  readonly sw_depth: number;
  readonly injective: boolean;
}

describe("bounds", () => {
  test("LA-30 LA-31 LA-33: the shared basic vectors", async () => {
    for (const c of await cases<BasicCase>("layout/basic")) {
      const l = fromVector(c.l);
      expect([l.size, cosize(l), l.rank, l.depth, isInjective(l)], String(l)).toEqual([
        c.size,
        c.cosize,
        c.sw_rank,
        c.sw_depth,
        c.injective,
      ]);
    }
  });

  test("D3 law: minIndex and maxIndex are the extremes of the indices", () => {
    fc.assert(
      fc.property(layouts(), (l) => {
        const all = enumerate(l);
        const low = all.reduce((a, b) => Math.min(a, b), all[0] ?? 0);
        const high = all.reduce((a, b) => Math.max(a, b), all[0] ?? -1);
        expect([minIndex(l), maxIndex(l)]).toEqual([low, high]);
        expect(cosize(l)).toBe(all.length === 0 ? 0 : high - low + 1);
      }),
      { numRuns: 500 },
    );
  });

  test("D3 an empty layout reaches nothing", () => {
    const l = layout([0, 3], [1000, -5]);
    expect([minIndex(l), maxIndex(l), cosize(l)]).toEqual([0, -1, 0]);
  });

  test("field case 4: the reached interval of signed strides", () => {
    expect([minIndex(layout([3], [-2])), maxIndex(layout([3], [-2]))]).toEqual([-4, 0]);
    expect(maxIndex(layout([64, 64], [64, 1]))).toBe(4095);
    expect([minIndex(layout([4], [0])), maxIndex(layout([4], [0]))]).toEqual([0, 0]);
    expect([minIndex(layout([])), maxIndex(layout([])), cosize(layout([]))]).toEqual([0, 0, 1]);
  });
});

describe("flags", () => {
  test("OneModel section 3 law: contiguous means a row-major walk counts 0, 1, 2, …", () => {
    const likely = fc.oneof(
      layouts(),
      layouts({ maxStride: 3, minStride: 0, maxExtent: 3 }),
      layouts().map((l) => rowMajor(l.shape)),
    );
    fc.assert(
      fc.property(likely, (l) => {
        expect(isContiguous(l)).toBe(enumerateRowMajor(l).every((index, i) => index === i));
      }),
      { numRuns: 500 },
    );
  });

  test("strides of extent-1 axes do not count, and empty layouts are contiguous", () => {
    expect(isContiguous(layout([2, 1, 3], [3, -77, 1]))).toBe(true);
    expect(isContiguous(layout([2, 0], [-5, 9]))).toBe(true);
    expect(isContiguous(layout([]))).toBe(true);
    expect(isContiguous(layout([2, 3]))).toBe(false);
  });

  test("a contiguous [2,3,4] permuted by (0,2,1) is dense, not contiguous (Candela says contiguous)", () => {
    const l = permuteAxes(rowMajor([2, 3, 4]), [0, 2, 1]).layout;
    expect([isContiguous(l), isDense(l)]).toEqual([false, true]);
  });

  test("law: dense means every index of a gapless range, once", () => {
    const likely = fc.oneof(
      layouts({ maxStride: 6, minStride: -6, maxExtent: 4 }),
      layouts().map((l) => columnMajor(l.shape)),
    );
    fc.assert(
      fc.property(likely, (l) => {
        const all = new Set(enumerate(l));
        expect(isDense(l)).toBe(all.size === l.size && cosize(l) === l.size);
      }),
      { numRuns: 500 },
    );
  });

  test("a reversed layout is dense; one with a gap or a repeat is not", () => {
    expect(isDense(layout([2, 3], [-3, -1]))).toBe(true);
    expect(isDense(layout([2, 3], [4, 1]))).toBe(false);
    expect(isDense(layout([2, 3], [0, 1]))).toBe(false);
    // As many indices as elements are wide, yet one is met twice: (2,2,2):(1,1,5) spans 8 and repeats 1.
    expect(isDense(layout([2, 2, 2], [1, 1, 5]))).toBe(false);
  });

  test("broadcast means a leaf of extent above 1 with stride 0", () => {
    expect(isBroadcast(layout([4, 3], [0, 1]))).toBe(true);
    expect(isBroadcast(layout([4, [3, 2]], [6, [2, 0]]))).toBe(true);
    expect(isBroadcast(layout([1, 3], [0, 1]))).toBe(false);
    expect(isBroadcast(layout([]))).toBe(false);
  });

  test("D5 wrong input: what is not a layout", () => {
    for (const fn of [minIndex, maxIndex, cosize, isContiguous, isDense, isBroadcast]) {
      for (const wrong of [undefined, null, 3, [2], { shape: [2], stride: [1] }]) {
        expect(() => fn(wrong as never)).toThrow(`${fn.name}: argument is not a layout`);
      }
    }
  });
});

describe("isInjective", () => {
  test("LA-33 law: exact on random layouts", () => {
    fc.assert(
      fc.property(layouts({ maxExtent: 6 }), (l) => {
        expect(isInjective(l)).toBe(new Set(enumerate(l)).size === l.size);
      }),
      { numRuns: 1000 },
    );
  });

  test("LA-33 law: exact where strides interleave", () => {
    const sparse = layouts({ minExtent: 1, maxExtent: 5, minStride: 20, maxStride: 90, maxLeaves: 4 });
    fc.assert(
      fc.property(sparse, (l) => {
        expect(isInjective(l)).toBe(new Set(enumerate(l)).size === l.size);
      }),
      { numRuns: 1000 },
    );
  });

  test.each([
    ["(2,3):(3,2)", true],
    ["(3,3):(3,2)", true],
    ["(4,3):(2,3)", false],
    ["(2,2):(1,1)", false],
    ["(5):(0)", false],
    ["(1,1):(0,0)", true],
    ["(0,5):(0,0)", true],
    ["():()", true],
    ["(3,5):(5,-3)", true],
    ["(4,6):(5,-3)", false],
    ["(1000000,1000000):(1000003,1000002)", true],
    ["(3000000,3000000):(1000003,1000002)", false],
  ])("LA-33 %s: %s", (text, injective) => {
    expect(isInjective(parseLayout(text))).toBe(injective);
  });

  test("past the limit of steps it throws rather than guess", () => {
    const l = layout([30, 30, 30, 30, 30], [10007, 10009, 10037, 10039, 100000007]);
    const error = refusal("SW_LAYOUT_SEARCH_LIMIT", () => isInjective(l, 1));
    expect(error).toMatchObject({ value: 1, layout: l });
    expect(error.message).toBe(
      "isInjective: the search is too long for (30,30,30,30,30):(10007,10009,10037,10039,100000007): got no answer in 1 steps, expected one. Pass a larger limit.",
    );
    expect(() => isInjective({} as never)).toThrow(TypeError);
  });

  test("the sign of strides does not matter", () => {
    const l = layout([3, 4, 2], [7, -3, 5]);
    const up = layout(flat(l.shape), flat(l.stride).map(Math.abs));
    expect(isInjective(l)).toBe(isInjective(up));
  });

  test("D5 wrong input: a limit that is no number would never be reached", () => {
    const l = layout([5, 5, 5], [6, 10, 15]);
    for (const wrong of [Number.NaN, "9", null, {}]) expect(() => isInjective(l, wrong as never)).toThrow(TypeError);
    expect(isInjective(l, Number.POSITIVE_INFINITY)).toBe(isInjective(l));
  });
});
