import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  expandTo,
  extents,
  flipAxis,
  isContiguous,
  type Layout,
  type LayoutView,
  type Located,
  layout,
  parseLayout,
  permute,
  permuteAxes,
  reshapeRowMajor,
  rowMajor,
  selectAxis,
  sliceAxis,
  squeezeAxis,
  strided,
  unsqueezeAxis,
} from "../src/index.js";
import { rowMajorIndices } from "../src/walk.js";
import { cases, flatLayouts, fromVector, layouts, normalForm, refusal, type Tree } from "./support.js";

type Step = readonly [string, ...unknown[]];

function apply(l: Layout, [name, ...rest]: Step): Located {
  const [a, b, c, d] = rest as number[];
  if (name === "permute") return permuteAxes(l, rest[0] as number[]);
  if (name === "slice") return sliceAxis(l, a!, b!, c!, d);
  if (name === "select") return selectAxis(l, a!, b!);
  if (name === "flip") return flipAxis(l, a!);
  if (name === "unsqueeze") return unsqueezeAxis(l, a!);
  if (name === "squeeze") return squeezeAxis(l, a!);
  if (name === "expand") return expandTo(l, rest[0] as number[]);
  return { layout: reshapeRowMajor(l, rest[0] as number[])!, start: 0 };
}

/** What a view shows: one index of the source per element, row-major. */
function shown(view: Located): number[] {
  return [...rowMajorIndices(view.layout)].map((index) => view.start + index);
}

/** A row-major array of the same elements, for the model. */
interface Model {
  readonly shape: readonly number[];
  readonly data: readonly number[];
}

function modelOf(l: Layout): Model {
  return { shape: extents(l), data: [...rowMajorIndices(l)] };
}

/** Builds the model of a view by asking, for each of its coordinates, which coordinate of the source it is. */
function pick(source: Model, shape: readonly number[], from: (c: number[]) => number[]): number[] {
  const out: number[] = [];
  const size = shape.reduce((a, b) => a * b, 1);
  for (let ordinal = 0; ordinal < size; ordinal++) {
    const c: number[] = [];
    let rest = ordinal;
    for (let axis = shape.length - 1; axis >= 0; axis--) {
      c.unshift(rest % shape[axis]!);
      rest = Math.floor(rest / shape[axis]!);
    }
    out.push(source.data[from(c).reduce((at, x, axis) => at * source.shape[axis]! + x, 0)]!);
  }
  return out;
}

describe("the shared vectors", () => {
  interface ViewCase {
    readonly x: { s: number[]; d: number[] };
    readonly steps: readonly Step[];
    readonly shape: number[];
    readonly strides: number[];
    readonly offset: number;
    readonly contiguous: boolean;
    readonly out: number[];
  }

  test("OneModel section 4: chains of views", async () => {
    for (const c of await cases<ViewCase>("numeric/strided_views")) {
      let view: Located = { layout: rowMajor(c.x.s), start: 0 };
      for (const step of c.steps) {
        const next = apply(view.layout, step);
        view = { layout: next.layout, start: view.start + next.start };
      }
      const label = JSON.stringify(c.steps);
      expect([view.layout.shape, view.layout.stride, view.start], label).toEqual([c.shape, c.strides, c.offset]);
      expect(isContiguous(view.layout), label).toBe(c.contiguous);
      expect(
        shown(view).map((index) => c.x.d[index]),
        label,
      ).toEqual(c.out);
    }
  });

  interface PermuteCase {
    readonly l: readonly [Tree, Tree];
    readonly order: number[];
    readonly raw?: boolean;
    readonly n1?: boolean;
    readonly sw: [Tree, Tree] | { err: string };
  }

  test("LA-48 permute", async () => {
    for (const c of await cases<PermuteCase>("layout/permute")) {
      if (c.raw === true && c.order.every((axis) => Number.isInteger(axis))) continue; // 1.0 and 1 are one number here
      const l = fromVector(c.l);
      if (!("err" in c.sw)) {
        const result = permute(l, c.order);
        const collapse = c.n1 === true;
        expect(normalForm(result.shape, result.stride, collapse)).toEqual(normalForm(...c.sw, collapse));
      } else if (c.sw.err === "TypeError") {
        expect(() => permute(l, c.order)).toThrow(TypeError);
      } else {
        expect(refusal("SW_LAYOUT_ORDER", () => permute(l, c.order))).toMatchObject({ otherShape: c.order, layout: l });
      }
    }
  });
});

