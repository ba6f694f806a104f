import { describe, expect, test } from "vitest";
import { layout, parseLayout, rowMajor } from "../src/index.js";
import { type Drawable, type PictureOptions, toSvg, toTable } from "../src/pictures.js";
import { hilbert } from "./maps.js";
import { refusal } from "./support.js";

const rows = (drawn: Drawable, options?: PictureOptions): string[] =>
  toTable(drawn, options)
    .split("\n")
    .filter((line) => line.endsWith("│"));

describe("what is in a picture", () => {
  test("an index map is drawn by what it says, and has the lines of its nested modes", () => {
    expect(rows(hilbert(4))).toEqual([
      "0 │  0  3  4  5 │",
      "1 │  1  2  7  6 │",
      "2 │ 14 13  8  9 │",
      "3 │ 15 12 11 10 │",
    ]);
    expect(rows({ shape: [[2, 2]], index: (c) => 10 + Number((c as number[])[0]) })).toEqual(["│ 10 11 │ 12 13 │"]);
  });

  test("a pair is two numbers a cell, lined up each for itself", () => {
    const pair = { owner: parseLayout("(2,6):(6,1)") };
    expect(rows(parseLayout("(2,6):(1,2)"), pair)[1]).toBe("1 │  1, 6  3, 7  5, 8  7, 9  9,10 11,11 │");
    expect(rows(parseLayout("(2,6):(1,2)"), { ...pair, cells: "owner" })[1]).toBe("1 │  6  7  8  9 10 11 │");
    expect(rows(parseLayout("(2,6):(1,2)"), { ...pair, cells: "index" })[1]).toBe("1 │  1  3  5  7  9 11 │");
  });

  test("the nests of a pair may differ, only the extents count", () => {
    expect(rows(layout([4]), { owner: parseLayout("((2,2)):((0,1))") })).toEqual(["│ 0,0 1,0 2,1 3,1 │"]);
  });

  test("threads and values: the layout says which cells a thread has, the picture which thread a cell has", () => {
    // Two threads, three values each: cells 0 1 2 and 3 4 5, first axis fastest.
    const threadValue = parseLayout("(2,3):(3,1)");
    expect(rows(rowMajor([2, 3]), { threadValue })).toEqual(["0 │ T0V0 T0V2 T1V1 │", "1 │ T0V1 T1V0 T1V2 │"]);
    expect(rows(rowMajor([2, 2, 2]), { threadValue: parseLayout("(2,4):(4,1)") })).toEqual([
      "0 │ T0V0 T0V2 │",
      "1 │ T0V1 T0V3 │",
      "0 │ T1V0 T1V2 │",
      "1 │ T1V1 T1V3 │",
    ]);
  });

  test("a cell that no thread holds shows a dot, one that several hold a plus", () => {
    expect(rows(layout([4]), { threadValue: layout([3]) })).toEqual(["│ T0V0 T1V0 T2V0    · │"]);
    expect(rows(layout([2]), { threadValue: parseLayout("(3,2):(0,1)") })).toEqual(["│ T0V0+ T0V1+ │"]);
    expect(rows(layout([2]), { threadValue: layout([]), cells: "both" })).toEqual(["│ 0,T0V0 1,   · │"]);
  });

  test("tiles part the cells between which the number of the tile changes, whatever is nested", () => {
    expect(rows(layout([8]), { tiler: [3] })).toEqual(["│ 0 1 2 │ 3 4 5 │ 6 7 │"]);
    expect(rows(layout([8]), { tiler: [parseLayout("2:2")] })).toEqual(["│ 0 │ 1 │ 2 │ 3 │ 4 │ 5 │ 6 │ 7 │"]);
    expect(rows(parseLayout("((2,4)):((1,2))"), { tiler: [4] })).toEqual(["│ 0 1 │ 2 3 ║ 4 5 │ 6 7 │"]);
    expect(rows(layout([4]), { tiler: [2 ** 53 - 1] })).toEqual(["│ 0 1 2 3 │"]);
    expect(rows(layout([4]), { tiler: [null] })).toEqual(["│ 0 1 2 3 │"]);
    expect(rows(layout([3]), { tiler: [parseLayout("(2,1):(1,0)")] })).toEqual(["│ 0 1 │ 2 │"]);
  });

  test("outside the box there is a dot, and the map is not asked", () => {
    const asked: unknown[] = [];
    const index = (coordinate: unknown): number => asked.push(coordinate);
    expect(rows({ shape: [2, 3], index }, { box: [1, 2] })).toEqual(["0 │ 1 2 · │", "1 │ · · · │"]);
    expect(asked).toEqual([
      [0, 0],
      [0, 1],
    ]);
  });

  test("a title stands for the captions; an empty one leaves them out", () => {
    expect(toTable(layout([1]), { title: "a\nb" })).toMatch(/^a\nb\n +0\n┌/);
    expect(toTable(layout([1]), { title: "" })).toMatch(/^ +0\n┌/);
    expect(toTable(layout([4]), { tiler: [2], owner: layout([4]), box: [3] })).toMatch(
      /^\(4\):\(1\)\nowner \(4\):\(1\)\ntiler <2>\nbox \[3\]\n/,
    );
  });

  test("an empty layout may have any other extents", () => {
    const empty = layout([2 ** 50, 0, 2]);
    expect(toTable(empty, { tiler: [3, 2] })).toBe(`${empty}\ntiler <3,2>\n(empty)`);
    expect(toSvg(empty)).toContain(">(empty)</text>");
  });
});

