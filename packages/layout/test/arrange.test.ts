import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { append, concat, flatten, group, modeOf, prepend, replace, take } from "../src/algebra.js";
import { type Layout, layout, parseLayout, permute, select, strided } from "../src/index.js";
import { cases, enumerate, flat, fromVector, layouts, normalForm, refusal, type Tree } from "./support.js";

const small = layouts({ maxDepth: 3, maxExtent: 6, maxLeaves: 4, maxSize: 60 });

/** All pairs of indices, those of `a` fastest, added. */
function sums(a: Layout, b: Layout): number[] {
  return enumerate(b).flatMap((high) => enumerate(a).map((low) => low + high));
}

describe("permute", () => {
  test("LA-48 whole modes move", () => {
    expect(String(permute(parseLayout("(2,(3,4)):(1,(2,6))"), [1, 0]))).toBe("((3,4),2):((2,6),1)");
    expect(String(permute(layout([]), []))).toBe("():()");
  });

  test("LA-48 law: the same indices in another order, and back again", () => {
    fc.assert(
      fc.property(layouts(), fc.nat(), (l, n) => {
        const order = [...Array(l.rank).keys()].sort((a, b) => ((a * 5 + n) % 7) - ((b * 5 + n) % 7));
        const back = order.map((_, axis) => order.indexOf(axis));
        const sorted = (list: number[]): number[] => list.sort((a, b) => a - b);
        expect(sorted(enumerate(permute(l, order)))).toEqual(sorted(enumerate(l)));
        expect(String(permute(permute(l, order), back))).toBe(String(l));
      }),
      { numRuns: 300 },
    );
  });
});

describe("select", () => {
  test("LA-42 picks whole modes in the order given, repeats included", () => {
    const l = parseLayout("(2,(3,4),5):(1,(2,6),24)");
    expect(String(select(l, [1, 0]))).toBe("((3,4),2):((2,6),1)");
    expect(String(select(l, [2, 2]))).toBe("(5,5):(24,24)");
    expect(String(select(l, []))).toBe("():()");
    expect(select(l, [1, 0]).size).toBe(24);
  });

  test("LA-42 a mode that does not exist is refused", () => {
    const l = layout([2, 3]);
    const error = refusal("SW_LAYOUT_ORDER", () => select(l, [0, 2]));
    expect(error).toMatchObject({ value: 2, layout: l, operation: "select" });
    expect(error.message).toBe("select: a mode does not exist: got 2, expected 0 to 1 (layout (2,3):(1,2)).");
    refusal("SW_LAYOUT_ORDER", () => select(l, [-1]));
    expect(() => select(l, [0.5])).toThrow(TypeError);
    expect(() => select(l, ["0" as never])).toThrow(TypeError);
    expect(() => select(l, 0 as never)).toThrow(TypeError);
    expect(() => select([2] as never, [0])).toThrow(TypeError);
  });

  test("field case 3: what was out of reach while the layout was empty is refused", () => {
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => select(strided([0, 9], [1, 2 ** 52]), [1]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => select(layout([2 ** 40]), [0, 0]));
  });
});

interface JoinCase {
  readonly a: readonly [Tree, Tree];
  readonly b: readonly [Tree, Tree];
  readonly concat: [Tree, Tree];
  readonly append: [Tree, Tree];
  readonly n1?: boolean;
}