describe("laws against a model of elements", () => {
  const sources = flatLayouts({ maxExtent: 5, maxSize: 300 });
  const picks = fc.array(fc.nat(), { minLength: 4, maxLength: 4 });

  test("permute, slice, select, flip, unsqueeze, squeeze and expand show the elements they promise", () => {
    fc.assert(
      fc.property(sources, picks, (l, [p, q, r, s]) => {
        const m = modelOf(l);
        const rank = l.rank;
        const at = p! % (rank + 1);
        expect(shown(unsqueezeAxis(l, at))).toEqual(m.data);
        expect(extents(unsqueezeAxis(l, at).layout)).toEqual([...m.shape.slice(0, at), 1, ...m.shape.slice(at)]);
        expect(shown(squeezeAxis(unsqueezeAxis(l, at).layout, at))).toEqual(m.data);
        const tall = expandTo(l, [2, ...m.shape]);
        expect(shown(tall)).toEqual([...m.data, ...m.data]);
        if (rank === 0) return;
        const axis = q! % rank;
        const extent = m.shape[axis]!;
        const order = [...m.shape.keys()].sort((a, b) => ((a * 7 + p!) % 5) - ((b * 7 + p!) % 5));
        const permuted = order.map((a) => m.shape[a]!);
        expect(shown(permuteAxes(l, order))).toEqual(
          pick(m, permuted, (c) => m.shape.map((_, a) => c[order.indexOf(a)]!)),
        );
        const start = r! % (extent + 1);
        const end = start + (s! % (extent - start + 1));
        const step = 1 + (p! % 3);
        const count = Math.ceil((end - start) / step);
        const sliced = m.shape.map((e, a) => (a === axis ? count : e));
        expect(shown(sliceAxis(l, axis, start, end, step))).toEqual(
          pick(m, sliced, (c) => c.map((x, a) => (a === axis ? start + x * step : x))),
        );
        expect(shown(flipAxis(l, axis))).toEqual(
          pick(m, m.shape, (c) => c.map((x, a) => (a === axis ? extent - 1 - x : x))),
        );
        if (extent === 0) return;
        const index = r! % extent;
        const selected = m.shape.filter((_, a) => a !== axis);
        expect(shown(selectAxis(l, axis, index))).toEqual(
          pick(m, selected, (c) => [...c.slice(0, axis), index, ...c.slice(axis)]),
        );
      }),
      { numRuns: 500 },
    );
  });

  test("nested axes take permute, select and whole slices", () => {
    fc.assert(
      fc.property(layouts({ minExtent: 1, maxExtent: 4, maxSize: 300 }), picks, (l, [p, q]) => {
        const m = modelOf(l);
        if (l.rank === 0) return;
        const axis = p! % l.rank;
        const index = q! % m.shape[axis]!;
        const selected = m.shape.filter((_, a) => a !== axis);
        expect(shown(selectAxis(l, axis, index))).toEqual(
          pick(m, selected, (c) => [...c.slice(0, axis), index, ...c.slice(axis)]),
        );
        const order = [...m.shape.keys()].reverse();
        expect(shown(permuteAxes(l, order))).toEqual(pick(m, [...m.shape].reverse(), (c) => [...c].reverse()));
        expect(sliceAxis(l, axis, 0, m.shape[axis]!).layout).toBe(l);
        expect(shown(unsqueezeAxis(l, axis))).toEqual(m.data);
        expect(shown(expandTo(l, [3, ...m.shape]))).toEqual([...m.data, ...m.data, ...m.data]);
      }),
      { numRuns: 300 },
    );
  });

  test("a view of a view is the view of the source: the starts add up", () => {
    const view: LayoutView = (source) => sliceAxis(source, 0, 1, 7, 2);
    const first = view(rowMajor([8, 3]));
    const second = flipAxis(first.layout, 0);
    expect(first.start + second.start).toBe(15);
    expect(shown({ layout: second.layout, start: first.start + second.start })).toEqual([
      15, 16, 17, 9, 10, 11, 3, 4, 5,
    ]);
  });
});

