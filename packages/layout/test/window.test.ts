import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { boxParts, flipAxis, indexOf, layout, layoutEquals, parseLayout, rowMajor, sliceAxis } from "../src/index.js";
import { type AxisWindow, windowOf } from "../src/views.js";
import { flatLayouts, refusal } from "./support.js";

describe("windowOf", () => {
  test("a window of a matrix, read backwards, and repeated", () => {
    const l = rowMajor([6, 8]);
    const view = windowOf(l, [
      { start: 2, extent: 3 },
      { start: 1, extent: 2, step: 4 },
    ]);
    expect([String(view.layout), view.start]).toEqual(["(3,2):(8,4)", 17]);
    const backwards = windowOf(l, [
      { start: 5, extent: 6, step: -1 },
      { start: 0, extent: 8 },
    ]);
    expect([String(backwards.layout), backwards.start]).toEqual([String(flipAxis(l, 0).layout), 40]);
    const repeated = windowOf(l, [
      { start: 3, extent: 9, step: 0 },
      { start: 0, extent: 8 },
    ]);
    expect([String(repeated.layout), repeated.start]).toEqual(["(9,8):(0,1)", 24]);
    expect(windowOf(layout([]), [])).toMatchObject({ start: 0, layout: { rank: 0 } });
  });

  test("a nested axis is taken whole, with its nest", () => {
    const l = parseLayout("(4,(2,3)):(1,(12,4))");
    const view = windowOf(l, [
      { start: 1, extent: 2 },
      { start: 0, extent: 6, step: 1 },
    ]);
    expect([String(view.layout), view.start]).toEqual(["(2,(2,3)):(1,(12,4))", 1]);
    const part = [
      { start: 0, extent: 4 },
      { start: 0, extent: 4 },
    ];
    expect(refusal("SW_LAYOUT_NESTED_AXIS", () => windowOf(l, part)).axis).toBe(1);
    expect([...boxParts(l, [4, 4])].length).toBe(1); // which cuts what a window cannot
  });

  test("an empty window may stand anywhere, the end included", () => {
    const view = windowOf(layout([4, 5]), [
      { start: 4, extent: 0 },
      { start: 2, extent: 3 },
    ]);
    expect([String(view.layout), view.start]).toEqual(["(0,3):(1,4)", 8]);
    expect(windowOf(layout([0]), [{ start: 0, extent: 0 }]).layout.size).toBe(0);
    refusal("SW_LAYOUT_BOX", () => windowOf(layout([4]), [{ start: 5, extent: 0 }]));
  });

  test("an integer keeps one coordinate and removes its axis, of a nested axis the ordinal", () => {
    const l = parseLayout("(4,(2,3),5):(1,(12,4),24)");
    const view = windowOf(l, [{ start: 3, extent: 2, step: -2 }, 5, 1]);
    expect([String(view.layout), view.start]).toEqual(["(2):(-2)", 3 + indexOf(l, [0, 5, 1])]);
    expect(windowOf(l, [0, 0, 0])).toMatchObject({ start: 0, layout: { rank: 0 } });
    const empty = windowOf(layout([4, 5]), [{ start: 0, extent: 0 }, 4]);
    expect([String(empty.layout), empty.start]).toEqual(["(0):(1)", 16]);
    for (const index of [-1, 6]) {
      const error = refusal("SW_LAYOUT_BOX", () => windowOf(l, [{ start: 0, extent: 4 }, index, 0]));
      expect(error).toMatchObject({ axis: 1, value: index });
    }
    expect(refusal("SW_LAYOUT_BOX", () => windowOf(layout([0]), [0], "index")).message).toBe(
      "index: window leaves axis 0: got start 0, expected coordinates from 0 to -1 (shape [0]).",
    );
  });

  test("wrong input: windows that leave the layout, and what is no window", () => {
    const l = layout([4, 5]);
    const whole = { start: 0, extent: 5 };
    const error = refusal("SW_LAYOUT_BOX", () => windowOf(l, [{ start: 1, extent: 3, step: 2 }, whole]));
    expect(error).toMatchObject({ axis: 0, value: 1 });
    expect(error.message).toBe(
      "windowOf: window leaves axis 0: got start 1, extent 3, step 2, expected coordinates from 0 to 3 (shape [4,5]).",
    );
    for (const window of [
      { start: -1, extent: 1 },
      { start: 4, extent: 1 },
      { start: 0, extent: -1 },
      { start: 1, extent: 3, step: -1 },
      { start: 0, extent: 2, step: 1e300 },
    ]) {
      refusal("SW_LAYOUT_BOX", () => windowOf(l, [window, whole]));
    }
    expect(refusal("SW_LAYOUT_BOX", () => windowOf(l, [whole])).value).toBe(1);
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => windowOf(l, [{ start: 0, extent: 1e300, step: 0 }, whole]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => windowOf(l, [{ start: 0, extent: 1, step: 2 ** 53 }, whole]));
    for (const window of [
      null,
      0.5,
      "1",
      1n,
      [0, 1],
      {},
      { start: 0 },
      { start: 0.5, extent: 1 },
      { start: 0, extent: "1" },
    ]) {
      expect(() => windowOf(l, [window as AxisWindow, whole])).toThrow(TypeError);
    }
    expect(() => windowOf(l, whole as never)).toThrow(TypeError);
    expect(() => windowOf(null as never, [])).toThrow(TypeError);
    // biome-ignore lint/suspicious/noSparseArray: a list with a hole is what is tested
    expect(() => windowOf(l, [, whole] as never)).toThrow(TypeError);
  });

  test("law: coordinate c of a window is coordinate start + c step of the layout, as sliceAxis says too", () => {
    const sources = flatLayouts({ minExtent: 1, maxExtent: 8, maxSize: 300 });
    const choice = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.integer({ min: -3, max: 3 })), {
      minLength: 6,
      maxLength: 6,
    });
    fc.assert(
      fc.property(sources, choice, fc.nat(), (l, random, at) => {
        const box = l.shape.map((size, i) => {
          const [a, b, step] = random[i]!;
          const start = a % (size as number);
          const room = step > 0 ? (size as number) - 1 - start : start;
          return { start, extent: 1 + (b % (step === 0 ? 4 : Math.floor(room / Math.abs(step)) + 1)), step };
        });
        const { layout: view, start } = windowOf(l, box);
        const coordinate = box.map(({ extent }) => at % extent);
        const inSource = box.map((window, i) => window.start + coordinate[i]! * window.step);
        expect(start + indexOf(view, coordinate)).toBe(indexOf(l, inSource));
        if (!box.every(({ step }) => step > 0)) return;
        let sliced = { layout: l, start: 0 };
        box.forEach((window, axis) => {
          const end = window.start + (window.extent - 1) * window.step + 1;
          const next = sliceAxis(sliced.layout, axis, window.start, end, window.step);
          sliced = { layout: next.layout, start: sliced.start + next.start };
        });
        expect([layoutEquals(sliced.layout, view), sliced.start]).toEqual([true, start]);
      }),
      { numRuns: 300 },
    );
  });
});
