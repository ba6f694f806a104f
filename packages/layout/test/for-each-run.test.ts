import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  columnMajor,
  expandTo,
  extents,
  type Layout,
  layout,
  parseLayout,
  permuteAxes,
  rowMajor,
  strided,
} from "../src/index.js";
import { forEachRun, type WalkOptions } from "../src/walk.js";
import { enumerateRowMajor, layouts, refusal } from "./support.js";

interface Run {
  readonly starts: number[];
  readonly steps: number[];
  readonly count: number;
}

const ROW_MAJOR = { order: "rowMajor" } as const;

function runsOf(all: readonly Layout[], options?: WalkOptions): Run[] {
  const out: Run[] = [];
  forEachRun(
    all,
    (starts, steps, count) => out.push({ starts: [...starts], steps: count > 1 ? [...steps] : [], count }),
    options,
  );
  return out;
}

/** The tuples of indices that the runs stand for. */
function visited(runs: readonly Run[]): number[][] {
  return runs.flatMap((run) =>
    Array.from({ length: run.count }, (_, i) => run.starts.map((start, k) => start + i * (run.steps[k] ?? 0))),
  );
}

/** The same in row-major order, straight from the definition. */
function tuples(all: readonly Layout[]): number[][] {
  const lists = all.map(enumerateRowMajor);
  return lists[0]!.map((_, i) => lists.map((list) => list[i]!));
}

/** Whether a list of tuples goes on by one step. */
function isProgression(list: readonly number[][]): boolean {
  return list.every(
    (at, i) => i < 2 || at.every((index, k) => index - list[i - 1]![k]! === list[1]![k]! - list[0]![k]!),
  );
}

function expectWalk(all: readonly Layout[], runs: readonly Run[], isRowMajor: boolean): void {
  const got = visited(runs);
  const expected = tuples(all);
  if (isRowMajor) expect(got).toEqual(expected);
  expect(got.map(String).sort()).toEqual(expected.map(String).sort());
  for (const run of runs) expect(run.count).toBeGreaterThan(0);
  for (let r = 1; r < runs.length; r++) expect(isProgression(visited(runs.slice(r - 1, r + 1)))).toBe(false);
}

/** A layout and others of the same axes, flat, equal, repeated or nested in another order. */
const partners = layouts({ minExtent: 0, maxExtent: 4, maxSize: 200 }).chain((l) => {
  const shape = extents(l);
  const steps = (count: number) => fc.array(fc.integer({ min: -9, max: 9 }), { minLength: count, maxLength: count });
  const other = fc.oneof(
    steps(shape.length).map((s) => strided(shape, s)),
    fc.constant(rowMajor(shape)),
    fc.constant(columnMajor(l.shape)),
    fc.constant(expandTo(layout([]), shape).layout),
    fc.constant(renested(l)),
  );
  return fc.tuple(fc.constant(l), fc.array(other, { maxLength: 3 })).map(([first, rest]) => [first, ...rest]);
});

/** A layout of the same axes whose nested modes stand in reverse. */
function renested(l: Layout): Layout {
  const reversed = <T>(tree: readonly T[]): T[] => [...tree].reverse();
  return layout(
    l.shape.map((mode) => (typeof mode === "number" ? mode : reversed(mode))),
    l.stride.map((mode) => (typeof mode === "number" ? mode + 1 : reversed(mode))),
  );
}

