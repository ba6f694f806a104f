import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { concat, dice, type HoledCoordinate, modeOf, sliceAt } from "../src/algebra.js";
import { indexOf, layout, layoutEquals, parseLayout, select } from "../src/index.js";
import { enumerate, layouts, refusal, type Tree } from "./support.js";

const l = parseLayout("(2,(3,4),5):(1,(10,100),1000)");

describe("sliceAt and dice", () => {
  test.each<[HoledCoordinate, string, number, string]>([
    [[1, null, 4], "((3,4)):((10,100))", 4001, "(2,5):(1,1000)"],
    [[null, [2, null], null], "(2,4,5):(1,100,1000)", 20, "(3):(10)"],
    [[1, [2, 3], 4], "():()", 4321, "(2,3,4,5):(1,10,100,1000)"],
    [[1, 11, 4], "():()", 4321, "(2,(3,4),5):(1,(10,100),1000)"],
    [[null, null, null], "(2,(3,4),5):(1,(10,100),1000)", 0, "():()"],
    [null, "(2,(3,4),5):(1,(10,100),1000)", 0, "():()"],
    [119, "():()", 4321, "(2,(3,4),5):(1,(10,100),1000)"],
  ])("LA-26 at %j: %s from %i, and the rest %s", (coordinate, kept, start, dropped) => {
    const view = sliceAt(l, coordinate);
    expect([String(view.layout), view.start]).toEqual([kept, start]);
    expect(String(dice(l, coordinate))).toBe(dropped);
  });

  test("LA-7 LA-26 a one-child mode at a hole is kept", () => {
    expect(String(sliceAt(parseLayout("((4),2):((3),1)"), [null, 1]).layout)).toBe("((4)):((3))");
    expect(String(sliceAt(parseLayout("((4),2):((3),1)"), [[null], 1]).layout)).toBe("(4):(3)");
  });

  test("LA-26 law: a hole filled with a coordinate is that coordinate; the two parts make up the layout", () => {
    const keys = layouts({ minExtent: 1, maxSize: 500 }).chain((source) =>
      fc.tuple(fc.constant(source), fc.infiniteStream(fc.nat())),
    );
    fc.assert(
      fc.property(keys, ([source, random]) => {
        const next = (): number => random.next().value as number;
        const size = (tree: Tree): number =>
          typeof tree === "number" ? tree : tree.reduce<number>((n, t) => n * size(t), 1);
        const holed = (tree: Tree): [HoledCoordinate, HoledCoordinate] => {
          const choice = next() % 3;
          if (choice === 0) return [null, next() % size(tree)];
          if (choice === 1 || typeof tree === "number") {
            const ordinal = next() % size(tree);
            return [ordinal, ordinal];
          }
          const inner = tree.map(holed);
          return [inner.map((pair) => pair[0]), inner.map((pair) => pair[1])];
        };
        const pairs = source.shape.map(holed);
        const key = pairs.map((pair) => pair[0]);
        const filled = pairs.map((pair) => pair[1]) as Tree[];
        const openings: number[] = [];
        const collect = (open: HoledCoordinate, full: HoledCoordinate): void => {
          if (open === null) openings.push(full as number);
          else if (typeof open === "object") {
            for (const [i, inner] of open.entries()) collect(inner, (full as HoledCoordinate[])[i]!);
          }
        };
        collect(key, filled);
        const { layout: view, start } = sliceAt(source, key);
        expect(start + indexOf(view, openings)).toBe(indexOf(source, filled));
        expect(enumerate(concat(view, dice(source, key))).sort()).toEqual(enumerate(source).sort());
      }),
      { numRuns: 300 },
    );
  });

  test("LA-26 with whole modes open it is the same as selecting modes", () => {
    expect(layoutEquals(sliceAt(l, [null, 0, null]).layout, select(l, [0, 2]))).toBe(true);
    expect(layoutEquals(dice(l, [null, 0, null]), modeOf(l, 1))).toBe(false); // a mode, not its modes
    expect(layoutEquals(dice(l, [null, 0, null]), select(l, [1]))).toBe(true);
  });

  test("LA-24 LA-26 wrong input", () => {
    for (const fn of [sliceAt, dice]) {
      const error = refusal("SW_LAYOUT_COORDINATE", () => fn(l, [2, null, null]));
      expect(error).toMatchObject({ operation: fn.name, value: 2 });
      refusal("SW_LAYOUT_COORDINATE", () => fn(l, [0, null]));
      refusal("SW_LAYOUT_COORDINATE", () => fn(l, [[null], null, null]));
      refusal("SW_LAYOUT_COORDINATE", () => fn(l, [0, [null, 4], 0]));
      refusal("SW_LAYOUT_COORDINATE", () => fn(l, 120));
      for (const key of [undefined, "1", {}, [0, 0.5, null], [0, "_", null], [0, true, null]]) {
        expect(() => fn(l, key as never)).toThrow(TypeError);
      }
      // biome-ignore lint/suspicious/noSparseArray: a list with a hole is what is tested
      expect(() => fn(l, [0, , 0] as never)).toThrow(TypeError);
      expect(() => fn([2] as never, [null])).toThrow(TypeError);
    }
  });

  test("LA-26 indices that only an empty layout can name are refused when they are unsafe", () => {
    const empty = layout([0, 3, 3], [1, 2 ** 52, 2 ** 52]);
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => sliceAt(empty, [null, 2, null]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => dice(empty, [null, 0, 0]));
    expect(String(sliceAt(empty, [null, 1, null]).layout)).toBe("(0,3):(1,4503599627370496)");
  });
});
