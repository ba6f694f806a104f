import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decode, layout } from "../src/index.js";
import {
  asMap,
  composeMap,
  hilbert,
  type IndexMap,
  isIndexMap,
  permutation,
  productMap,
  swizzle,
} from "../src/maps.js";
import { collapsed, fromText, type MapResult, type MapText, maps, table } from "./map-support.js";
import { cases, refusal } from "./support.js";

interface BuildCase {
  readonly op: "build" | "compose";
  readonly map: MapText;
  readonly sw: MapResult | { readonly err: "ValueError" | "TypeError" };
  readonly n1?: boolean;
}

const everyKind: readonly IndexMap[] = [
  asMap(layout([2, [2, 2]], [4, [1, 2]])),
  permutation([2, 0, 1]),
  swizzle([4, 4], { bits: 2, base: 0, shift: 2 }),
  productMap(permutation([1, 0]), layout([3])),
  composeMap(swizzle([8], { bits: 1, base: 0, shift: 1 }), layout([2, 3], [1, 3])),
  hilbert(2, 2),
];

describe("index maps", () => {
  test("LA-110 LA-111 LA-113 LA-116: every map of the shared vectors, accepted and refused alike", async () => {
    const all = (await cases<BuildCase>("layout/index_maps")).filter((c) => c.op === "build");
    expect(all.length).toBe(173);
    for (const { map: text, sw, n1 } of all) {
      const name = JSON.stringify(text);
      if ("err" in sw) {
        const error = thrown(() => fromText(text));
        if (sw.err === "TypeError") expect(error, name).toBeInstanceOf(TypeError);
        else expect(error.code, name).toMatch(/^SW_LAYOUT_(CODOMAIN|EMPTY|NOT_INJECTIVE|SWIZZLE|COUNT)$/);
        continue;
      }
      const map = fromText(text);
      expect(n1 ? collapsed(map.shape) : map.shape, name).toEqual(n1 ? collapsed(sw.shape as never) : sw.shape);
      expect(map.codomainSize, name).toBe(sw.codomain);
      expect(map.isInjective, name).toBe(sw.injective);
      if (sw.values) expect(table(map), name).toEqual(sw.values);
      if (map.kind === "product") expect(map.targetShape, name).toEqual(sw.target_shape);
      if (map.kind === "swizzle") expect(map.stages.map((s) => [s.bits, s.base, s.shift])).toEqual(sw.stages);
    }
  });

  test("LA-110 law: every index is below the codomain, and flags say what counting says", () => {
    let undecided = 0;
    fc.assert(
      fc.property(maps, (map) => {
        const indices = table(map);
        expect(indices.every((i) => Number.isSafeInteger(i) && i >= 0 && i < map.codomainSize)).toBe(true);
        const distinct = new Set(indices).size === map.size;
        if (map.isInjective === undefined) undecided++;
        else expect(map.isInjective, String(map)).toBe(distinct);
        const isIdentity = map.size === map.codomainSize && indices.every((index, i) => index === i);
        if (map.isIdentity) expect(isIdentity, String(map)).toBe(true);
        expect(map.codomainSize > 0 || map.size === 0).toBe(true);
      }),
      { numRuns: 500 },
    );
    expect(undecided).toBe(0); // what is not decided at once is searched, and these are small
  });

  test("LA-110 law: nested, partly linear and linear keys of one coordinate have one index", () => {
    fc.assert(
      fc.property(maps, fc.nat(), (map, n) => {
        fc.pre(map.size > 0);
        const ordinal = n % map.size;
        const nested = decode(map.shape, ordinal);
        const partly = decode(
          map.shape.map((mode) => (typeof mode === "number" ? mode : sizeOf(mode))),
          ordinal,
        );
        expect([map.index(nested), map.index(partly)]).toEqual([map.index(ordinal), map.index(ordinal)]);
      }),
      { numRuns: 500 },
    );
  });

  test.each(everyKind.map((map) => [map.kind, map] as const))("LA-24 a %s refuses wrong coordinates", (_, map) => {
    for (const key of [-1, map.size, [0], [0, 0, 0, 0, 0], [[0, [0, 0]], 0], [map.size, 0], [], 2 ** 60]) {
      if (map.shape.length === 1 && JSON.stringify(key) === "[0]") continue;
      expect(refusal("SW_LAYOUT_COORDINATE", () => map.index(key))).toMatchObject({
        operation: "index",
        shape: map.shape,
      });
    }
    for (const key of [0.5, Number.NaN, Number.POSITIVE_INFINITY, true, "0", null, undefined, {}, 0n]) {
      expect(() => map.index(key as never)).toThrow(TypeError);
    }
    const error = refusal("SW_LAYOUT_COORDINATE", () => permutation([1, 0]).index(2));
    expect(error.message).toBe("index: coordinate is outside (2): got 2, expected 0 to 1 (shape [2]).");
  });

  test("-0 is 0", () => {
    for (const map of everyKind) expect(map.index(-0)).toBe(map.index(0));
    expect(Object.is(swizzle([4]).index(-0), 0)).toBe(true);
  });

  test("they are recognised by the brand, from any copy of the package", () => {
    for (const map of everyKind) expect(isIndexMap(map)).toBe(true);
    expect(isIndexMap({ "@sw/layout/IndexMap/1": true })).toBe(true);
    for (const other of [layout([2]), null, undefined, 3, {}, "x"]) expect(isIndexMap(other)).toBe(false);
  });

  test("they say what they are", () => {
    expect(everyKind.map(String)).toEqual([
      "(2,(2,2)):(4,(1,2))",
      "permutation [2,0,1] in 3",
      "swizzle<2,0,2> of (4,4)",
      "(permutation [1,0] in 2 × (3):(1))",
      "swizzle<1,0,1> of (8) o (2,3):(1,3)",
      "hilbert of [4,4]",
    ]);
  });
});

function sizeOf(tree: unknown): number {
  return typeof tree === "number" ? tree : (tree as unknown[]).reduce<number>((n, mode) => n * sizeOf(mode), 1);
}

function thrown(fn: () => unknown): Error & { code?: string } {
  try {
    fn();
  } catch (error) {
    return error as Error & { code?: string };
  }
  throw new Error("nothing was thrown");
}
