import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layout, parseLayout, permute, select, strided } from "../src/index.js";
import { enumerate, layouts, refusal } from "./support.js";

describe("permute", () => {
  test("LA-48 whole modes move", () => {
    expect(String(permute(parseLayout("(2,(3,4)):(1,(2,6))"), [1, 0]))).toBe("((3,4),2):((2,6),1)");
    expect(String(permute(layout([]), []))).toBe("():()");
  });

  test("LA-48 law: the same indices in another order, and back again", () => {
    fc.assert(
      fc.property(layouts(), fc.nat(), (l, n) => {
        const order = [...Array(l.rank).keys()].sort((a, b) => ((a * 5 + n) % 7) - ((b * 5 + n) % 7));
        const back = order.map((_, axis) => order.indexOf(axis));
        const sorted = (list: number[]): number[] => list.sort((a, b) => a - b);
        expect(sorted(enumerate(permute(l, order)))).toEqual(sorted(enumerate(l)));
        expect(String(permute(permute(l, order), back))).toBe(String(l));
      }),
      { numRuns: 300 },
    );
  });
});

describe("select", () => {
  test("LA-42 picks whole modes in the order given, repeats included", () => {
    const l = parseLayout("(2,(3,4),5):(1,(2,6),24)");
    expect(String(select(l, [1, 0]))).toBe("((3,4),2):((2,6),1)");
    expect(String(select(l, [2, 2]))).toBe("(5,5):(24,24)");
    expect(String(select(l, []))).toBe("():()");
    expect(select(l, [1, 0]).size).toBe(24);
  });

  test("LA-42 a mode that does not exist is refused", () => {
    const l = layout([2, 3]);
    const error = refusal("SW_LAYOUT_ORDER", () => select(l, [0, 2]));
    expect(error).toMatchObject({ value: 2, layout: l, operation: "select" });
    expect(error.message).toBe("select: a mode does not exist: got 2, expected 0 to 1 (layout (2,3):(1,2)).");
    refusal("SW_LAYOUT_ORDER", () => select(l, [-1]));
    expect(() => select(l, [0.5])).toThrow(TypeError);
    expect(() => select(l, ["0" as never])).toThrow(TypeError);
    expect(() => select(l, 0 as never)).toThrow(TypeError);
    expect(() => select([2] as never, [0])).toThrow(TypeError);
  });

  test("field case 3: what was out of reach while the layout was empty is refused", () => {
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => select(strided([0, 9], [1, 2 ** 52]), [1]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => select(layout([2 ** 40]), [0, 0]));
  });
});