describe("concat and append", () => {
  test("LA-41: the shared vectors", async () => {
    for (const c of await cases<JoinCase>("layout/concat_append")) {
      const a = fromVector(c.a);
      const b = fromVector(c.b);
      const collapse = c.n1 === true;
      const joined = concat(a, b);
      const appended = append(a, b);
      // Cases of a mode with one child are compared without it (LA-131): the reference program lost it (LA-7).
      expect(normalForm(joined.shape, joined.stride, collapse)).toEqual(normalForm(...c.concat, collapse));
      expect(normalForm(appended.shape, appended.stride, collapse)).toEqual(normalForm(...c.append, collapse));
    }
  });

  test("LA-41 law: indices add, and only the form of the appended modes differs", () => {
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(enumerate(concat(a, b))).toEqual(sums(a, b));
        expect(enumerate(append(a, b))).toEqual(sums(a, b));
        expect(concat(a, b).rank).toBe(a.rank + b.rank);
        expect(append(a, b).rank).toBe(a.rank + (flat(b.shape).length < 2 ? b.rank : 1));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["2:1", "(3,4):(2,6)", "(2,3,4):(1,2,6)", "(2,(3,4)):(1,(2,6))"],
    ["2:1", "3:-2", "(2,3):(1,-2)", "(2,3):(1,-2)"],
    ["2:1", "((3)):((2))", "(2,(3)):(1,(2))", "(2,(3)):(1,(2))"],
    ["():()", "(3,0):(1,3)", "(3,0):(1,3)", "((3,0)):((1,3))"],
    ["(2,3):(1,2)", "():()", "(2,3):(1,2)", "(2,3):(1,2)"],
  ])("LA-41 LA-5 LA-7 %s and %s", (a, b, joined, appended) => {
    expect(String(concat(parseLayout(a), parseLayout(b)))).toBe(joined);
    expect(String(append(parseLayout(a), parseLayout(b)))).toBe(appended);
  });

  test("field case 3: a joined layout beyond 2^53 is refused", () => {
    const error = refusal("SW_LAYOUT_UNSAFE_INTEGER", () => concat(layout([2 ** 40]), layout([2 ** 40])));
    expect(error).toMatchObject({ operation: "concat", value: 2 ** 80 });
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => append(layout([2], [2 ** 52]), layout([2, 2], [2 ** 52, 1])));
  });

  test("wrong input: what is no layout is a TypeError", () => {
    for (const join of [concat, append]) {
      expect(() => join([2] as never, layout([2]))).toThrow(TypeError);
      expect(() => join(layout([2]), 2 as never)).toThrow(TypeError);
    }
  });
});

describe("flatten, group and take", () => {
  test("LA-42 law: flatten keeps every leaf and every index", () => {
    fc.assert(
      fc.property(layouts(), (l) => {
        const result = flatten(l);
        expect(result.shape).toEqual(flat(l.shape));
        expect(enumerate(result)).toEqual(enumerate(l));
        expect(result.size).toBe(l.size);
      }),
      { numRuns: 300 },
    );
  });

  test("LA-42 law: a group holds what take keeps, and no index moves", () => {
    fc.assert(
      fc.property(layouts({ maxDepth: 3, maxExtent: 6 }), fc.nat(), fc.nat(), (l, x, y) => {
        fc.pre(l.rank > 0);
        const begin = x % l.rank;
        const end = begin + 1 + (y % (l.rank - begin));
        const grouped = group(l, begin, end);
        expect(grouped.rank).toBe(l.rank - (end - begin) + 1);
        expect(enumerate(grouped)).toEqual(enumerate(l));
        expect(String(modeOf(grouped, begin))).toBe(String(take(l, begin, end)));
      }),
      { numRuns: 300 },
    );
  });

  test("LA-42 whole modes are nested and kept", () => {
    const l = parseLayout("(2,(3,4),5):(1,(2,6),24)");
    expect(String(flatten(l))).toBe("(2,3,4,5):(1,2,6,24)");
    expect(String(group(l, 0, 2))).toBe("((2,(3,4)),5):((1,(2,6)),24)");
    expect(String(group(l, 2, 3))).toBe("(2,(3,4),(5)):(1,(2,6),(24))");
    expect(String(take(l, 1, 3))).toBe("((3,4),5):((2,6),24)");
    expect(String(flatten(layout([])))).toBe("():()");
  });

  test("LA-42 an empty range, and one past the rank, is refused", () => {
    const l = layout([2, 3]);
    for (const [begin, end, value] of [
      [1, 1, 1],
      [-1, 1, -1],
      [0, 3, 3],
      [2, 3, 2],
      [1, 0, 0],
    ] as const) {
      for (const part of [group, take]) {
        expect(refusal("SW_LAYOUT_SLICE", () => part(l, begin, end))).toMatchObject({ layout: l, value });
      }
    }
    expect(refusal("SW_LAYOUT_SLICE", () => take(l, 0, 3)).message).toBe(
      "take: the range of modes is wrong: got 0 to 3, expected 0 <= begin < end <= 2 (layout (2,3):(1,2)).",
    );
    expect(() => group(l, 0.5, 1)).toThrow(TypeError);
    expect(() => take(l, 0, "1" as never)).toThrow(TypeError);
    expect(() => take([2] as never, 0, 1)).toThrow(TypeError);
    expect(() => flatten({} as never)).toThrow(TypeError);
  });

  test("nesting deeper than 64 levels is refused", () => {
    let deep = layout([2, 1], [1, 0]);
    for (let depth = 1; depth < 64; depth++) deep = group(deep, 0, 1);
    expect(deep.depth).toBe(64);
    expect(refusal("SW_LAYOUT_DEPTH", () => group(deep, 0, 1)).operation).toBe("group");
    refusal("SW_LAYOUT_DEPTH", () => append(layout([2]), deep));
  });

  test("field case 3: what was out of reach while the layout was empty is refused", () => {
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => take(strided([0, 9], [1, 2 ** 52]), 1, 2));
  });
});

