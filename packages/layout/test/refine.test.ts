import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  columnMajor,
  expandTo,
  extents,
  type Layout,
  type Loops,
  layout,
  parseLayout,
  permuteAxes,
  refine,
  rowMajor,
  strided,
} from "../src/index.js";
import { enumerateRowMajor, flat, layouts, refusal } from "./support.js";

/** The tuples of indices that the loops visit, in no order. */
function visited(loops: Loops): string[] {
  let out = [loops.strides.map(() => 0)];
  for (let d = loops.extents.length - 1; d >= 0; d--) {
    const next: number[][] = [];
    for (let i = 0; i < loops.extents[d]!; i++) {
      for (const at of out) next.push(at.map((index, k) => index + i * loops.strides[k]![d]!));
    }
    out = next;
  }
  return out.map(String).sort();
}

/** The same from the layouts. */
function tuples(all: readonly Layout[]): string[] {
  const lists = all.map(enumerateRowMajor);
  return lists[0]!.map((_, i) => String(lists.map((list) => list[i]!))).sort();
}

describe("refine", () => {
  test("neighbours that continue each other in every layout become one loop", () => {
    expect(refine([rowMajor([4, 6]), rowMajor([4, 6])])).toEqual({ extents: [24], strides: [[1], [1]] });
    expect(refine([rowMajor([2, 3, 4]), strided([2, 3, 4], [0, 4, 1])])).toEqual({
      extents: [2, 12],
      strides: [
        [12, 1],
        [0, 1],
      ],
    });
    expect(refine([strided([4, 6], [-6, -1]), rowMajor([4, 6])])).toEqual({ extents: [24], strides: [[-1], [1]] });
  });

  test("the first layout orders the loops, outermost its largest stride", () => {
    const transposed = permuteAxes(rowMajor([4, 6]), [1, 0]).layout;
    expect(refine([transposed, rowMajor([6, 4])])).toEqual({
      extents: [4, 6],
      strides: [
        [6, 1],
        [1, 4],
      ],
    });
    expect(refine([transposed, transposed])).toEqual({ extents: [24], strides: [[1], [1]] });
  });

  test("ties are broken by the next layout, then stay row-major", () => {
    expect(refine([strided([2, 3], [0, 0]), strided([2, 3], [1, 2])])).toEqual({ extents: [6], strides: [[0], [1]] });
    expect(refine([strided([2, 3], [1, -1]), strided([2, 3], [5, -5])])).toEqual({
      extents: [2, 3],
      strides: [
        [1, -1],
        [5, -5],
      ],
    });
  });

  test("a reduction: loops that the output repeats come innermost", () => {
    const output = strided([4, 6, 5], [5, 0, 1]);
    expect(refine([output, rowMajor([4, 6, 5])])).toEqual({
      extents: [4, 5, 6],
      strides: [
        [5, 1, 0],
        [30, 1, 5],
      ],
    });
  });

  test("extents of 1 go; rank 0 has no loop", () => {
    expect(refine([layout([]), layout([])])).toEqual({ extents: [], strides: [[], []] });
    expect(refine([strided([1, 1], [7, 9])])).toEqual({ extents: [], strides: [[]] });
    expect(refine([layout([[1, 1]]), layout([1])])).toEqual({ extents: [], strides: [[], []] });
    expect(refine([])).toEqual({ extents: [], strides: [] });
  });

  test("an extent of 0 stays a loop of its own, so that a sum over nothing still has its outputs", () => {
    expect(refine([strided([3, 0], [1, 0]), rowMajor([3, 0])])).toEqual({
      extents: [3, 0],
      strides: [
        [1, 0],
        [0, 1],
      ],
    });
    expect(refine([rowMajor([0, 2, 3])])).toEqual({ extents: [0, 6], strides: [[6, 1]] });
    expect(refine([strided([2, 0, 3], [0, 0, 0])])).toEqual({ extents: [2, 0, 3], strides: [[0, 0, 0]] });
    expect(refine([layout([[2, 0], 3], [[1, 2], 5]), rowMajor([0, 3])])?.extents).toEqual([3, 0]);
  });

  test("nested next to flat: the flat axis is split", () => {
    const nested = parseLayout("((2,3),4):((1,100),10)");
    expect(refine([nested, rowMajor([6, 4])])).toEqual({
      extents: [3, 4, 2],
      strides: [
        [100, 10, 1],
        [8, 1, 4],
      ],
    });
  });

  test("nests split to their common refinement", () => {
    const a = parseLayout("((4,6)):((1,100))");
    const b = parseLayout("((2,12)):((50,3))");
    expect(refine([a, b])).toEqual({
      extents: [6, 2, 2],
      strides: [
        [100, 2, 1],
        [6, 3, 50],
      ],
    });
  });

  test("(2,3) against (3,2) has no common refinement", () => {
    expect(refine([parseLayout("((2,3)):((1,10))"), parseLayout("((3,2)):((1,10))")])).toBeUndefined();
    expect(refine([parseLayout("(5,(2,3)):(60,(1,10))"), parseLayout("(5,(3,2)):(60,(1,10))")])).toBeUndefined();
  });

  test("a nest that is one progression counts as flat", () => {
    expect(refine([layout([[2, 3]]), layout([[3, 2]])])).toEqual({ extents: [6], strides: [[1], [1]] });
  });

  const likely = fc.oneof(
    layouts({ minExtent: 1, maxExtent: 4, maxSize: 200 }),
    layouts({ maxExtent: 3, minStride: 0, maxStride: 3, maxSize: 200 }),
    layouts({ minExtent: 1, maxExtent: 4, maxSize: 200 }).map((l) => rowMajor(l.shape)),
  );
  const partners = likely.chain((l) => {
    const shape = extents(l);
    const strides = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: shape.length, maxLength: shape.length });
    return fc.tuple(
      fc.constant(l),
      fc.oneof(
        strides.map((s) => strided(shape, s)),
        fc.constant(rowMajor(shape)),
        fc.constant(columnMajor(l.shape)),
        fc.constant(expandTo(layout([]), shape).layout),
      ),
    );
  });

  test("law: the loops visit the same tuples of indices, in falling order of stride, fully merged", () => {
    fc.assert(
      fc.property(partners, fc.boolean(), (pair, swapped) => {
        const all = swapped ? [pair[1], pair[0], pair[1]] : [...pair];
        const loops = refine(all)!;
        expect(visited(loops)).toEqual(tuples(all));
        const first = loops.strides[0]!.map(Math.abs);
        expect(first).toEqual([...first].sort((a, b) => b - a));
        for (const list of loops.strides) expect(list.length).toBe(loops.extents.length);
        expect(loops.extents).not.toContain(1);
        for (let d = 1; d < loops.extents.length; d++) {
          const merges = loops.strides.every((s) => s[d - 1] === s[d]! * loops.extents[d]!);
          expect(merges && loops.extents[d] !== 0 && loops.extents[d - 1] !== 0).toBe(false);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("law: two random nests of one axis are refined exactly, or have no refinement", () => {
    const nest = fc.array(fc.constantFrom(1, 2, 3, 4), { minLength: 1, maxLength: 4 });
    const stride = fc.array(fc.integer({ min: -9, max: 9 }), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(nest, fc.nat(), stride, stride, (a, seed, da, db) => {
        const b = [...a].sort((x, y) => ((x * 5 + seed) % 7) - ((y * 5 + seed) % 7));
        const all = [layout([a], [da.slice(0, a.length)]), layout([b], [db.slice(0, b.length)])];
        const loops = refine(all);
        if (loops === undefined) expect(a).not.toEqual(b);
        else expect(visited(loops)).toEqual(tuples(all));
      }),
      { numRuns: 500 },
    );
  });

  test("layouts are not touched", () => {
    const nested = parseLayout("((2,3),4):((1,100),10)");
    refine([nested, rowMajor([6, 4])]);
    expect(String(nested)).toBe("((2,3),4):((1,100),10)");
    expect(flat(nested.stride)).toEqual([1, 100, 10]);
  });

  test("layouts of different axes are refused with both", () => {
    const a = rowMajor([2, 3]);
    const b = rowMajor([2, 4]);
    const error = refusal("SW_LAYOUT_SHAPES_DIFFER", () => refine([a, b]));
    expect(error).toMatchObject({ layout: a, other: b });
    expect(error.message).toBe(
      "refine: the axes of two layouts differ: got (2,3):(3,1) and (2,4):(4,1), expected equal extents on every axis. Expand one of them first.",
    );
    for (const other of ["(2):(1)", "(2,3,1):(3,1,1)", "(2,(2,2)):(4,(1,2))", "():()"]) {
      refusal("SW_LAYOUT_SHAPES_DIFFER", () => refine([a, parseLayout(other)]));
      refusal("SW_LAYOUT_SHAPES_DIFFER", () => refine([parseLayout(other), a]));
    }
    refusal("SW_LAYOUT_SHAPES_DIFFER", () => refine([parseLayout("((2,2)):((1,2))"), rowMajor([4, 1])]));
    refusal("SW_LAYOUT_SHAPES_DIFFER", () => refine([parseLayout("((2,2)):((1,2))"), rowMajor([5])]));
    // Also where an axis before has no common refinement.
    const nests = [parseLayout("((2,3),4):((1,10),1)"), parseLayout("((3,2),5):((1,10),1)")];
    refusal("SW_LAYOUT_SHAPES_DIFFER", () => refine(nests));
  });

  test("D5 wrong input: what is not a list of layouts", () => {
    for (const wrong of [undefined, null, 3, "ab", {}, [1], [undefined], [{ shape: [2], stride: [1] }]]) {
      expect(() => refine(wrong as never)).toThrow(TypeError);
    }
  });

  test("a hundred thousand extents of 0 are not sorted: such a nest is never walked", () => {
    const shape = Array.from({ length: 100_000 }, () => 0);
    const l = strided(
      shape,
      shape.map((_, i) => i),
    );
    expect(refine([l])?.extents.length).toBe(100_000);
  });
});
