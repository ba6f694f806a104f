import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { indexOf, layout, parseLayout } from "../src/index.js";
import { isModeSlice, type ModeSlice, sliceModes } from "../src/views.js";
import { enumerate, flatLayouts, refusal } from "./support.js";
import { expectViews, unmarked } from "./view-vectors.js";

/** `[start, stop, step]` with null for what is left out. */
function asSlice(entry: unknown): unknown {
  if (!Array.isArray(entry)) return entry;
  const slice: Record<string, unknown> = {};
  ["start", "stop", "step"].forEach((name, i) => {
    if (entry[i] !== null) slice[name] = unmarked(entry[i]);
  });
  return slice;
}

describe("sliceModes", () => {
  test("VA-35 VA-36 VA-37 VA-38 VA-39 VA-40 every vector", async () => {
    // In 42, 102 and 316 one integer stands for several modes; a key has one entry for each (D11).
    const d11 = [42, 102, 316];
    const run = (l: ReturnType<typeof layout>, c: { readonly [field: string]: unknown }) =>
      sliceModes(l, (c["key"] as unknown[]).map((entry) => unmarked(asSlice(entry))) as ModeSlice[]);
    await expectViews("slice", 340, run, d11);
    refusal("SW_LAYOUT_COORDINATE", () => sliceModes(layout([5, 10]), 5));
    refusal("SW_LAYOUT_COORDINATE", () => sliceModes(layout([5, 10]), [5]));
  });

  test("VA-39 the examples of the source", () => {
    const l = layout([5, 10]);
    expect(sliceModes(l, [2, { start: 1, stop: 9 }])).toMatchObject({ start: 7 });
    expect(String(sliceModes(l, [2, { start: 1, stop: 9 }]).layout)).toBe("(8):(5)");
    expect(String(sliceModes(l, [2, { start: 1, stop: 9, step: 2 }]).layout)).toBe("(4):(10)");
    expect(String(sliceModes(layout([10, [2, 3]]), [0, {}]).layout)).toBe("((2,3)):((10,20))");
  });

  test("VA-35 one entry needs no list", () => {
    expect(String(sliceModes(layout([6]), { start: -4, step: 2 }).layout)).toBe("(2):(2)");
    expect(sliceModes(layout([6]), 4)).toMatchObject({ start: 4, layout: { rank: 0 } });
    expect(sliceModes(layout([]), []).start).toBe(0);
  });

  test("VA-37 nothing is rounded, and nothing is empty", () => {
    const l = layout([6], [7]);
    const refused = (slice: ModeSlice) => refusal("SW_LAYOUT_SLICE", () => sliceModes(l, [slice]));
    expect(refused({ step: 4 }).message).toBe(
      "sliceModes: step does not divide the slice: got step 4, expected a divisor of 6 (mode 0, shape [6]).",
    );
    refused({ start: 6 });
    expect(refused({ start: 4, stop: -3 }).message).toBe(
      "sliceModes: slice is empty: got 4 to 3, expected start < stop (mode 0, shape [6]).",
    );
    expect(refused({ step: 0 })).toMatchObject({ axis: 0, shape: [6], operation: "sliceModes" });
    refused({ step: -1 });
    refused({ step: 1e300 });
    expect(String(sliceModes(l, { start: -1e300, stop: 1e300 }).layout)).toBe("(6):(7)");
    refusal("SW_LAYOUT_SLICE", () => sliceModes(layout([0]), {}));
  });

  test("VA-38 of a nested mode the whole or one ordinal", () => {
    const l = parseLayout("(2,(3,4)):(1,(20,2))");
    expect(sliceModes(l, [1, 5])).toMatchObject({ start: 43, layout: { rank: 0 } });
    expect(String(sliceModes(l, [{}, [2, 1]]).layout)).toBe("(2):(1)");
    expect(sliceModes(l, [{}, [2, 1]]).start).toBe(42);
    refusal("SW_LAYOUT_NESTED_AXIS", () => sliceModes(l, [{}, { start: 0 }]));
    refusal("SW_LAYOUT_NESTED_AXIS", () => sliceModes(l, [{}, { stop: 12 }]));
    refusal("SW_LAYOUT_NESTED_AXIS", () => sliceModes(l, [{}, { step: 2 }]));
    expect(String(sliceModes(l, [{}, { step: 1 }]).layout)).toBe(String(l));
  });

  test("VA-36 wrong input: types and integers outside their mode", () => {
    const l = layout([3, 2]);
    expect(refusal("SW_LAYOUT_COORDINATE", () => sliceModes(l, [{}, 2]))).toMatchObject({
      operation: "sliceModes",
      value: 2,
    });
    refusal("SW_LAYOUT_COORDINATE", () => sliceModes(l, [-1, 0]));
    refusal("SW_LAYOUT_COORDINATE", () => sliceModes(l, [[0], 0]));
    for (const entry of [null, undefined, "1", true, 1n, 0.5, Number.NaN, { start: null }, { stop: 0.5 }]) {
      expect(() => sliceModes(l, [0, entry as never]), String(entry)).toThrow(TypeError);
    }
    expect(() => sliceModes({} as never, [0])).toThrow(TypeError);
    // biome-ignore lint/suspicious/noSparseArray: a list with a hole is what is tested
    expect(() => sliceModes(l, [, 0] as never)).toThrow(TypeError);
  });

  test.each<[string, unknown]>([
    ["an object of class Int32Array", Int32Array.of(0, 1)],
    ["an object of class Int32Array", new Int32Array()],
    ["an object of class Map", new Map([["start", 1]])],
    [
      "an object of class Window",
      new (class Window {
        start = 1;
      })(),
    ],
    ["{ end }", { end: 2 }],
    ["{ start, extent }", { start: 0, extent: 2 }],
    ["a function", () => 0],
  ])("VA-35 %s is no slice of the whole mode", (got, entry) => {
    expect(isModeSlice(entry)).toBe(false);
    const message = `sliceModes: the entry of mode 0 has a wrong type: got ${got}, expected an integer, a list of them, or { start, stop, step }.`;
    expect(() => sliceModes(layout([6]), [entry as never])).toThrow(new TypeError(message));
    expect(() => sliceModes(layout([6]), entry as never)).toThrow(new TypeError(message));
  });

  test("VA-35 a slice is a literal of any realm, or without a prototype, bounds of undefined included", () => {
    for (const slice of [{}, { start: undefined }, { stop: 6, step: 1 }, Object.create(null)]) {
      expect(isModeSlice(slice)).toBe(true);
      expect(String(sliceModes(layout([6]), slice).layout)).toBe("(6):(1)");
    }
  });

  test("a start or stride that only an empty layout can name is refused when it is unsafe", () => {
    const l = layout([[0, 1], 3, 3], [[1, 1], 2 ** 52, 2 ** 52]);
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => sliceModes(l, [{}, 2, {}]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => sliceModes(layout([2], [2 ** 52]), { step: 2 }));
  });

  test("VA-37 VA-39 law: the view shows what the key selects", () => {
    const sources = flatLayouts({ minExtent: 1, maxExtent: 6, maxSize: 200 }).filter((l) => l.rank > 0);
    const choices = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.boolean()), { minLength: 6, maxLength: 6 });
    fc.assert(
      fc.property(sources, choices, (l, random) => {
        const selected: number[][] = [];
        const key = l.shape.map((size, i): number | ModeSlice => {
          const [a, b, c, isInteger] = random[i]!;
          const n = size as number;
          const start = a % n;
          if (isInteger) {
            selected.push([start]);
            return start;
          }
          const step = 1 + (c % (n - start));
          const count = 1 + (b % Math.floor((n - start) / step));
          selected.push(Array.from({ length: count }, (_, k) => start + k * step));
          const stop = start + count * step;
          return { start: a % 2 === 0 ? start : start - n, stop: stop === n ? n + b : stop, step };
        });
        const { layout: view, start } = sliceModes(l, key);
        let expected: number[][] = [[]];
        for (const at of selected.reverse()) expected = expected.flatMap((rest) => at.map((c) => [c, ...rest]));
        expected.sort((x, y) => x.reduceRight((order, c, k) => order || c - y[k]!, 0));
        expect(enumerate(view).map((index) => start + index)).toEqual(expected.map((c) => indexOf(l, c)));
      }),
      { numRuns: 300 },
    );
  });
});
