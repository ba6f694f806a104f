import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { domainDistribute, maxCommonLayout, maxCommonVector, nullspace, rightInverse } from "../src/algebra.js";
import { compose, type Layout, layout, maxIndex, parseLayout } from "../src/index.js";
import { cases, enumerate, flat, fromVector, layouts, normalForm, refusal, type Tree } from "./support.js";

interface CommonCase {
  readonly a: readonly [Tree, Tree];
  readonly b: readonly [Tree, Tree];
  readonly cute: { readonly layout: [Tree, Tree]; readonly vector: number } | { readonly err: string };
  readonly n1?: boolean;
}

/** By counting: how long a start of the right inverse of b lies in the domain of a and counts 0, 1, 2, … there. */
function countedPrefix(a: Layout, b: Layout): number {
  const indices = enumerate(a);
  const inverse = enumerate(rightInverse(b));
  const end = inverse.findIndex((ordinal, i) => indices[ordinal] !== i);
  return end < 0 ? inverse.length : end;
}

/** The most elements, at most `limit`, that are whole modes of a layout and a part of the next. */
function largestPart(l: Layout, limit: number): number {
  let count = 1;
  for (const extent of flat(l.shape)) {
    const part = Math.min(extent, Math.floor(limit / count));
    count *= part;
    if (part < extent) break;
  }
  return count;
}

