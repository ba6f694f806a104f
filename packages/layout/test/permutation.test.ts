import { describe, expect, test } from "vitest";
import { permutation } from "../src/maps.js";
import { table } from "./map-support.js";
import { refusal } from "./support.js";

describe("permutation", () => {
  test("LA-111 coordinate i has index values[i], below a bound that is their number unless given", () => {
    expect(permutation([2, 0, 1])).toMatchObject({
      kind: "permutation",
      shape: [3],
      codomainSize: 3,
      isInjective: true,
    });
    expect(table(permutation([4, 3], 10))).toEqual([4, 3]);
    expect(permutation([4, 3], 10).codomainSize).toBe(10);
    expect(permutation([2 ** 50], 2 ** 53 - 1).index([0])).toBe(2 ** 50);
    expect(permutation([0, 1]).isIdentity).toBe(true);
    expect(permutation([0, 1], 3).isIdentity).toBe(false);
    expect(permutation([0, -0 + 1]).index(0)).toBe(0);
  });

  test("its values are a copy", () => {
    const values = [1, 0];
    const p = permutation(values);
    values[0] = 7;
    expect(table(p)).toEqual([1, 0]);
    expect(Object.is(permutation([-0]).index(0), 0)).toBe(true);
  });

  test("LA-111 wrong input", () => {
    for (const wrong of [
      null,
      undefined,
      3,
      "10",
      {},
      new Set([1]),
      [true],
      [1.5],
      ["0"],
      [Number.NaN],
      [[0]],
      new Array(2),
    ]) {
      expect(() => permutation(wrong as never)).toThrow(TypeError);
    }
    for (const bound of [1.5, null, "3", true, Number.POSITIVE_INFINITY]) {
      expect(() => permutation([0], bound as never)).toThrow(TypeError);
    }
    refusal("SW_LAYOUT_EMPTY", () => permutation([]));
    refusal("SW_LAYOUT_EMPTY", () => permutation([], 4));
    expect(refusal("SW_LAYOUT_CODOMAIN", () => permutation([1, 0], 0)).value).toBe(0);
    expect(refusal("SW_LAYOUT_CODOMAIN", () => permutation([0, 3])).message).toBe(
      "permutation: a value is outside the codomain: got 3, expected 0 to 1.",
    );
    expect(refusal("SW_LAYOUT_CODOMAIN", () => permutation([-1], 4)).value).toBe(-1);
    expect(refusal("SW_LAYOUT_NOT_INJECTIVE", () => permutation([1, 0, 1])).message).toBe(
      "permutation: a value is there twice: got 1 again, expected distinct values.",
    );
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => permutation([2 ** 60]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => permutation([0], 2 ** 60));
  });
});
