import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compose, type LayoutError, layout, parseLayout } from "../src/index.js";
import { asMap, composeMap, cuteSwizzle, type IndexMap, permutation, productMap, swizzle } from "../src/maps.js";
import { fromText, type MapResult, type MapText, maps, stagesOf, table } from "./map-support.js";
import { cases, refusal } from "./support.js";

interface ComposeCase {
  readonly op: "build" | "compose";
  readonly outer: MapText;
  readonly inner: MapText;
  readonly sw: (MapResult & { readonly kind: string }) | { readonly err: string };
}

/** Whether a description is one of a map, and not one with stages that do not fit. */
function isMap(text: MapText): boolean {
  try {
    fromText(text);
    return true;
  } catch (error) {
    expect((error as LayoutError).code).toBe("SW_LAYOUT_SWIZZLE");
    return false;
  }
}

/** The outer map, or one that the inner one fits into. */
function fitted(outer: IndexMap, inner: IndexMap): IndexMap {
  return inner.codomainSize <= outer.size ? outer : asMap(layout([inner.codomainSize], [2]), { start: 1 });
}

const distinct = (max: number) => fc.uniqueArray(fc.integer({ min: 0, max }), { minLength: 1, maxLength: max + 1 });
/** Maps of which the inner one fits into the outer one; those that a closure joins come up more often than by chance. */
const fitting: fc.Arbitrary<readonly [IndexMap, IndexMap]> = fc.oneof(
  fc.tuple(maps, maps).filter(([outer, inner]) => inner.codomainSize <= outer.size),
  distinct(7).chain((outer) =>
    distinct(outer.length - 1).map((inner) => [permutation(outer, 9), permutation(inner, outer.length)] as const),
  ),
  fc.integer({ min: 0, max: 5 }).chain((width) => {
    const ofWidth = stagesOf(width).map((stages) => swizzle([2 ** width], ...stages));
    return fc.tuple(ofWidth, ofWidth);
  }),
);
const pairs = fc.oneof(
  { weight: 3, arbitrary: fitting },
  // Products, whose radices match where each pair matches.
  fc
    .tuple(fitting, fitting)
    .map(([[a, b], [c, d]]) => [productMap(a, c), productMap(b, d)] as const)
    .filter(([outer, inner]) => inner.codomainSize <= outer.size),
);