describe("maxCommonLayout and maxCommonVector", () => {
  test("LA-104: the shared vectors inside the domain, and the counted prefix in all of them", async () => {
    let inside = 0;
    for (const c of await cases<CommonCase>("layout/max_common")) {
      const a = fromVector(c.a);
      const b = fromVector(c.b);
      const common = maxCommonLayout(a, b);
      expect(common.size, `${a} and ${b}`).toBe(largestPart(rightInverse(b), countedPrefix(a, b)));
      expect(maxCommonVector(a, b)).toBe(common.size);
      if ("err" in c.cute) continue;
      if (maxIndex(fromVector(c.cute.layout)) >= Math.min(a.size, b.size)) continue; // decisions: beyond the domain
      inside++;
      expect(normalForm(common.shape, common.stride, c.n1), `${a} and ${b}`).toEqual(
        normalForm(...c.cute.layout, c.n1),
      );
      expect(maxCommonVector(a, b)).toBe(c.cute.vector);
    }
    expect(inside).toBe(163);
  });

  test("LA-104 law: both layouts count 0, 1, 2, … on it, and it is the largest such part of the right inverse", () => {
    let wide = 0;
    // Few strides above 1, so that many pairs have something in common.
    const source = layouts({ maxDepth: 3, maxLeaves: 4, maxExtent: 4, minStride: -1, maxStride: 4 });
    fc.assert(
      fc.property(source, source, fc.boolean(), (x, b, same) => {
        const a = same ? b : x;
        const common = maxCommonLayout(a, b);
        if (common.size > 1) wide++;
        const [left, right] = [enumerate(a), enumerate(b)];
        const ordinals = enumerate(common);
        expect(ordinals.map((ordinal) => left[ordinal])).toEqual(ordinals.map((_, i) => i));
        expect(ordinals.map((ordinal) => right[ordinal])).toEqual(ordinals.map((_, i) => i));
        const largest = a.size === 0 ? 0 : largestPart(rightInverse(b), countedPrefix(a, b));
        expect(common.size, `${a} and ${b}`).toBe(largest);
        expect(maxCommonVector(a, b)).toBe(common.size);
      }),
      { numRuns: 2000 },
    );
    expect(wide).toBeGreaterThan(50);
  });

  test("LA-104 law: of two compact layouts with a common start", () => {
    const extent = fc.integer({ min: 1, max: 5 });
    fc.assert(
      fc.property(fc.array(extent, { minLength: 1, maxLength: 4 }), extent, extent, (shape, x, y) => {
        const size = shape.reduce((p, e) => p * e, 1);
        const a = layout([...shape, x], [...flat(layout(shape).stride), size * 2]);
        const b = layout([...shape, y], [...flat(layout(shape).stride), size * 3]);
        expect(maxCommonVector(a, b)).toBe(size);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["(4,8):(1,4)", "(4,6):(1,8)", "(4):(1)"],
    ["(4,8):(8,1)", "(4,8):(8,1)", "(8,4):(4,1)"],
    ["(6):(1)", "(10):(1)", "(6):(1)"],
    ["(10):(1)", "(6):(1)", "(6):(1)"],
    ["(4,4):(1,8)", "(6):(1)", "(4):(1)"],
    ["(4):(4)", "(4):(1)", "(1):(0)"],
    ["(4):(-1)", "(4):(1)", "(1):(0)"],
    ["():()", "(4):(1)", "(1):(0)"],
    ["(0):(1)", "(4):(1)", "(0):(0)"],
    ["(4):(1)", "(0):(1)", "(0):(0)"],
  ])("LA-104 of %s and %s is %s", (a, b, r) => {
    expect(String(maxCommonLayout(parseLayout(a), parseLayout(b)))).toBe(r);
  });

  test("field case 3: nothing is enumerated and nothing is rounded", () => {
    const a = layout([2 ** 40, 2 ** 10], [1, 2 ** 40]);
    expect(maxCommonVector(a, layout([2 ** 45]))).toBe(2 ** 45);
    expect(maxCommonVector(layout([2 ** 45]), a)).toBe(2 ** 45);
  });

  test("wrong input: arguments that are no layouts are TypeErrors", () => {
    const l = layout([2]);
    expect(() => maxCommonLayout(l, 2 as never)).toThrow(TypeError);
    expect(() => maxCommonLayout(null as never, l)).toThrow(TypeError);
    expect(() => maxCommonVector(l, [2] as never)).toThrow(/^maxCommonVector:/);
    expect(() => maxCommonVector(undefined as never, l)).toThrow(TypeError);
  });
});

describe("nullspace", () => {
  test("LA-105 law: l maps all of it to 0, each ordinal once, and it is as large as the repetition", () => {
    fc.assert(
      fc.property(layouts({ maxDepth: 3, maxExtent: 6, minStride: -1, maxStride: 2 }), (l) => {
        const indices = enumerate(l);
        const kernel = enumerate(nullspace(l));
        expect(new Set(kernel).size).toBe(kernel.length);
        for (const ordinal of kernel) expect(indices[ordinal]).toBe(0);
        const repeats = flat(l.shape).reduce((p, e, i) => (flat(l.stride)[i] === 0 ? p * e : p), 1);
        expect(kernel.length).toBe(l.size === 0 ? 0 : repeats);
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    ["(2,3,4):(1,0,2)", "(3):(2)"],
    ["(2,(3,4),5):(0,(1,0),0)", "(2,4,5):(1,6,24)"],
    ["(2,3):(1,2)", "(1):(0)"],
    ["(1,3):(0,1)", "(1):(0)"],
    ["():()", "(1):(0)"],
    ["(3,0):(0,0)", "(0):(0)"],
  ])("LA-105 of %s is %s", (l, r) => {
    expect(String(nullspace(parseLayout(l)))).toBe(r);
  });

  test("wrong input: what is no layout is a TypeError", () => {
    expect(() => nullspace([2] as never)).toThrow(TypeError);
  });
});

describe("domainDistribute", () => {
  test("LA-106 law: ordered, distinct ordinals of the shape, whose number divides n and the size", () => {
    const shape = fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 4 });
    fc.assert(
      fc.property(shape, fc.integer({ min: 1, max: 60 }), (extents, n) => {
        const r = domainDistribute(extents, n);
        const size = extents.reduce((p, e) => p * e, 1);
        expect(n % r.size).toBe(0);
        expect(size % r.size).toBe(0);
        const ordinals = enumerate(r);
        ordinals.forEach((ordinal, i) => {
          expect(ordinal).toBeLessThan(size);
          if (i > 0) expect(ordinal).toBeGreaterThan(ordinals[i - 1]!);
        });
        compose(layout(extents), r); // is admissible
      }),
      { numRuns: 500 },
    );
  });

  test.each([
    [[15, 14], 6, "(3,2):(1,15)"],
    [[4, [2, 3]], 24, "(24):(1)"],
    [[5, 7], 6, "(1):(0)"],
    [[], 6, "(1):(0)"],
  ] as const)("LA-106 of %j and %i is %s", (shape, n, r) => {
    expect(String(domainDistribute(shape, n))).toBe(r);
  });

  test("wrong input: an empty shape, and counts that are no positive integers", () => {
    const error = refusal("SW_LAYOUT_EMPTY", () => domainDistribute([2, 0], 4));
    expect(error.shape).toEqual([2, 0]);
    expect(error.message).toBe(
      "domainDistribute: the shape has no elements to pick: got [2,0], expected extents of 1 or more.",
    );
    expect(refusal("SW_LAYOUT_COUNT", () => domainDistribute([4], 0)).value).toBe(0);
    expect(refusal("SW_LAYOUT_EXTENT", () => domainDistribute([-4], 2)).value).toBe(-4);
    expect(() => domainDistribute([4], 1.5)).toThrow(TypeError);
    expect(() => domainDistribute(4 as never, 2)).toThrow(TypeError);
  });
});
