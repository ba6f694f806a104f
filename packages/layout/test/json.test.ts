import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layoutEquals, layoutFromJSON, rowMajor } from "../src/index.js";
import { layouts, refusal } from "./support.js";

describe("JSON form", () => {
  test("is the pair of shape and stride", () => {
    expect(JSON.stringify({ l: rowMajor([2, 3]) })).toBe('{"l":[[2,3],[3,1]]}');
  });

  test("law: what JSON writes reads back equal", () => {
    fc.assert(
      fc.property(layouts(), (l) => {
        expect(layoutEquals(layoutFromJSON(JSON.parse(JSON.stringify(l))), l)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("a layout read is frozen and apart from what was read", () => {
    const value = [
      [2, [3, 4]],
      [1, [2, 6]],
    ];
    const l = layoutFromJSON(value);
    (value[0] as unknown[])[0] = 9;
    expect(String(l)).toBe("(2,(3,4)):(1,(2,6))");
    expect(Object.isFrozen(l.shape)).toBe(true);
  });

  test.each([[null], ["[[2],[1]]"], [[[2]]], [[[2], [1], 0]], [{ shape: [2], stride: [1] }], [[2, 1]], [[["2"], [1]]]])(
    "%j is a TypeError",
    (value) => {
      expect(() => layoutFromJSON(value)).toThrow(TypeError);
    },
  );

  test("wrong values are refused by code", () => {
    refusal("SW_LAYOUT_INCONGRUENT", () => layoutFromJSON([[2, 3], [1]]));
    refusal("SW_LAYOUT_EXTENT", () => layoutFromJSON([[-2], [1]]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => layoutFromJSON([[2 ** 53], [1]]));
  });
});
