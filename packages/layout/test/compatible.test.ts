import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { coveredBy, isCompatible, isCongruent } from "../src/algebra.js";
import { encode, type Shape } from "../src/index.js";
import { layouts, refusal, type Tree } from "./support.js";

/** Splits leaves of a shape at random into nested modes of the same size. */
function refined(tree: Tree, choices: readonly number[], at: { next: number }): Tree {
  if (typeof tree !== "number") return tree.map((mode) => refined(mode, choices, at));
  const choice = choices[at.next++ % choices.length]!;
  if (choice === 0) return tree;
  const factor = tree > 0 && tree % choice === 0 ? choice : 1;
  return [factor, tree / factor];
}

/** Every coordinate of a shape whose lists have the form of the shape. */
function coordinates(tree: Tree): Tree[] {
  if (typeof tree === "number") return Array.from({ length: tree }, (_, c) => c);
  let out: Tree[][] = [[]];
  for (const mode of tree) out = out.flatMap((head) => coordinates(mode).map((c) => [...head, c]));
  return out;
}

describe("isCongruent, isCompatible and coveredBy", () => {
  test("LA-60 law: every coordinate of a shape is one of a compatible shape, for the same element", () => {
    const source = layouts({ maxDepth: 2, maxLeaves: 3, maxExtent: 6 });
    fc.assert(
      fc.property(source, fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 5 }), (l, choices) => {
        const fine = refined(l.shape, choices, { next: 0 }) as Shape;
        expect(isCompatible(l.shape, fine)).toBe(true);
        expect(coveredBy(l.shape, fine)).toBe(true);
        expect(isCompatible(fine, l.shape)).toBe(isCongruent(fine, l.shape));
        for (const c of coordinates(l.shape)) {
          expect(encode(fine, c)).toBe(encode(l.shape, c));
        }
      }),
      { numRuns: 300 },
    );
  });

  test("LA-4 law: a shape is congruent with the stride of its layout", () => {
    fc.assert(
      fc.property(layouts(), (l) => {
        expect(isCongruent(l.shape, l.stride)).toBe(true);
        expect(isCongruent([...l.shape, 1], l.stride)).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    [[2, 12], [2, [3, 4]], false, true, true],
    [[2, [3, 4]], [2, 12], false, false, false],
    [[2, [3, 4]], [2, [4, 3]], true, false, true],
    [[2, 12], [2, [3, 5]], false, false, true],
    [[2], [[2]], false, true, true],
    [[24], [4, 6], false, false, false],
    [[], [], true, true, true],
    [[0], [[3, 0]], false, true, true],
  ] as const)("%j and %j: congruent %s, compatible %s, covered %s", (a, b, congruent, compatible, covered) => {
    expect([isCongruent(a, b), isCompatible(a, b), coveredBy(a, b)]).toEqual([congruent, compatible, covered]);
  });

  test("wrong input: what is no shape", () => {
    for (const fn of [isCongruent, isCompatible, coveredBy]) {
      expect(() => fn(4 as never, [4])).toThrow(TypeError);
      expect(() => fn([4], ["4"] as never)).toThrow(TypeError);
      expect(() => fn([4], [1.5])).toThrow(new RegExp(`^${fn.name}:`));
      expect(refusal("SW_LAYOUT_EMPTY_MODE", () => fn([[]], [4])).operation).toBe(fn.name);
    }
    expect(refusal("SW_LAYOUT_EXTENT", () => isCompatible([4], [-4])).value).toBe(-4);
    expect(refusal("SW_LAYOUT_UNSAFE_INTEGER", () => isCompatible([2 ** 30, 2 ** 30], [4])).operation).toBe(
      "isCompatible",
    );
  });

  test("LA-32 congruence compares the form alone, leaf by leaf and list by list", () => {
    expect(isCongruent([2, [3, 4]], [9, [1, 0]])).toBe(true);
    for (const other of [
      [2, 3, 4],
      [[2, 3], 4],
      [2, [3, 4, 5]],
      [2, [[3, 4]]],
      [2, [3, [4]]],
    ]) {
      expect(isCongruent([2, [3, 4]], other)).toBe(false);
    }
  });
});
