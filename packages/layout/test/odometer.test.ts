import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { columnMajor, layout, parseLayout, rowMajor, strided } from "../src/index.js";
import { type Odometer, odometer } from "../src/walk.js";
import { enumerateRowMajor, layouts, refusal } from "./support.js";

const ROW_MAJOR = { order: "rowMajor" } as const;

/** The tuples of indices from where an odometer is. */
function rest(walk: Odometer): number[][] {
  const out: number[][] = [];
  while (walk.next()) {
    expect([walk.index, walk.count]).toEqual([walk.indices[0], 1]);
    out.push([...walk.indices]);
  }
  return out;
}

describe("odometer", () => {
  test("law: every element of several layouts, row-major", () => {
    fc.assert(
      fc.property(layouts({ maxSize: 300 }), (l) => {
        const all = [l, columnMajor(l.shape)];
        const [a, b] = all.map(enumerateRowMajor);
        expect(rest(odometer(all, ROW_MAJOR))).toEqual(a!.map((index, i) => [index, b![i]!]));
        expect(rest(odometer(all)).map(String).sort()).toEqual(a!.map((index, i) => `${index},${b![i]!}`).sort());
      }),
      { numRuns: 500 },
    );
  });

  test("law: it may be left and taken up again, by elements and by runs", () => {
    const taken = fc.array(fc.boolean(), { minLength: 1 });
    fc.assert(
      fc.property(layouts({ maxSize: 300 }), taken, (l, pattern) => {
        const walk = odometer([l], ROW_MAJOR);
        const got: number[] = [];
        for (let i = 0; pattern[i % pattern.length] ? walk.next() : walk.nextRun(); i++) {
          for (let j = 0; j < walk.count; j++) got.push(walk.index + (j === 0 ? 0 : j * walk.steps[0]!));
        }
        expect(got).toEqual(enumerateRowMajor(l));
      }),
      { numRuns: 500 },
    );
  });

  test("a run that was begun by elements is taken from where it is", () => {
    const walk = odometer([strided([2, 5], [10, 1])], ROW_MAJOR);
    walk.next();
    walk.next();
    expect([walk.nextRun(), walk.index, walk.count, walk.steps]).toEqual([true, 2, 3, [1]]);
    expect([walk.nextRun(), walk.index, walk.count]).toEqual([true, 10, 5]);
    expect([walk.nextRun(), walk.next(), walk.count]).toEqual([false, false, 0]);
  });

  test("it begins before the first element, ends after the last, and starts over", () => {
    for (const all of [
      [strided([2, 2], [0, -1])],
      [rowMajor([2, 2]), strided([2, 2], [0, 3])],
      [parseLayout("((2,3)):((1,10))"), parseLayout("((3,2)):((1,10))")], // each with its own counters
      [strided([2, 2, 2], [7, 5, 1])], // with runs that are joined
      [layout([])],
    ]) {
      const walk = odometer(all, ROW_MAJOR);
      expect(walk.count).toBe(0);
      const first = rest(walk);
      expect(first).toHaveLength(all[0]!.size);
      expect([walk.next(), walk.nextRun(), walk.next(), walk.count]).toEqual([false, false, false, 0]);
      walk.reset();
      expect(walk.count).toBe(0);
      walk.next();
      walk.reset(); // from within
      expect(rest(walk)).toEqual(first);
      walk.reset();
      walk.nextRun();
      walk.reset(); // from within a run taken whole
      expect(rest(walk)).toEqual(first);
    }
  });

  test("of an empty layout or an empty list there is no element, before and after a reset", () => {
    for (const all of [[layout([3, 0])], [layout([[2, 0], 3]), rowMajor([0, 3])], []]) {
      const walk = odometer(all);
      expect([walk.next(), walk.nextRun(), walk.index, walk.count]).toEqual([false, false, 0, 0]);
      walk.reset();
      expect(walk.next()).toBe(false);
    }
  });

  test("it walks only as far as its owner does", () => {
    const walk = odometer([strided([2 ** 26, 2 ** 26], [1, 2 ** 26])], ROW_MAJOR);
    const first: number[] = [];
    for (let i = 0; i < 3 && walk.next(); i++) first.push(walk.index);
    expect(first).toEqual([0, 2 ** 26, 2 ** 27]);
  });

  test("wrong input names the operation", () => {
    expect(refusal("SW_LAYOUT_SHAPES_DIFFER", () => odometer([rowMajor([2]), rowMajor([3])])).operation).toBe(
      "odometer",
    );
    for (const wrong of [rowMajor([2]), [2], null]) expect(() => odometer(wrong as never)).toThrow(TypeError);
    expect(() => odometer([], { order: "reverse" } as never)).toThrow(TypeError);
  });
});
