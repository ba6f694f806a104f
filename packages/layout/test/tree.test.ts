import { describe, expect, test } from "vitest";
import { formatShape, leaves } from "../src/index.js";
import { refusal } from "./support.js";

describe("trees", () => {
  test("leaves lists a nest depth-first", () => {
    expect(leaves([2, [3, [4, 5]], 6])).toEqual([2, 3, 4, 5, 6]);
    expect(leaves([])).toEqual([]);
    expect(leaves(7)).toEqual([7]);
  });

  test("formatShape writes flat shapes in brackets and nested ones in CuTe notation", () => {
    expect(formatShape([2, 3])).toBe("[2,3]");
    expect(formatShape([])).toBe("[]");
    expect(formatShape([2, [3, 4]])).toBe("(2,(3,4))");
    expect(formatShape(5)).toBe("5");
  });

  test("formatShape cuts long lists at eight entries", () => {
    expect(formatShape([1, 2, 3, 4, 5, 6, 7, 8, 9])).toBe("[1,2,3,4,5,6,7,8,…]");
    expect(formatShape([[1, 2, 3, 4, 5, 6, 7, 8, 9]])).toBe("((1,2,3,4,5,6,7,8,…))");
  });

  test("D5 wrong input: what is no tree is a TypeError, a nest without end a LayoutError", () => {
    const endless: unknown[] = [2];
    endless.push(endless);
    for (const fn of [leaves, formatShape]) {
      for (const wrong of ["ab", null, undefined, {}, true, 2n, ["ab"], [2, [null]]]) {
        expect(() => fn(wrong as never)).toThrow(TypeError);
      }
      expect(refusal("SW_LAYOUT_DEPTH", () => fn(endless as never))).toMatchObject({ operation: fn.name, value: 65 });
    }
  });
});