describe.each([
  ["toTable", toTable],
  ["toSvg", toSvg],
])("%s refuses", (name, draw) => {
  test("more than 65536 cells, of the picture or of the threads", () => {
    const error = refusal("SW_LAYOUT_PICTURE", () => draw(layout([2 ** 50])));
    expect(error).toMatchObject({ operation: name, value: 2 ** 50, shape: [2 ** 50] });
    refusal("SW_LAYOUT_PICTURE", () => draw({ shape: [256, 257], index: () => 0 }));
    refusal("SW_LAYOUT_PICTURE", () => draw(layout([2]), { threadValue: parseLayout("(70000):(0)") }));
    for (const most of [[256, 256], [65_536], [65_536, 1], [1, 1, 65_536]])
      expect(draw(layout(most))).toContain("65535");
  });

  test("threads that leave the picture", () => {
    const error = refusal("SW_LAYOUT_PICTURE", () => draw(layout([2, 2]), { threadValue: parseLayout("(2,3):(3,1)") }));
    expect(error).toMatchObject({ operation: name, value: 4, shape: [2, 2] });
    expect(error.message).toBe(
      `${name}: threadValue leaves the picture: got cell 4, expected 0 to 3 ((2,3):(3,1) on shape [2,2]).`,
    );
    const negative = () => draw(layout([2]), { threadValue: parseLayout("(2):(-1)") });
    expect(refusal("SW_LAYOUT_PICTURE", negative).value).toBe(-1);
  });

  test("options that contradict each other", () => {
    const both = refusal("SW_LAYOUT_PICTURE", () =>
      draw(layout([2]), { owner: layout([2]), threadValue: layout([2]) }),
    );
    expect(both.message).toBe(
      `${name}: cells have two kinds of owners: got owner and threadValue, expected one of them.`,
    );
    refusal("SW_LAYOUT_PICTURE", () => draw(layout([2]), { cells: "owner" }));
    refusal("SW_LAYOUT_PICTURE", () => draw(layout([2]), { cells: "both" }));
  });

  test("owners, boxes and tilers that do not fit the shape", () => {
    const owner = refusal("SW_LAYOUT_SHAPES_DIFFER", () => draw(layout([2, 3]), { owner: layout([3, 2]) }));
    expect(owner).toMatchObject({ operation: name, shape: [2, 3], otherShape: [3, 2] });
    for (const box of [[2], [3, 3], [2, -1]]) {
      const error = refusal("SW_LAYOUT_BOX", () => draw(layout([2, 3]), { box }));
      expect(error).toMatchObject({ operation: name, otherShape: box });
    }
    expect(refusal("SW_LAYOUT_TILER", () => draw(layout([4]), { tiler: [2, 2] })).value).toBe(2);
    refusal("SW_LAYOUT_COMPLEMENT", () => draw(layout([8]), { tiler: [parseLayout("(2,2):(1,3)")] }));
    refusal("SW_LAYOUT_SIGN", () => draw(layout([8]), { tiler: [parseLayout("2:-1")] }));
    refusal("SW_LAYOUT_EMPTY", () => draw(layout([8]), { tiler: [0] }));
  });

  test("what is no layout, no map and no option", () => {
    const wrong: readonly (readonly [unknown, unknown?])[] = [
      ["(2):(1)"],
      [null],
      [{ shape: [2] }],
      [{ shape: 2, index: () => 0 }],
      [{ shape: [2], index: () => "0" }],
      [{ shape: [2], index: () => Number.NaN }],
      [layout([2]), null],
      [layout([2]), { title: 7 }],
      [layout([2]), { owner: 7 }],
      [layout([2]), { threadValue: [[2], [1]] }],
      [layout([2]), { cells: "indices" }],
      [layout([2]), { tiler: 2 }],
      [layout([2]), { tiler: ["2"] }],
      [layout([2]), { box: 2 }],
      [layout([2]), { box: [1.5] }],
    ];
    for (const [drawn, options] of wrong) {
      expect(() => draw(drawn as never, options as never), JSON.stringify([drawn, options])).toThrow(TypeError);
    }
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => draw({ shape: [2], index: () => 2 ** 53 }));
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    refusal("SW_LAYOUT_DEPTH", () => draw({ shape: cyclic as never, index: () => 0 }));
  });
});
