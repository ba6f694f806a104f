import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isCongruent, profile } from "../src/algebra.js";
import { cases, layouts, refusal, type Tree } from "./support.js";

describe("profile", () => {
  test("LA-32 every vector", async () => {
    const marks: Record<string, string> = { leaf: "L", push: "(", pop: ")" };
    const all = await cases<{ l: [Tree, Tree]; profile: string }>("layout/basic");
    for (const c of all) {
      const shape = typeof c.l[0] === "number" ? [c.l[0]] : c.l[0];
      expect(
        profile(shape)
          .map((marker) => marks[marker])
          .join(""),
      ).toBe(c.profile);
    }
  });

  test("LA-32 law: equal profiles are congruent trees", () => {
    const small = layouts({ maxLeaves: 3, maxDepth: 2 });
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(profile(a.shape)).toEqual(profile(a.stride));
        expect(String(profile(a.shape)) === String(profile(b.shape))).toBe(isCongruent(a.shape, b.shape));
      }),
      { numRuns: 500 },
    );
  });

  test("wrong input", () => {
    expect(profile([])).toEqual([]);
    refusal("SW_LAYOUT_EMPTY_MODE", () => profile([2, []]));
    let deep: Tree = 1;
    for (let i = 0; i < 70; i++) deep = [deep];
    refusal("SW_LAYOUT_DEPTH", () => profile(deep as Tree[]));
    for (const shape of [2, null, "2", [0.5], ["2"]]) expect(() => profile(shape as never)).toThrow(TypeError);
  });
});