describe("replace", () => {
  test("LA-42 LA-81 one mode gives way to a leaf, to several modes or to none", () => {
    const l = parseLayout("(2,(3,4)):(1,(2,6))");
    expect(String(replace(l, 1, parseLayout("7:5")))).toBe("(2,7):(1,5)");
    expect(String(replace(l, 0, parseLayout("(1,2):(0,1)")))).toBe("((1,2),(3,4)):((0,1),(2,6))");
    expect(String(replace(l, 0, layout([])))).toBe("(1,(3,4)):(0,(2,6))");
    expect(String(l)).toBe("(2,(3,4)):(1,(2,6))");
  });

  test("LA-40 LA-42 law: replacing a mode by itself changes nothing but nests of one", () => {
    fc.assert(
      fc.property(layouts({ maxDepth: 3 }), fc.nat(), (l, n) => {
        fc.pre(l.rank > 0);
        const i = n % l.rank;
        const result = replace(l, i, modeOf(l, i));
        expect(normalForm(result.shape, result.stride, true)).toEqual(normalForm(l.shape, l.stride, true));
      }),
      { numRuns: 300 },
    );
  });

  test("LA-42 a mode that does not exist is refused, and so is a result out of reach", () => {
    const l = layout([2, 3]);
    expect(refusal("SW_LAYOUT_AXIS", () => replace(l, 2, l))).toMatchObject({ layout: l, axis: 2, value: 2 });
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => replace(l, 1, layout([2 ** 53 - 1], [0])));
    expect(() => replace(l, 0.5, l)).toThrow(TypeError);
    expect(() => replace(l, 0, 3 as never)).toThrow(TypeError);
    expect(() => replace(3 as never, 0, l)).toThrow(TypeError);
  });
});

describe("prepend", () => {
  test.each([
    ["(2):(1)", "(3,4):(2,6)", "((3,4),2):((2,6),1)"],
    ["(2,5):(1,2)", "(3):(10)", "(3,2,5):(10,1,2)"],
    ["(2):(1)", "((3)):((10))", "((3),2):((10),1)"],
    ["(2):(1)", "():()", "(2):(1)"],
    ["():()", "(3,4):(1,3)", "((3,4)):((1,3))"],
  ])("LA-42 %s gets %s before it: %s", (a, b, expected) => {
    expect(String(prepend(parseLayout(a), parseLayout(b)))).toBe(expected);
  });

  test("LA-42 law: it is append with the new mode moved to the front", () => {
    const small = layouts({ maxLeaves: 4, maxSize: 100 });
    fc.assert(
      fc.property(small, small, (a, b) => {
        const appended = append(a, b);
        const order = [...appended.shape.keys()];
        const front = [...order.slice(a.rank), ...order.slice(0, a.rank)];
        expect(String(prepend(a, b))).toBe(String(permute(appended, front)));
      }),
      { numRuns: 300 },
    );
  });

  test("LA-42 wrong input", () => {
    const huge = layout([2 ** 30]);
    expect(refusal("SW_LAYOUT_UNSAFE_INTEGER", () => prepend(huge, huge)).operation).toBe("prepend");
    expect(() => prepend(layout([2]), [2] as never)).toThrow(TypeError);
    expect(() => prepend(null as never, layout([2]))).toThrow(TypeError);
  });
});
