import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { blocked, boxParts, extents, indexOf, type Layout, layout, leaves, refine, rowMajor } from "../src/index.js";
import { layouts, refusal } from "./support.js";

/** All coordinates of a box, the last axis fastest. */
function coordinates(box: readonly number[]): number[][] {
  return box.reduce<number[][]>(
    (all, extent) => all.flatMap((c) => Array.from({ length: extent }, (_, i) => [...c, i])),
    [[]],
  );
}

describe("boxParts", () => {
  test("a padded channel block is its whole blocks and the lanes that are left", () => {
    const parts = [...boxParts(blocked([6, 2], 0, 4), [6, 2])];
    expect(parts.map((p) => [p.start, p.extents, String(p.layout), p.offset])).toEqual([
      [[0, 0], [4, 2], "(4,2):(1,4)", 0],
      [[4, 0], [2, 2], "(2,2):(1,4)", 8],
    ]);
  });

  test("a whole box is one part, with the nest kept", () => {
    const l = layout([[2, 3], 4], [[1, 8], 2]);
    expect([...boxParts(l, [6, 4])].map((p) => String(p.layout))).toEqual(["((2,3),4):((1,8),2)"]);
    expect([...boxParts(rowMajor([]), [])]).toHaveLength(1);
  });

  test("digits cut a nest slowest leaf first; leaves that continue each other are cut as one", () => {
    const cut = (l: Layout, box: number[]): unknown[] =>
      [...boxParts(l, box)].map((p) => [p.start, String(p.layout), p.offset]);
    expect(cut(layout([[2, 3, 4]], [[1, 10, 100]]), [23])).toEqual([
      [[0], "((2,3,3)):((1,10,100))", 0],
      [[18], "((2,2)):((1,10))", 300],
      [[22], "(1):(1)", 320],
    ]);
    expect(cut(layout([[2, 3]], [[1, 2]]), [5])).toEqual([[[0], "(5):(1)", 0]]);
  });

  test("parts are made one by one: two of each of 20 axes are a million", () => {
    const axes = [...Array(20).keys()];
    const l = layout(
      axes.map(() => [2, 2]),
      axes.map((k) => [2 ** k * 4, 2 ** k]),
    );
    for (const part of boxParts(
      l,
      axes.map(() => 3),
    )) {
      expect(part.offset).toBe(0);
      break;
    }
  });

  test("an empty box has no parts", () => {
    expect([...boxParts(rowMajor([3, 4]), [0, 4])]).toEqual([]);
    expect([...boxParts(rowMajor([0, 4]), [0, 2])]).toEqual([]);
  });

  test("law: the parts are disjoint, cover the box, and lie where the layout has them", () => {
    fc.assert(
      fc.property(layouts({ maxSize: 300 }), fc.array(fc.nat(12), { minLength: 6, maxLength: 6 }), (l, cuts) => {
        const box = extents(l).map((extent, axis) => Math.min(extent, cuts[axis % 6]!));
        const seen = new Map<string, number>();
        let count = 0;
        for (const part of boxParts(l, box)) {
          count += 1;
          expect(extents(part.layout)).toEqual(part.extents);
          expect(refine([part.layout])).toBeDefined();
          for (const inner of coordinates(part.extents)) {
            const key = String(inner.map((i, axis) => i + part.start[axis]!));
            expect(seen.has(key)).toBe(false);
            seen.set(key, part.offset + indexOf(part.layout, inner));
          }
        }
        const all = coordinates(box);
        expect(seen.size).toBe(all.length);
        for (const c of all) expect(seen.get(String(c))).toBe(indexOf(l, c));
        // At most one plain piece per leaf of each axis.
        const bound = l.shape.reduce<number>((n, mode) => n * (typeof mode === "number" ? 1 : leaves(mode).length), 1);
        expect(count).toBeLessThanOrEqual(bound);
      }),
      { numRuns: 300 },
    );
  });

  test("wrong boxes are refused before anything is cut", () => {
    const l = rowMajor([2, 3]);
    expect(refusal("SW_LAYOUT_BOX", () => boxParts(l, [2])).layout).toBe(l);
    expect(refusal("SW_LAYOUT_BOX", () => boxParts(l, [2, 4]))).toMatchObject({ axis: 1, value: 4 });
    expect(refusal("SW_LAYOUT_BOX", () => boxParts(l, [-1, 3]))).toMatchObject({ axis: 0, value: -1 });
    for (const box of [undefined, [1.5, 2], ["1", 2]]) expect(() => boxParts(l, box as never)).toThrow(TypeError);
    expect(() => boxParts({} as never, [1])).toThrow(TypeError);
  });
});
