import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Layout, layout, parseLayout, reshapeRowMajor, rowMajor, strided } from "../src/index.js";
import { reshapeAxes, reshapeModes } from "../src/views.js";
import { cases, enumerate, enumerateRowMajor, layouts, refusal, type Tree } from "./support.js";
import { expectViews } from "./view-vectors.js";

describe("reshapeModes", () => {
  test("VA-51 every vector", async () => {
    // A plain list is how a shape is given here; the source of the vectors has a class for it.
    const run = (l: Layout, c: { readonly [field: string]: unknown }) => reshapeModes(l, c["target"] as Tree[]);
    const plain = (await cases<{ raw?: boolean; target: unknown }>("views/reshape")).findIndex(
      (c) => c.raw === true && Array.isArray(c.target),
    );
    await expectViews("reshape", 201, run, [plain]);
  });

  test("VA-51 why there is no view: the steps change", () => {
    const error = refusal("SW_LAYOUT_NO_VIEW", () => reshapeModes(layout([2, 3], [3, 1]), [6]));
    expect(error).toMatchObject({ value: 1, otherShape: [6], operation: "reshapeModes" });
    expect(error.message).toBe(
      "reshapeModes: only a copy has this shape, since its ordinals step by 3 only to ordinal 1: got stride 1, expected 6 (layout (2,3):(3,1), shape [6]).",
    );
  });

  test("VA-51 D3 backwards steps are refused, empty layouts are compact in any shape", () => {
    expect(refusal("SW_LAYOUT_NO_VIEW", () => reshapeModes(layout([4], [-1]), [2, 2])).value).toBe(-1);
    expect(String(reshapeModes(layout([0, 3], [7, 9]), [2, [0, 5]]).layout)).toBe("(2,(0,5)):(1,(2,0))");
    expect(String(reshapeModes(layout([4, 2], [0, 0]), [8]).layout)).toBe("(8):(0)");
    expect(String(reshapeModes(layout([]), [1, [1]]).layout)).toBe("(1,(1)):(0,(0))");
  });

  test("wrong input: sizes that differ, and what is no shape", () => {
    expect(refusal("SW_LAYOUT_RESHAPE", () => reshapeModes(layout([2, 3]), [7]))).toMatchObject({ value: 6 });
    refusal("SW_LAYOUT_EXTENT", () => reshapeModes(layout([2, 3]), [-1]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => reshapeModes(layout([2]), [2 ** 30, 2 ** 30]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => reshapeModes(layout([2], [2 ** 52]), [2, 1]));
    for (const shape of [6, null, "6", [0.5], [["6"]]]) {
      expect(() => reshapeModes(layout([2, 3]), shape as never)).toThrow(TypeError);
    }
    expect(() => reshapeModes(undefined as never, [6])).toThrow(TypeError);
  });

  test("VA-51 law: a view in the same order exactly when the steps are even", () => {
    const sources = fc.oneof(
      layouts({ minStride: -2, maxStride: 8, maxSize: 60 }),
      layouts({ maxSize: 60 }).map((l) => layout(l.shape)),
    );
    const shapes = fc.constantFrom<(size: number) => Tree[]>(
      (size) => [size],
      (size) => [1, [size]],
      (size) => (size % 2 === 0 ? [2, [size / 2, 1]] : [[size, 1]]),
      (size) => (size % 3 === 0 ? [[size / 3], 3] : [size, 1]),
    );
    fc.assert(
      fc.property(sources, shapes, (l, shape) => {
        const indices = enumerate(l);
        const step = (indices[1] ?? 0) - (indices[0] ?? 0);
        const isEven = step >= 0 && indices.every((index, i) => index === i * step);
        if (!isEven) {
          refusal("SW_LAYOUT_NO_VIEW", () => reshapeModes(l, shape(l.size)));
        } else {
          const { layout: view, start } = reshapeModes(l, shape(l.size));
          expect([view.shape, start, enumerate(view)]).toEqual([shape(l.size), 0, indices]);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe("reshapeAxes", () => {
  test("VA-103 every vector, with the reason of a refusal", async () => {
    interface Case {
      readonly shape: number[];
      readonly strides: number[];
      readonly to: number[];
      readonly viewable: boolean;
    }
    const all = await cases<Case>("numeric/reshape_view");
    let refused = 0;
    for (const c of all) {
      const source = strided(c.shape, c.strides);
      if (c.viewable) expect(String(reshapeAxes(source, c.to).layout)).toBe(String(reshapeRowMajor(source, c.to)));
      else {
        const error = refusal("SW_LAYOUT_NO_VIEW", () => reshapeAxes(source, c.to));
        expect(c.to[error.axis!]).toBeGreaterThan(1);
        expect(c.strides).toContain(error.value);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(30);
  });

  test("VA-103 why there is no view: an axis joins what is apart", () => {
    const error = refusal("SW_LAYOUT_NO_VIEW", () => reshapeAxes(strided([2, 3, 4], [1, 8, 2]), [3, 8]));
    expect(error).toMatchObject({ operation: "reshapeAxes", axis: 0, value: 1, otherShape: [3, 8] });
    expect(error.message).toBe(
      "reshapeAxes: only a copy has this shape, since axis 0 of it joins what is apart: got stride 1, expected 24 (layout (2,3,4):(1,8,2), shape [3,8]).",
    );
  });

  test("VA-103 law: it refuses what reshapeRowMajor leaves to a copy, and names an axis that cannot be", () => {
    const sources = layouts({ minExtent: 1, maxExtent: 4, minStride: -4, maxStride: 8, maxSize: 48 });
    fc.assert(
      fc.property(sources, fc.integer({ min: 1, max: 6 }), (l, first) => {
        const shape = l.size % first === 0 ? [first, l.size / first] : [l.size];
        const expected = reshapeRowMajor(l, shape);
        if (expected !== undefined) {
          const { layout: view, start } = reshapeAxes(l, shape);
          expect([String(view), start]).toEqual([String(expected), 0]);
          expect(enumerateRowMajor(view)).toEqual(enumerateRowMajor(l));
          return;
        }
        const { axis } = refusal("SW_LAYOUT_NO_VIEW", () => reshapeAxes(l, shape));
        // Along that axis the indices do not step evenly, wherever the axes before it stand.
        const inner = shape.slice(axis! + 1).reduce((a, b) => a * b, 1);
        const extent = shape[axis!]!;
        const indices = enumerateRowMajor(l);
        const isUneven = indices.some((index, i) => {
          const place = Math.floor(i / inner) % extent;
          const step = indices[inner]! - indices[0]!;
          return place > 0 && index - indices[i - inner]! !== step;
        });
        expect(isUneven).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("the rest is as reshapeRowMajor", () => {
    expect(String(reshapeAxes(rowMajor([4, 6]), [8, 3]).layout)).toBe("(8,3):(3,1)");
    expect(String(reshapeAxes(strided([0, 6], [1, 1]), [3, 0]).layout)).toBe("(3,0):(0,1)");
    expect(refusal("SW_LAYOUT_RESHAPE", () => reshapeAxes(rowMajor([4]), [5])).operation).toBe("reshapeAxes");
    expect(String(reshapeAxes(parseLayout("((2,2),3):((1,2),4)"), [4, 3]).layout)).toBe("(4,3):(1,4)");
    refusal("SW_LAYOUT_EXTENT", () => reshapeAxes(rowMajor([4]), [-1]));
    for (const shape of [4, null, "4", [4.5], [[4]]]) {
      expect(() => reshapeAxes(rowMajor([4]), shape as never)).toThrow(TypeError);
    }
    expect(() => reshapeAxes("x" as never, [5])).toThrow(TypeError);
  });
});
