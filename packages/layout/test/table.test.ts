import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layout, parseLayout } from "../src/index.js";
import { toTable } from "../src/pictures.js";
import { enumerate, layouts, refusal } from "./support.js";

const draw = (text: string): string => `\n${toTable(parseLayout(text))}\n`;

describe("toTable", () => {
  test("a matrix", () => {
    expect(draw("(3,4):(4,1)")).toBe(`
(3,4):(4,1)
     0  1  2  3
  ┌─────────────┐
0 │  0  1  2  3 │
1 │  4  5  6  7 │
2 │  8  9 10 11 │
  └─────────────┘
`);
  });

  test("a tiled layout: lines between the tiles", () => {
    expect(draw("((2,2),(2,3)):((4,1),(2,8))")).toBe(`
((2,2),(2,3)):((4,1),(2,8))
     0  1    2  3    4  5
  ┌───────┬───────┬───────┐
0 │  0  2 │  8 10 │ 16 18 │
1 │  4  6 │ 12 14 │ 20 22 │
  ├───────┼───────┼───────┤
2 │  1  3 │  9 11 │ 17 19 │
3 │  5  7 │ 13 15 │ 21 23 │
  └───────┴───────┴───────┘
`);
  });

  test("tiles of tiles: double lines between the outer ones", () => {
    expect(draw("((2,2,2),(2,1,2,2)):((1,4,16),(2,9,8,32))")).toBe(`
((2,2,2),(2,1,2,2)):((1,4,16),(2,9,8,32))
     0  1    2  3    4  5    6  7
  ┌───────┬───────╥───────┬───────┐
0 │  0  2 │  8 10 ║ 32 34 │ 40 42 │
1 │  1  3 │  9 11 ║ 33 35 │ 41 43 │
  ├───────┼───────╫───────┼───────┤
2 │  4  6 │ 12 14 ║ 36 38 │ 44 46 │
3 │  5  7 │ 13 15 ║ 37 39 │ 45 47 │
  ╞═══════╪═══════╬═══════╪═══════╡
4 │ 16 18 │ 24 26 ║ 48 50 │ 56 58 │
5 │ 17 19 │ 25 27 ║ 49 51 │ 57 59 │
  ├───────┼───────╫───────┼───────┤
6 │ 20 22 │ 28 30 ║ 52 54 │ 60 62 │
7 │ 21 23 │ 29 31 ║ 53 55 │ 61 63 │
  └───────┴───────╨───────┴───────┘
`);
  });

  test("one axis is one row; rank 0 is one cell", () => {
    expect(draw("((2,3)):((1,4))")).toBe(`
((2,3)):((1,4))
  0 1   2 3   4 5
┌─────┬─────┬─────┐
│ 0 1 │ 4 5 │ 8 9 │
└─────┴─────┴─────┘
`);
    expect(draw("():()")).toBe(`
():()
┌───┐
│ 0 │
└───┘
`);
  });

  test("signed indices line up", () => {
    expect(draw("(2,3):(-3,1)")).toBe(`
(2,3):(-3,1)
     0  1  2
  ┌──────────┐
0 │  0  1  2 │
1 │ -3 -2 -1 │
  └──────────┘
`);
  });

  test("more than two axes are a series of tables", () => {
    expect(draw("(1,2,2,(1,2)):(0,1,2,(9,40))")).toBe(`
(1,2,2,(1,2)):(0,1,2,(9,40))

(:,:,0,0)
     0  1
  ┌───────┐
0 │  0  1 │
  └───────┘

(:,:,1,0)
     0  1
  ┌───────┐
0 │  2  3 │
  └───────┘

(:,:,0,1)
     0  1
  ┌───────┐
0 │ 40 41 │
  └───────┘

(:,:,1,1)
     0  1
  ┌───────┐
0 │ 42 43 │
  └───────┘
`);
  });

  test("an empty layout says so", () => {
    expect(toTable(layout([3, 0]))).toBe("(3,0):(1,3)\n(empty)");
  });

  test("law: the cells are the indices, and all lines of a table have one width", () => {
    fc.assert(
      fc.property(layouts({ minExtent: 1, maxSize: 300 }), (l) => {
        const lines = toTable(l).split("\n");
        const rows = lines.filter((line) => /│/.test(line));
        const cells = rows.flatMap((row) => row.slice(row.indexOf("│")).match(/-?\d+/g)!.map(Number));
        const sort = (list: number[]): number[] => [...list].sort((a, b) => a - b);
        expect(sort(cells)).toEqual(sort(enumerate(l)));
        const boxed = lines.filter((line) => /[│┌└├╞]/.test(line)).map((line) => line.length);
        expect(new Set(boxed).size).toBe(1);
      }),
      { numRuns: 300 },
    );
  });

  test("a layout too large to look at is refused, and what is no layout is a TypeError", () => {
    const error = refusal("SW_LAYOUT_PICTURE", () => toTable(layout([1000, 1000])));
    expect(error.value).toBe(1_000_000);
    expect(error.message).toBe(
      "toTable: layout is too large to draw: got 1000000 elements, expected at most 65536 ((1000,1000):(1,1000)). Draw a part of it.",
    );
    expect(() => toTable("(2):(1)" as never)).toThrow(TypeError);
  });
});
