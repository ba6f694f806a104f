import { describe, expect, test } from "vitest";
import {
  axisStart,
  type Layout,
  layout,
  permute,
  permuteAxes,
  reshapeRowMajor,
  rowMajor,
  selectAxis,
  selectedAxis,
  sliceAxis,
  slicedAxis,
  strided,
} from "../src/index.js";

/** The views that layouts remember, by how one is asked for. */
const views: Record<string, (l: Layout, which: number) => Layout> = {
  permuteAxes: (l, which) => permuteAxes(l, which === 0 ? [2, 0, 1] : [1, 0, 2]).layout,
  permute: (l, which) => permute(l, which === 0 ? [2, 1, 0] : [0, 2, 1]),
  sliceAxis: (l, which) => sliceAxis(l, 1, which, 4 + which, 2).layout,
  selectAxis: (l, which) => selectAxis(l, which, 1).layout,
  reshapeRowMajor: (l, which) => reshapeRowMajor(l, which === 0 ? [4, 36] : [24, 6]) as Layout,
};

describe("a layout remembers the views made of it last", () => {
  for (const [name, view] of Object.entries(views)) {
    test(`${name}: from the second view on it gives the same layout again, asked otherwise the right one`, () => {
      const l = rowMajor([4, 6, 6]);
      const first = view(l, 0);
      const second = view(l, 0);
      expect(second).not.toBe(first);
      expect(second).toEqual(first);
      expect(view(l, 0)).toBe(second);
      expect(String(view(l, 1))).toBe(String(view(rowMajor([4, 6, 6]), 1)));
      expect(String(view(l, 0))).toBe(String(first));
    });

    test(`${name}: what was asked of a layout changes nothing that can be seen`, () => {
      const asked = rowMajor([4, 6, 6]);
      view(asked, 0);
      view(asked, 0);
      expect(asked).toEqual(rowMajor([4, 6, 6]));
      expect(Object.keys(asked)).toEqual(["shape", "stride"]);
      expect(JSON.stringify(asked)).toBe(JSON.stringify(rowMajor([4, 6, 6])));
    });
  }

  test("the two parts of a slice and of a selection are what sliceAxis and selectAxis give", () => {
    const l = layout([4, [2, 3]], [6, [1, 2]]);
    expect({ layout: slicedAxis(l, 0, 1, 4, 2), start: axisStart(l, 0, 1) }).toEqual(sliceAxis(l, 0, 1, 4, 2));
    expect({ layout: selectedAxis(l, 1, 5), start: axisStart(l, 1, 5) }).toEqual(selectAxis(l, 1, 5));
    expect(axisStart(l, 1, 5)).toBe(5);
    expect(() => axisStart(l, 2, 0)).toThrow(expect.objectContaining({ code: "SW_LAYOUT_AXIS" }));
    expect(() => axisStart(l, 0, 0.5)).toThrow(TypeError);
    expect(() => axisStart(l, 0, 2 ** 52)).toThrow(expect.objectContaining({ code: "SW_LAYOUT_UNSAFE_INTEGER" }));
  });

  test("a start is computed for each call", () => {
    const l = strided([8, 4], [4, 1]);
    expect(sliceAxis(l, 0, 1, 3)).toEqual({ layout: strided([2, 4], [4, 1]), start: 4 });
    expect(sliceAxis(l, 0, 5, 7)).toEqual({ layout: strided([2, 4], [4, 1]), start: 20 });
    expect(selectAxis(l, 0, 7)).toEqual({ layout: strided([4], [1]), start: 28 });
    expect(selectAxis(l, 0, 2)).toEqual({ layout: strided([4], [1]), start: 8 });
  });

  test("an empty slice of the same extent, and orders beyond eight axes, are told apart", () => {
    const l = rowMajor([5, 3]);
    expect(sliceAxis(l, 0, 2, 2)).toEqual({ layout: strided([0, 3], [3, 1]), start: 0 });
    expect(sliceAxis(l, 0, 4, 4)).toEqual({ layout: strided([0, 3], [3, 1]), start: 0 });
    const wide = layout([1, 2, 1, 1, 1, 1, 1, 1, 3]);
    const order = [8, 7, 6, 5, 4, 3, 2, 1, 0];
    expect(String(permuteAxes(wide, order).layout)).toBe("(3,1,1,1,1,1,1,2,1):(2,2,2,2,2,2,2,1,1)");
    expect(String(permuteAxes(wide, [1, 0, 2, 3, 4, 5, 6, 7, 8]).layout)).toBe(
      "(2,1,1,1,1,1,1,1,3):(1,1,2,2,2,2,2,2,2)",
    );
  });

  test("what was refused before is refused again, and what is no list of axes never matches", () => {
    const l = rowMajor([2, 3]);
    permuteAxes(l, [1, 0]);
    permuteAxes(l, [1, 0]);
    for (const order of [[1, 1], [1], [0, 1, 2], [1, -1], [1, 8]]) {
      expect(() => permuteAxes(l, order)).toThrow(expect.objectContaining({ code: "SW_LAYOUT_ORDER" }));
    }
    for (const order of [[1, "0"], [1, 0.5], [1, Number.NaN], { 0: 1, 1: 0, length: 2 }, "10"]) {
      expect(() => permuteAxes(l, order as number[])).toThrow(TypeError);
    }
    sliceAxis(l, 1, 0, 2);
    expect(() => sliceAxis(l, 1, 2, 4)).toThrow(expect.objectContaining({ code: "SW_LAYOUT_SLICE" }));
    selectAxis(l, 1, 0);
    expect(() => selectAxis(l, 1, 3)).toThrow(expect.objectContaining({ code: "SW_LAYOUT_COORDINATE" }));
  });

  test("every fourth view of a view is not remembered, so a chain of shrinking slices keeps three links alive at most", () => {
    let l = rowMajor([100, 2]);
    const same: boolean[] = [];
    for (let link = 0; link < 6; link++) {
      sliceAxis(l, 0, 0, 99 - link);
      const next = sliceAxis(l, 0, 0, 99 - link).layout;
      same.push(sliceAxis(l, 0, 0, 99 - link).layout === next);
      l = next;
    }
    expect(same).toEqual([true, true, true, false, true, true]);
  });
});