describe("composeMap", () => {
  test("LA-66 LA-117: every composition of the shared vectors, accepted and refused alike", async () => {
    const all = (await cases<ComposeCase>("layout/index_maps")).filter((c) => c.op === "compose");
    expect(all.length).toBe(248);
    const kinds = { Permutation: "permutation", Swizzle: "swizzle", Layout: "layout" } as Record<string, string>;
    for (const { outer, inner, sw } of all) {
      if ("err" in sw && !(isMap(outer) && isMap(inner))) continue; // refused before there is anything to compose
      const [a, b] = [fromText(outer), fromText(inner)];
      const name = `${a} o ${b}`;
      if ("err" in sw) {
        const error = refusal("SW_LAYOUT_CODOMAIN", () => composeMap(a, b));
        expect(error).toMatchObject({ operation: "composeMap", value: b.codomainSize });
        continue;
      }
      const map = composeMap(a, b);
      if (kinds[sw.kind]) expect(map.kind, name).toBe(kinds[sw.kind]);
      expect(map.shape, name).toEqual(sw.shape);
      expect(map.codomainSize, name).toBe(sw.codomain);
      if (sw.injective !== null) expect(map.isInjective, name).toBe(sw.injective);
      if (sw.values) expect(table(map), name).toEqual(sw.values);
      if (map.kind === "swizzle")
        expect(
          map.stages.map((s) => [s.bits, s.base, s.shift]),
          name,
        ).toEqual(sw.stages);
    }
  });

  test("LA-117 law: it is outer(inner(c)), of the shape of inner, below the bound of outer", () => {
    const kinds = new Set<string>();
    fc.assert(
      fc.property(pairs, ([a, b]) => {
        const map = composeMap(a, b);
        kinds.add(map.kind);
        expect(table(map), `${a} o ${b}`).toEqual(table(b).map((i) => a.index(i)));
        expect(map.shape).toEqual(b.shape);
        expect(map.codomainSize).toBeLessThanOrEqual(a.codomainSize);
        expect(map.codomainSize).toBeGreaterThanOrEqual(0);
        expect(table(map).every((index) => index < map.codomainSize)).toBe(true);
        const isInjective = new Set(table(map)).size === map.size;
        if (map.isInjective !== undefined) expect(map.isInjective, String(map)).toBe(isInjective);
        if (map.isIdentity) expect(table(map)).toEqual(table(map).map((_, i) => i));
      }),
      { numRuns: 400 },
    );
    expect([...kinds].sort()).toEqual(["chain", "layout", "permutation", "product", "swizzle"]);
  });

  test("LA-117 law: how a chain was put together does not matter, and no step of it is a chain", () => {
    fc.assert(
      fc.property(maps, maps, maps, (outer, middle, c) => {
        const b = fitted(middle, c);
        const a = fitted(outer, b);
        const left = composeMap(composeMap(a, b), c);
        const right = composeMap(a, composeMap(b, c));
        expect(table(left)).toEqual(table(right));
        for (const map of [left, right]) {
          if (map.kind !== "chain") continue;
          expect(map.steps.length).toBeGreaterThan(1);
          expect(map.steps.some((step) => step.kind === "chain")).toBe(false);
        }
      }),
      { numRuns: 300 },
    );
  });

  test("LA-117 permutations are looked up", () => {
    const map = composeMap(permutation([6, 1, 5, 4, 0, 3], 7), permutation([3, 0], 6));
    expect(map).toMatchObject({ kind: "permutation", values: [4, 6], codomainSize: 7, shape: [2] });
  });

  test("LA-117 equal neighbours among the stages of swizzles cancel, until none is left", () => {
    const one = { bits: 1, base: 0, shift: 1 };
    const two = { bits: 1, base: 1, shift: -1 };
    const left = composeMap(swizzle([8], two, one, two), swizzle([2, 4], one, two));
    expect(left).toMatchObject({ kind: "swizzle", shape: [2, 4], stages: [two] });
    expect(composeMap(swizzle([8], two, one), swizzle([2, 4], one, two)).isIdentity).toBe(true);
    expect(composeMap(swizzle([16], one), swizzle([8], one)).kind).toBe("chain");
  });

  test("LA-117 a swizzle that cancels inside a chain lets its neighbours meet", () => {
    const s = cuteSwizzle(1, 0, 1);
    const chain = composeMap(permutation([3, 2, 1, 0]), s);
    const inner = composeMap(s, permutation([1, 0, 3, 2]));
    expect(chain.kind).toBe("chain");
    expect(composeMap(chain, inner)).toMatchObject({ kind: "permutation", values: [2, 3, 0, 1] });
  });

  test("LA-117 products are composed factor by factor when every radix matches, and only then", () => {
    const p = permutation([1, 2, 0]);
    const s = swizzle([4], { bits: 1, base: 0, shift: 1 });
    const map = composeMap(productMap(p, s), productMap(p, s));
    expect(map).toMatchObject({
      kind: "product",
      factors: [{ values: [2, 0, 1] }, { stages: [] }],
      targetShape: [3, 4],
    });
    expect(composeMap(productMap(p, s), productMap(permutation([1, 0]), s)).kind).toBe("chain");
    expect(composeMap(productMap(p, s), productMap(p, permutation([1, 0]), layout([2]))).kind).toBe("chain");
  });

  test("LA-116 LA-117 law: the factors of a composed product keep the radices of the outer ones, however they were joined", () => {
    const small = fc.integer({ min: 1, max: 6 });
    const factors = fc.tuple(small, small, small, small).map(([m, n, step, start]) => {
      // The last two steps join to an identity, whose bound would follow that of the first.
      const transpose = layout([m, n], [n, 1]);
      const back = asMap(layout([n, m], [m, 1]), { codomainSize: m * n + start });
      const count = Math.floor((m * n - 1) / step) + 1;
      return [back, composeMap(transpose, layout([count], [step]))] as const;
    });
    fc.assert(
      fc.property(factors, factors, maps, ([a, b], [c, d], e) => {
        const identity = asMap(layout([e.codomainSize || 1]));
        const outer = productMap(a, productMap(identity, c), identity);
        const inner = productMap(b, productMap(e, d), e);
        const map = composeMap(outer, inner);
        expect(map.codomainSize).toBe(outer.codomainSize);
        const stride = Math.ceil((inner.size + 1) / 200);
        for (let i = 0; i < inner.size; i += stride) expect(map.index(i)).toBe(outer.index(inner.index(i)));
      }),
      { numRuns: 300 },
    );
  });

  test("LA-116 LA-117 a factor that joins to a tighter layout is still weighed by the bound of the outer factor", () => {
    const chain = composeMap(parseLayout("(4,6):(6,1)"), parseLayout("7:3"));
    expect(chain).toMatchObject({ kind: "chain", codomainSize: 24 });
    const swap = permutation([1, 0]);
    const map = composeMap(productMap(parseLayout("(6,4):(4,1)"), swap), productMap(chain, swap));
    expect(map).toMatchObject({ kind: "product", targetShape: [24, 2], codomainSize: 48 });
    expect(table(map)).toEqual([0, 3, 6, 9, 12, 15, 18, 24, 27, 30, 33, 36, 39, 42]);
  });

  test("LA-65 LA-117 layouts give a layout where one of that shape exists, and a chain where a leaf would split", () => {
    const a = parseLayout("(4,3):(3,1)");
    const whole = composeMap(a, parseLayout("(2,2):(1,2)"));
    expect(whole).toMatchObject({ kind: "layout", codomainSize: 12 });
    expect(String(whole)).toBe("(2,2):(3,6)");
    expect(String(compose(a, parseLayout("6:2")))).toBe("((2,3)):((6,1))");
    const split = composeMap(a, parseLayout("6:2"));
    expect(split).toMatchObject({ kind: "chain", shape: [6], isInjective: true });
    expect(table(split)).toEqual([0, 6, 1, 7, 2, 8]);
    expect(composeMap(parseLayout("(5,4):(1,6)"), parseLayout("4:3")).kind).toBe("chain");
  });

  test("LA-117 an affine outer layout scales and moves what comes before, and its bound", () => {
    const outer = asMap(layout([12], [5]), { start: 100, codomainSize: 200 });
    const map = composeMap(outer, asMap(layout([2, 3], [-1, 2]), { start: 1 }));
    expect(map).toMatchObject({ kind: "layout", start: 105, codomainSize: 170 });
    expect(table(map)).toEqual([105, 100, 115, 110, 125, 120]);
    const down = composeMap(asMap(layout([6], [-2]), { start: 10 }), layout([3]));
    expect(down).toMatchObject({ kind: "layout", start: 10, codomainSize: 11 });
    expect(table(down)).toEqual([10, 8, 6]);
  });

  test("LA-66 identities disappear, but not one that gives another shape or another bound", () => {
    const p = permutation([1, 3, 2, 0]);
    const s = swizzle([2, 2], { bits: 1, base: 0, shift: 1 });
    expect(composeMap(p, layout([4]))).toBe(p);
    expect(composeMap(layout([2, 2]), p)).toBe(p);
    expect(composeMap(swizzle([4]), p)).toBe(p);
    expect(composeMap(s, layout([2, 2]))).toBe(s);
    expect(composeMap(p, layout([2, 2]))).toMatchObject({ kind: "chain", shape: [2, 2] });
    expect(composeMap(layout([5]), p)).toMatchObject({ kind: "chain", codomainSize: 5 });
  });

  test("LA-115 an offset between a swizzle and a layout is a start", () => {
    const s = cuteSwizzle(2, 0, 3, [64]);
    const l = layout([4, 4], [1, 8]);
    const map = composeMap(s, asMap(l, { start: 16 }));
    expect([map.size, map.codomainSize]).toEqual([16, 64]);
    for (let j = 0; j < 4; j++) {
      for (let i = 0; i < 4; i++) expect(map.index([i, j])).toBe(s.index(16 + i + 8 * j));
    }
    expect(String(map)).toBe("swizzle<2,0,3> of (64) o 16 + (4,4):(1,8)");
  });

  test("LA-117 an empty map fits into any, an empty one included", () => {
    const empty = layout([3, 0]);
    expect(composeMap(permutation([1, 0]), empty)).toMatchObject({ size: 0, codomainSize: 2, isInjective: true });
    const far = asMap(layout([0, 3], [1, 2 ** 53 - 1]), { start: 2 ** 53 - 1 });
    expect(composeMap(layout([4], [2]), far)).toMatchObject({ size: 0, codomainSize: 7, shape: [0, 3] });
    expect(composeMap(layout([0]), empty)).toMatchObject({ size: 0, codomainSize: 0, shape: [3, 0] });
    expect(composeMap(productMap(layout([0]), layout([2])), empty).size).toBe(0);
    refusal("SW_LAYOUT_CODOMAIN", () => composeMap(empty, layout([1])));
  });

  test("nothing is enumerated: domains of 2^50", () => {
    const s = swizzle([2 ** 50], { bits: 20, base: 5, shift: 25 });
    const map = composeMap(productMap(layout([2 ** 25, 2 ** 24], [2 ** 24, 1]), layout([2])), s);
    expect(map).toMatchObject({ kind: "chain", size: 2 ** 50, isInjective: true });
    // Bit 49 brings bit 24 with it; 2^49 + 2^24 is coordinate (2^24, 0) of the layout, and 1 of the second factor.
    expect(s.index(2 ** 49)).toBe(2 ** 49 + 2 ** 24);
    expect(map.index(2 ** 49)).toBe(2 ** 48 + 2 ** 49);
  });

  test("LA-117 wrong input", () => {
    const p = permutation([1, 0]);
    for (const wrong of [null, undefined, 2, "(2):(1)", {}, [2]]) {
      expect(() => composeMap(wrong as never, p)).toThrow(TypeError);
      expect(() => composeMap(p, wrong as never)).toThrow(TypeError);
    }
    const error = refusal("SW_LAYOUT_CODOMAIN", () => composeMap(p, permutation([0], 3)));
    expect(error).toMatchObject({ value: 3, shape: [2], otherShape: [1] });
    expect(error.message).toBe(
      "composeMap: the inner map leaves the domain of the outer one: got a codomain of 3 (permutation [0] in 3), expected at most 2 (permutation [1,0] in 2).",
    );
    const negative = refusal("SW_LAYOUT_SIGN", () => composeMap(p, layout([2], [-1])));
    expect(negative).toMatchObject({ operation: "composeMap", value: -1 });
  });
});
