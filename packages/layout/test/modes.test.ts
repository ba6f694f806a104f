import { describe, expect, test } from "vitest";
import { modeOf } from "../src/algebra.js";
import { layout, parseLayout, strided } from "../src/index.js";
import { refusal } from "./support.js";

describe("modeOf", () => {
  test("LA-40 a leaf becomes a rank-1 layout, a nested mode gives its modes", () => {
    const l = parseLayout("(2,(3,(4)),(5)):(1,(-2,(6)),(0))");
    expect(String(modeOf(l, 0))).toBe("(2):(1)");
    expect(String(modeOf(l, 1))).toBe("(3,(4)):(-2,(6))");
    expect(String(modeOf(l, 2))).toBe("(5):(0)");
    expect(modeOf(l, 1).size).toBe(12);
    expect(String(modeOf(layout([0, 3]), 0))).toBe("(0):(1)");
  });

  test("LA-40 a mode that does not exist is refused", () => {
    const l = layout([2, 3]);
    const error = refusal("SW_LAYOUT_AXIS", () => modeOf(l, 2));
    expect(error).toMatchObject({ operation: "modeOf", layout: l, axis: 2, value: 2 });
    expect(error.message).toBe("modeOf: a mode does not exist: got 2, expected 0 to 1 (layout (2,3):(1,2)).");
    refusal("SW_LAYOUT_AXIS", () => modeOf(l, -1));
    expect(refusal("SW_LAYOUT_AXIS", () => modeOf(layout([]), 0)).message).toContain("expected none (rank 0)");
  });

  test("wrong input: positions that are no integers and arguments that are no layouts are TypeErrors", () => {
    expect(() => modeOf(layout([2]), 0.5)).toThrow(TypeError);
    expect(() => modeOf(layout([2]), "0" as never)).toThrow(TypeError);
    expect(() => modeOf([2] as never, 0)).toThrow(TypeError);
  });

  test("field case 3: what was out of reach while the layout was empty is refused", () => {
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => modeOf(strided([0, 9], [1, 2 ** 52]), 1));
  });
});