describe("forEachRun", () => {
  test("law: in row-major order, the sequence of tuples of indices by the longest runs", () => {
    fc.assert(
      fc.property(partners, (all) => expectWalk(all, runsOf(all, ROW_MAJOR), true)),
      { numRuns: 1000 },
    );
  });

  test("law: in the fastest order, the same tuples, each as often, by the longest runs", () => {
    fc.assert(
      fc.property(partners, (all) => expectWalk(all, runsOf(all), false)),
      { numRuns: 1000 },
    );
  });

  test("law: one layout of small strides, where runs meet", () => {
    fc.assert(
      fc.property(
        layouts({ minExtent: 1, maxExtent: 3, minStride: -3, maxStride: 9 }),
        fc.boolean(),
        (l, isRowMajor) => {
          expectWalk([l], runsOf([l], isRowMajor ? ROW_MAJOR : {}), isRowMajor);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test("loops that continue each other in every layout are one run", () => {
    expect(runsOf([rowMajor([4, 6]), strided([4, 6], [-6, -1])])).toEqual([
      { starts: [0, 0], steps: [1, -1], count: 24 },
    ]);
    expect(runsOf([rowMajor([2, 3, 4]), strided([2, 3, 4], [0, 4, 1])], ROW_MAJOR)).toEqual([
      { starts: [0, 0], steps: [1, 1], count: 12 },
      { starts: [12, 0], steps: [1, 1], count: 12 },
    ]);
  });

  test("the fastest order takes a transposed matrix in one run, row-major takes it row by row", () => {
    const transposed = permuteAxes(rowMajor([3, 2]), [1, 0]).layout;
    expect(runsOf([transposed])).toEqual([{ starts: [0], steps: [1], count: 6 }]);
    expect(runsOf([transposed], ROW_MAJOR)).toEqual([
      { starts: [0], steps: [2], count: 3 },
      { starts: [1], steps: [2], count: 3 },
    ]);
  });

  test("the fastest order is that of the first layout", () => {
    const transposed = permuteAxes(rowMajor([3, 2]), [1, 0]).layout;
    const copy = runsOf([rowMajor([2, 3]), transposed]);
    expect(copy.map((run) => run.steps)).toEqual([
      [1, 2],
      [1, 2],
    ]);
    expect(runsOf([transposed, rowMajor([2, 3])])[0]).toEqual({ starts: [0, 0], steps: [1, 3], count: 2 });
  });

  test("nests without a common refinement are walked all the same, row-major", () => {
    const all = [parseLayout("((2,3)):((1,10))"), parseLayout("((3,2)):((1,10))")];
    expect(runsOf(all)).toEqual([
      { starts: [0, 0], steps: [1, 1], count: 2 },
      { starts: [10, 2], steps: [1, 8], count: 2 },
      { starts: [20, 11], steps: [1, 1], count: 2 },
    ]);
    expect(runsOf(all)).toEqual(runsOf(all, ROW_MAJOR));
    expect(runsOf([parseLayout("(5,(2,3)):(60,(1,10))"), parseLayout("(5,(3,2)):(60,(1,10))")])).toHaveLength(15);
  });

  test("where the step of an outer loop happens to continue, the run goes on", () => {
    // 0 1 5 6 7 8 12 13: no two loops merge, yet 5 to 8 are one run.
    const l = strided([2, 2, 2], [7, 5, 1]);
    expect(runsOf([l], ROW_MAJOR).map((run) => [run.starts[0], run.count])).toEqual([
      [0, 2],
      [5, 4],
      [12, 2],
    ]);
  });

  test("rank 0 and extents of 1 are one run of one element", () => {
    expect(runsOf([layout([])])).toEqual([{ starts: [0], steps: [], count: 1 }]);
    expect(runsOf([layout([1, [1, 1]], [5, [6, 7]]), layout([1, 1])], ROW_MAJOR)).toEqual([
      { starts: [0, 0], steps: [], count: 1 },
    ]);
  });

  test("nothing to walk: an empty layout, no layout", () => {
    for (const options of [{}, ROW_MAJOR]) {
      expect(runsOf([layout([3, 0, 2])], options)).toEqual([]);
      expect(runsOf([layout([[2, 0], 3]), strided([0, 3], [7, 7])], options)).toEqual([]);
      expect(runsOf([], options)).toEqual([]);
    }
  });

  test("repeated and reversed axes", () => {
    expect(runsOf([strided([3, 2], [0, -1])], ROW_MAJOR)).toEqual([
      { starts: [0], steps: [-1], count: 2 },
      { starts: [0], steps: [-1], count: 2 },
      { starts: [0], steps: [-1], count: 2 },
    ]);
    expect(runsOf([strided([3, 2], [0, 0])])).toEqual([{ starts: [0], steps: [0], count: 6 }]);
  });

  test("field case 3: indices at both ends of the safe integers", () => {
    const far = 2 ** 53 - 2;
    expect(runsOf([strided([2, 1], [far, 1]), strided([2, 1], [-far, 1])])).toEqual([
      { starts: [0, 0], steps: [far, -far], count: 2 },
    ]);
    const l = strided([2, 2], [far - 1, 1]);
    expect(visited(runsOf([l], ROW_MAJOR)).flat()).toEqual([0, 1, far - 1, far]);
    const nests = [parseLayout(`((2,3)):((1,${2 ** 52 - 2}))`), parseLayout(`((3,2)):((${2 ** 51},1))`)];
    expect(visited(runsOf(nests))).toEqual(tuples(nests));
  });

  test("an axis may have more leaves than a call takes arguments", () => {
    const wide = new Array<number>(200_000).fill(1);
    const l = layout([[...wide, 3]], [[...wide, 2]]);
    expect(runsOf([l, rowMajor([3])])).toEqual([{ starts: [0, 0], steps: [2, 1], count: 3 }]);
  });

  test("walks may be nested, and what the visitor throws reaches the caller", () => {
    let pairs = 0;
    forEachRun([rowMajor([2, 3])], (_, __, count) => {
      forEachRun([strided([2, 3], [1, 5])], (_s, _t, inner) => {
        pairs += count * inner;
      });
    });
    expect(pairs).toBe(36);
    const stop = new Error("enough");
    expect(() =>
      forEachRun([rowMajor([2])], () => {
        throw stop;
      }),
    ).toThrow(stop);
  });

  test("the visitor is handed the same lists each time", () => {
    const lists = new Set<unknown>();
    forEachRun([strided([4, 2], [9, 1])], (starts, steps) => lists.add(starts).add(steps));
    expect(lists.size).toBe(2);
  });

  test("layouts of different axes are refused with both, whatever their nests and sizes", () => {
    const a = rowMajor([2, 3]);
    const b = rowMajor([3, 2]);
    const error = refusal("SW_LAYOUT_SHAPES_DIFFER", () => runsOf([a, b]));
    expect(error).toMatchObject({ layout: a, other: b, operation: "forEachRun" });
    for (const [x, y] of [
      ["(0,3):(1,1)", "(3,0):(1,1)"],
      ["((2,3),4):((1,10),1)", "((3,2),5):((1,10),1)"],
      ["():()", "(1):(0)"],
    ]) {
      refusal("SW_LAYOUT_SHAPES_DIFFER", () => runsOf([parseLayout(x!), parseLayout(y!)]));
    }
  });

  test("wrong types are TypeErrors before anything is visited", () => {
    const l = rowMajor([2]);
    let calls = 0;
    const visit = (): void => {
      calls++;
    };
    for (const wrong of [l, undefined, null, [undefined], [l, [2]], new Array(1), "l"]) {
      expect(() => forEachRun(wrong as never, visit)).toThrow(TypeError);
    }
    for (const wrong of [undefined, null, {}]) expect(() => forEachRun([l], wrong as never)).toThrow(TypeError);
    for (const wrong of [null, 1, { order: "row-major" }, { order: 1 }]) {
      expect(() => forEachRun([l], visit, wrong as never)).toThrow(TypeError);
    }
    expect(() => forEachRun([l], visit, { order: "slowest" } as never)).toThrow(
      'forEachRun: order is unknown: got "slowest", expected "fastest" or "rowMajor".',
    );
    expect(calls).toBe(0);
  });
});
