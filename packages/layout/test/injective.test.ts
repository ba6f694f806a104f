import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isBroadcastOnlyAliased, uniformPreimageExtent } from "../src/algebra.js";
import { isInjective, type Layout, layout, parseLayout } from "../src/index.js";
import { cases, enumerate, flat, fromVector, layouts, refusal, type Tree } from "./support.js";

interface PreimageCase {
  readonly l: readonly [Tree, Tree];
  readonly target: Tree;
  readonly sw: number | null;
  readonly truth: number | null;
}

/** By counting: how many coordinates share each index of [0, size), when it is the same number for all. */
function counted(l: Layout, size: number): number | undefined {
  const counts = Array.from({ length: size }, () => 0);
  for (const index of enumerate(l)) {
    if (index < 0 || index >= size) return undefined;
    counts[index]!++;
  }
  return counts.every((count) => count === counts[0]) ? (counts[0] ?? 0) : undefined;
}

describe("uniformPreimageExtent", () => {
  test("LA-35: the shared vectors", async () => {
    for (const c of await cases<PreimageCase>("layout/uniform_preimage_extent")) {
      const target = typeof c.target === "number" ? [c.target] : c.target;
      expect(uniformPreimageExtent(fromVector(c.l), target) ?? null, `${fromVector(c.l)} on ${target}`).toBe(c.sw);
    }
  });

  test("LA-35 law: what is proven is what counting gives", () => {
    let proven = 0;
    const source = layouts({ maxDepth: 3, maxLeaves: 4, maxExtent: 4, minStride: -1, maxStride: 4 });
    fc.assert(
      fc.property(source, fc.integer({ min: 0, max: 8 }), (l, size) => {
        const extent = uniformPreimageExtent(l, [size]);
        if (extent === undefined) return;
        proven++;
        expect(extent).toBe(counted(l, size));
      }),
      { numRuns: 2000 },
    );
    expect(proven).toBeGreaterThan(50);
  });

  test.each([
    ["(4,3,2):(1,0,4)", [8], 3],
    ["(4,3,2):(1,0,4)", [2, [2, 2]], 3],
    ["(3,4):(4,1)", [12], 1],
    ["(1,5):(7,0)", [1], 5],
    ["():()", [], 1],
    ["(3,0):(1,3)", [3], 0],
    ["(3):(2)", [3], undefined],
    ["(3):(-1)", [3], undefined],
    ["(3):(1)", [4], undefined],
    ["(2,2):(1,1)", [3], undefined],
  ] as const)("LA-35 of %s on %j is %s", (l, target, extent) => {
    expect(uniformPreimageExtent(parseLayout(l), target)).toBe(extent);
  });

  test("LA-35 nothing is enumerated", () => {
    expect(uniformPreimageExtent(layout([2 ** 40, 2 ** 10], [1, 0]), [2 ** 40])).toBe(2 ** 10);
  });

  test("wrong input: a target that is no shape is a TypeError", () => {
    const l = layout([4]);
    for (const wrong of [undefined, 4, "4", null, [1.5], [true]]) {
      expect(() => uniformPreimageExtent(l, wrong as never)).toThrow(TypeError);
    }
    expect(() => uniformPreimageExtent([4] as never, [4])).toThrow(TypeError);
    expect(refusal("SW_LAYOUT_EXTENT", () => uniformPreimageExtent(l, [-4])).operation).toBe("uniformPreimageExtent");
  });
});

describe("isBroadcastOnlyAliased", () => {
  test.each([
    ["(3,4):(1,0)", true],
    ["(3,(2,4)):(1,(3,0))", true],
    ["(4,2):(0,1)", true],
    ["(4):(0)", true],
    ["(3,4):(1,3)", false],
    ["(3,4):(1,1)", false],
    ["(3,4,2):(1,1,0)", false],
    ["(3,1):(1,0)", false],
    ["(3,0):(0,0)", false],
    ["():()", false],
  ])("LA-34 %s: %s", (text, expected) => {
    expect(isBroadcastOnlyAliased(parseLayout(text))).toBe(expected);
  });

  test("LA-34 law: not injective, but injective once leaves of stride 0 have extent 1", () => {
    fc.assert(
      fc.property(layouts({ maxExtent: 4, maxLeaves: 4, minStride: -6, maxStride: 6 }), (l) => {
        const extents = flat(l.shape).map((extent, i) => (flat(l.stride)[i] === 0 ? Math.min(extent, 1) : extent));
        const expected = !isInjective(l) && isInjective(layout(extents, flat(l.stride)));
        expect(isBroadcastOnlyAliased(l)).toBe(expected);
      }),
      { numRuns: 500 },
    );
  });

  test("LA-33 a verdict is remembered with the layout, and so are the steps that gave none", () => {
    for (const [text, verdict] of [
      ["(50,50,30,58):(1488769,1103033,2464897,1548737)", true],
      ["(99,98,97):(9409,9603,9700)", false],
    ] as const) {
      const l = parseLayout(text);
      refusal("SW_LAYOUT_SEARCH_LIMIT", () => isInjective(l, 1));
      refusal("SW_LAYOUT_SEARCH_LIMIT", () => isInjective(l, 1));
      expect(isInjective(l)).toBe(verdict);
      // One step would not find it again.
      expect(isInjective(l, 1)).toBe(verdict);
      refusal("SW_LAYOUT_SEARCH_LIMIT", () => isInjective(parseLayout(text), 1));
    }
  });

  test("LA-34 a search that is too long is refused in its name", () => {
    const l = layout([2, 99, 98, 97], [0, 9409, 9603, 9700]);
    expect(refusal("SW_LAYOUT_SEARCH_LIMIT", () => isBroadcastOnlyAliased(l, 1)).operation).toBe(
      "isBroadcastOnlyAliased",
    );
    expect(() => isBroadcastOnlyAliased("(2):(0)" as never)).toThrow(TypeError);
  });
});