describe("what is shared and what is kept", () => {
  test("views that change nothing are the source", () => {
    const l = rowMajor([4, 6]);
    expect(permuteAxes(l, [0, 1]).layout).toBe(l);
    expect(sliceAxis(l, 1, 0, 6).layout).toBe(l);
    expect(expandTo(l, [4, 6]).layout).toBe(l);
  });

  test("lists that do not change are shared", () => {
    const l = rowMajor([4, 6]);
    expect(flipAxis(l, 0).layout.shape).toBe(l.shape);
    expect(sliceAxis(l, 0, 1, 3).layout.stride).toBe(l.stride);
    expect(sliceAxis(strided([1, 6], [6, 1]), 0, 0, 1, 3).layout.shape).toEqual([1, 6]);
  });

  test("no view carries a minus zero", () => {
    const l = strided([2, 3], [0, -1]);
    expect(flipAxis(l, 0).layout.stride).toEqual([0, -1]);
    expect(sliceAxis(l, 1, 0, 2).start).toBe(0);
    expect(selectAxis(l, 1, 0).start).toBe(0);
    expect(unsqueezeAxis(strided([0], [-1]), 0).layout.stride).toEqual([0, -1]);
    expect(unsqueezeAxis(strided([[0]], [[-1]]), 0).layout.stride).toEqual([0, [-1]]);
  });

  test("expand keeps a nested axis of equal extent, and adds leading axes", () => {
    const l = parseLayout("(1,(2,3)):(0,(1,2))");
    expect(String(expandTo(l, [5, 4, 6]).layout)).toBe("(5,4,(2,3)):(0,0,(1,2))");
    expect(String(expandTo(layout([]), [2, 0]).layout)).toBe("(2,0):(0,0)");
    expect(String(expandTo(rowMajor([3, 1]), [3, 0]).layout)).toBe("(3,0):(1,0)");
  });

  test("unsqueeze before a nested axis continues its slowest leaf", () => {
    expect(String(unsqueezeAxis(parseLayout("((2,3)):((1,2))"), 0).layout)).toBe("(1,(2,3)):(6,(1,2))");
  });

  test("select in a nested axis counts first leaf fastest", () => {
    expect(selectAxis(parseLayout("((2,3),4):((1,100),6)"), 0, 3).start).toBe(101);
  });
});

