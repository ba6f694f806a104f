import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layout } from "../src/index.js";
import { composeMap, type IndexMap, permutation, productMap } from "../src/maps.js";
import { maps, table } from "./map-support.js";
import { flat, refusal } from "./support.js";

describe("productMap", () => {
  test("LA-116 the example: the ordinal of both indices in the shape of their codomains", () => {
    const p = productMap(permutation([4, 3], 10), permutation([2, 9], 15));
    expect([p.index([0, 0]), p.index([1, 1]), p.codomainSize]).toEqual([24, 93, 150]);
    expect(p).toMatchObject({ kind: "product", shape: [2, 2], targetShape: [10, 15], isInjective: true });
  });

  test("LA-116 law: digits of each factor, one mode each", () => {
    fc.assert(
      fc.property(fc.array(maps, { minLength: 2, maxLength: 3 }), fc.nat(), (factors, n) => {
        const p = productMap(...factors);
        fc.pre(p.size > 0);
        const coordinate: number[] = [];
        let rest = n % p.size;
        let want = 0;
        let weight = 1;
        for (const factor of factors) {
          coordinate.push(rest % factor.size);
          want += weight * factor.index(rest % factor.size);
          weight *= factor.codomainSize;
          rest = Math.floor(rest / factor.size);
        }
        expect([p.index(coordinate), p.index(n % p.size)]).toEqual([want, want]);
        expect(p.codomainSize).toBe(weight);
        expect(flat(p.targetShape).reduce((a, b) => a * b, 1)).toBe(weight);
      }),
      { numRuns: 300 },
    );
  });

  test("LA-116 a factor that is a product keeps its target shape, and hierarchy is kept", () => {
    const p = productMap(productMap(layout([2], [3]), permutation([1, 0])), layout([[2, 3]]), layout([]));
    expect(p).toMatchObject({ shape: [[2, 2], [2, 3], 1], targetShape: [[4, 2], 6, 1] });
  });

  test("LA-116 injective: false if any factor is not, unless there is no element", () => {
    expect(productMap(layout([2], [0]), layout([2])).isInjective).toBe(false);
    expect(productMap(layout([2], [0]), layout([0])).isInjective).toBe(true);
    expect(productMap(layout([2]), layout([3])).isIdentity).toBe(true);
    expect(table(productMap(layout([2]), layout([3])))).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test("LA-116 wrong input", () => {
    expect(refusal("SW_LAYOUT_COUNT", () => productMap()).value).toBe(0);
    expect(refusal("SW_LAYOUT_COUNT", () => productMap(layout([2]))).message).toBe(
      "productMap: a product needs two maps: got 1, expected 2 or more.",
    );
    for (const wrong of [null, undefined, 3, "2:1", {}, [2]]) {
      expect(() => productMap(layout([2]), wrong as never)).toThrow(TypeError);
      expect(() => productMap(wrong as never)).toThrow(TypeError);
    }
    expect(refusal("SW_LAYOUT_SIGN", () => productMap(layout([2], [-1]), layout([2]))).operation).toBe("productMap");
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => productMap(layout([2 ** 30]), layout([2 ** 30])));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => productMap(layout([2], [2 ** 30]), layout([2], [2 ** 30])));
  });

  test("products that nest too deep are refused, in their shape and behind flat ones", () => {
    const grow = (wrap: (map: IndexMap) => IndexMap): number | undefined => {
      let map: IndexMap = permutation([1, 0]);
      return refusal("SW_LAYOUT_DEPTH", () => {
        for (let i = 0; i < 100; i++) map = wrap(productMap(map, layout([1])));
      }).value;
    };
    expect(grow((map) => map)).toBe(65);
    expect(grow((map) => composeMap(map, permutation([0, 1])))).toBe(65);
  });
});