describe("wrong input", () => {
  const l = rowMajor([4, 6]);
  const nested = parseLayout("((2,2),6):((1,2),4)");

  test("slice bounds outside the axis are refused before anything happens", () => {
    const error = refusal("SW_LAYOUT_SLICE", () => sliceAxis(l, 1, 2, 9));
    expect(error).toMatchObject({ axis: 1, value: 9, layout: l, operation: "sliceAxis", shape: [4, 6] });
    expect(error.message).toBe(
      "sliceAxis: the slice is wrong: got start 2, end 9, step 1 on axis 1, expected 0 <= start <= end <= 6, step >= 1 (shape [4,6]).",
    );
    expect(refusal("SW_LAYOUT_SLICE", () => sliceAxis(l, 0, -1, 2))).toMatchObject({ axis: 0, value: -1 });
    expect(refusal("SW_LAYOUT_SLICE", () => sliceAxis(l, 0, 3, 2))).toMatchObject({ axis: 0, value: 3 });
    const backwards = refusal("SW_LAYOUT_SLICE", () => sliceAxis(l, 0, 0, 2, 0));
    expect(backwards).toMatchObject({ axis: 0, value: 0 });
    expect(backwards.message).toMatch(/, step >= 1 \(shape \[4,6\]\)\. To reverse an axis, flip it\.$/);
  });

  test("axes that do not exist", () => {
    const error = refusal("SW_LAYOUT_AXIS", () => selectAxis(l, 2, 0));
    expect(error).toMatchObject({ axis: 2, value: 2 });
    expect(error.message).toBe("selectAxis: axis does not exist: got axis 2, expected 0 to 1 (shape [4,6]).");
    for (const view of [
      () => sliceAxis(l, -1, 0, 1),
      () => flipAxis(l, 2),
      () => squeezeAxis(l, 5),
      () => unsqueezeAxis(l, 3),
      () => unsqueezeAxis(l, -1),
    ]) {
      refusal("SW_LAYOUT_AXIS", view);
    }
    expect(refusal("SW_LAYOUT_AXIS", () => flipAxis(layout([]), 0)).message).toBe(
      "flipAxis: axis does not exist: got axis 0, expected none (rank 0) (shape []).",
    );
  });

  test("select, squeeze and permute refuse with what was given", () => {
    expect(refusal("SW_LAYOUT_COORDINATE", () => selectAxis(l, 1, 6)).message).toBe(
      "selectAxis: index is outside axis 1: got index 6, expected 0 to 5 (shape [4,6]).",
    );
    refusal("SW_LAYOUT_COORDINATE", () => selectAxis(l, 1, -1));
    refusal("SW_LAYOUT_COORDINATE", () => selectAxis(nested, 0, 4));
    expect(refusal("SW_LAYOUT_SQUEEZE", () => squeezeAxis(l, 0)).message).toBe(
      "squeezeAxis: axis 0 cannot be removed: got extent 4, expected 1 (shape [4,6]).",
    );
    expect(refusal("SW_LAYOUT_ORDER", () => permuteAxes(l, [0, 0])).message).toBe(
      "permuteAxes: order is not a permutation of the axes: got [0,0], expected each of 2 axes once (shape [4,6]).",
    );
    refusal("SW_LAYOUT_ORDER", () => permuteAxes(l, [0]));
    refusal("SW_LAYOUT_ORDER", () => permuteAxes(l, [0, 1, 2]));
    refusal("SW_LAYOUT_ORDER", () => permuteAxes(l, [-1, 0]));
  });

  test("expand refuses what cannot be repeated", () => {
    const error = refusal("SW_LAYOUT_EXPAND", () => expandTo(l, [4, 12]));
    expect(error).toMatchObject({ axis: 1, otherShape: [4, 12], shape: [4, 6] });
    expect(error.message).toBe(
      "expandTo: axis 1 cannot be repeated: got shape [4,12], expected extent 6 there, or a source axis of extent 1 (shape [4,6]).",
    );
    expect(refusal("SW_LAYOUT_EXPAND", () => expandTo(l, [6])).message).toBe(
      "expandTo: the shape given has fewer axes: got [6], expected at least 2 axes (shape [4,6]).",
    );
    refusal("SW_LAYOUT_EXTENT", () => expandTo(rowMajor([1]), [-1]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => expandTo(layout([]), [2 ** 30, 2 ** 30]));
  });

  test("D11 nested axes refuse what would need to split them, and say so", () => {
    const error = refusal("SW_LAYOUT_NESTED_AXIS", () => sliceAxis(nested, 0, 0, 2));
    expect(error).toMatchObject({ axis: 0, layout: nested });
    expect(error.message).toBe(
      "sliceAxis: axis 0 is nested and only its whole extent can be sliced: got ((2,2),6):((1,2),4), expected a plain axis. Make it contiguous, or reshape it, first.",
    );
    refusal("SW_LAYOUT_NESTED_AXIS", () => flipAxis(nested, 0));
    refusal("SW_LAYOUT_NESTED_AXIS", () => squeezeAxis(parseLayout("((1)):((1))"), 0));
    refusal("SW_LAYOUT_NESTED_AXIS", () => expandTo(nested, [8, 6]));
    refusal("SW_LAYOUT_SLICE", () => sliceAxis(nested, 0, 0, 5));
  });

  test("a nested axis of one element is repeated like any other", () => {
    const view = expandTo(parseLayout("((1,1),2):((5,7),1)"), [3, 2]);
    expect(view.layout.toString()).toBe("(3,2):(0,1)");
  });

  test("the message begins with the operation the caller names", () => {
    const name = "index";
    const refused: [string, () => unknown][] = [
      ["SW_LAYOUT_SLICE", () => sliceAxis(l, 0, 0, 9, 1, name)],
      ["SW_LAYOUT_COORDINATE", () => selectAxis(l, 0, 9, name)],
      ["SW_LAYOUT_AXIS", () => flipAxis(l, 9, name)],
      ["SW_LAYOUT_AXIS", () => unsqueezeAxis(l, 9, name)],
      ["SW_LAYOUT_SQUEEZE", () => squeezeAxis(l, 0, name)],
      ["SW_LAYOUT_EXPAND", () => expandTo(l, [9, 9], name)],
      ["SW_LAYOUT_ORDER", () => permuteAxes(l, [5, 5], name)],
    ];
    for (const [code, view] of refused) {
      expect(refusal(code as "SW_LAYOUT_SLICE", view)).toMatchObject({ operation: name });
    }
  });

  test.each<[string, () => unknown]>([
    ["a fractional start", () => sliceAxis(l, 0, 0.5, 2)],
    ["a fractional end", () => sliceAxis(l, 0, 0, 1.5)],
    ["a string step", () => sliceAxis(l, 0, 0, 2, "1" as never)],
    ["a fractional axis", () => sliceAxis(l, 0.5, 0, 2)],
    ["an axis named length", () => flipAxis(l, "length" as never)],
    ["a missing index", () => selectAxis(l, 0, undefined as never)],
    ["a boolean axis", () => unsqueezeAxis(l, true as never)],
    ["an order that is no list", () => permuteAxes(l, "10" as never)],
    ["a shape that is no list", () => expandTo(l, 4 as never)],
    ["a nested shape", () => expandTo(l, [4, [6]] as never)],
  ])("D5 %s is a TypeError", (_, view) => {
    expect(view).toThrow(TypeError);
    expect(view).toThrow(/^\w+: .*expected/);
  });

  test("field case 3: results that are not safe integers are refused", () => {
    const far = strided([0, 5], [2 ** 52, 2 ** 52]);
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => selectAxis(far, 1, 4));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => flipAxis(far, 1));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => unsqueezeAxis(strided([3], [2 ** 51 + 2 ** 50]), 0));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => sliceAxis(strided([2], [2 ** 40]), 0, 0, 2, 2 ** 20));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => selectAxis(layout([0, [2, 5]], [0, [2 ** 52, 2 ** 51]]), 1, 9));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => selectAxis(layout([0, [2, 2]], [0, [2 ** 52, 2 ** 52]]), 1, 3));
  });

  test("field case 3: an empty layout does not hide a stride that is not safe", () => {
    const l = strided([0, 5], [1, 2 ** 52]);
    const error = refusal("SW_LAYOUT_UNSAFE_INTEGER", () => sliceAxis(l, 1, 0, 5, 2));
    expect(error).toMatchObject({ layout: l, axis: 1, value: 2 ** 53, operation: "sliceAxis" });
  });

  test("D5 wrong input: a target of holes is refused before it is copied", () => {
    const holes = new Array<number>(2 ** 32 - 1);
    expect(() => expandTo(rowMajor([2]), holes)).toThrow(TypeError);
    expect(refusal("SW_LAYOUT_UNSAFE_INTEGER", () => expandTo(rowMajor([1]), [2 ** 53])).axis).toBe(0);
    expect(Object.is(expandTo(rowMajor([1]), [-0]).layout.shape[0], 0)).toBe(true);
  });

  test("D5 wrong input: what is not a layout is named as such", () => {
    const like = { shape: [2], stride: [1], size: 2, rank: 1, depth: 1 };
    for (const wrong of [undefined, null, 3, "(2):(1)", [2], like]) {
      const l = wrong as never;
      const calls = {
        permuteAxes: () => permuteAxes(l, [0]),
        sliceAxis: () => sliceAxis(l, 0, 0, 1),
        selectAxis: () => selectAxis(l, 0, 0),
        flipAxis: () => flipAxis(l, 0),
        unsqueezeAxis: () => unsqueezeAxis(l, 0),
        squeezeAxis: () => squeezeAxis(l, 0),
        expandTo: () => expandTo(l, [2]),
      };
      for (const [operation, call] of Object.entries(calls)) {
        expect(call).toThrow(TypeError);
        expect(call).toThrow(`${operation}: argument is not a layout`);
      }
    }
  });

  test("a hundred thousand axes are reordered in linear time", () => {
    const rank = 100_000;
    const l = rowMajor(Array.from({ length: rank }, () => 1));
    const reversed = Array.from({ length: rank }, (_, j) => rank - 1 - j);
    expect(permuteAxes(l, reversed).layout.rank).toBe(rank);
    reversed[0] = 0;
    expect(refusal("SW_LAYOUT_ORDER", () => permuteAxes(l, reversed)).layout).toBe(l);
  });
});
