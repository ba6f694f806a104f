import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { columnMajor, layout, morton, parseLayout, rowMajor, tiled } from "../src/index.js";
import { type Drawable, type SvgOptions, toSvg, toTable } from "../src/pictures.js";
import { hilbert, swizzled } from "./maps.js";
import { enumerate, flat, layouts, refusal } from "./support.js";

const THREADS = parseLayout("((4,4),(2,2)):((2,16),(1,8))");

/** Each is a file of its name in `test/pictures`, as SVG and as text. */
const PICTURES: Readonly<Record<string, readonly [Drawable, SvgOptions?]>> = {
  matrix: [rowMajor([4, 6])],
  negative: [parseLayout("(3,5):(-5,1)")],
  "one-axis": [parseLayout("((2,3)):((1,4))")],
  "no-axis": [parseLayout("():()")],
  empty: [parseLayout("(3,0):(1,3)")],
  "three-axes": [parseLayout("(2,3,4):(12,4,1)")],
  "many-small": [parseLayout("(1,1,3,2):(0,0,100,1)")],
  "four-axes": [parseLayout("(2,(2,2),2,(1,2)):(1,(2,8),4,(9,40))")],
  tiles: [parseLayout("((2,2),(2,3)):((4,1),(2,8))")],
  "tiles-of-tiles": [parseLayout("((2,2,2),(2,1,2,2)):((1,4,16),(2,9,8,32))")],
  morton: [morton([3, 3]), { path: true }],
  pair: [rowMajor([4, 6]), { owner: columnMajor([4, 6]) }],
  tiler: [rowMajor([7, 10]), { tiler: [3, 4] }],
  "tiler-of-layouts": [rowMajor([8, 8]), { tiler: [parseLayout("2:4"), parseLayout("(2,2):(1,4)")] }],
  "tiler-of-one-axis": [layout([12]), { tiler: [parseLayout("2:2")] }],
  "tiler-over-nest": [parseLayout("((2,2),(2,4)):((1,4),(2,8))"), { tiler: [null, 4] }],
  padded: [tiled([5, 7], { tile: [2, 4], outer: "rowMajor", inner: "rowMajor" }), { box: [5, 7] }],
  threads: [rowMajor([8, 8]), { threadValue: THREADS, tiler: [2, 2] }],
  "threads-and-indices": [rowMajor([8, 8]), { threadValue: THREADS, cells: "both" }],
  "threads-that-share": [columnMajor([4, 4]), { threadValue: parseLayout("((3,2),4):((1,0),4)") }],
  hilbert: [hilbert(16), { path: true, cells: "none", title: "Hilbert's curve, 16 × 16" }],
  swizzle: [swizzled, { owner: { shape: [8, 8], index: (c) => swizzled.index(c) % 8 }, cells: "index" }],
};

describe("pictures look as they did when they were looked at", () => {
  test.each(Object.entries(PICTURES))("%s", async (name, [drawn, options]) => {
    await expect(toSvg(drawn, options)).toMatchFileSnapshot(`pictures/${name}.svg`);
    await expect(`${toTable(drawn, options)}\n`).toMatchFileSnapshot(`pictures/${name}.txt`);
  });
});

/** What the text elements of a picture say, those in `<g …>` of labels left out. */
function cellTexts(svg: string): string[] {
  return [...svg.matchAll(/<text x="[^"]*" y="[^"]*"(?: font-size="10")?>([^<]*)<\/text>/g)].map((match) => match[1]!);
}

describe("toSvg", () => {
  test("law: the cells and labels are those of the layout, and all is inside the picture", () => {
    fc.assert(
      fc.property(layouts({ minExtent: 1, maxSize: 200 }), (l) => {
        const svg = toSvg(l);
        const extents = l.shape.map((mode) => flat(mode).reduce((a, b) => a * b, 1));
        const planes = extents.slice(2).reduce((a, b) => a * b, 1);
        const [rows, columns] = l.rank > 1 ? [extents[0]!, extents[1]!] : [0, l.rank === 1 ? extents[0]! : 0];
        const labels = Array.from({ length: planes }, () => [...Array(columns).keys()]).flat();
        const numbers = cellTexts(svg).map(Number);
        const sorted = (list: number[]): number[] => [...list].sort((a, b) => a - b);
        expect(sorted(numbers)).toEqual(sorted([...labels, ...enumerate(l)]));
        expect(svg.match(/text-anchor="end"/g)?.length ?? 0).toBe(rows * planes);
        const [, width, height] = svg.match(/viewBox="0 0 (\d+) (\d+)"/)!.map(Number) as [number, number, number];
        expect(furthest(svg)).toSatisfy(([x, y]: [number, number]) => x < width && y < height);
      }),
      { numRuns: 300 },
    );
  });

  test("law: a picture depends on its arguments alone", () => {
    fc.assert(
      fc.property(layouts({ maxSize: 100 }), fc.constantFrom("none" as const, "tile" as const), (l, colour) => {
        expect(toSvg(layout(l.shape, l.stride), { colour })).toBe(toSvg(l, { colour }));
      }),
      { numRuns: 300 },
    );
  });

  test("law: the document is well-formed, whatever the title", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 150 }), (title) => {
        const svg = toSvg(layout([2]), { title });
        expect(svg.replace(/<[^<>]*>/g, "")).not.toMatch(/[<>]|&(?!(amp|lt|gt);)/);
        expect([...svg].every(isXml)).toBe(true);
        expect(svg.match(/<g[ >]/g)?.length).toBe(svg.match(/<\/g>/g)?.length);
      }),
      { numRuns: 300 },
    );
  });

  test("text is readable: each fill is at least seven times as bright as the ink", () => {
    const svg = toSvg(rowMajor([1, 8]), { owner: rowMajor([1, 8]) });
    const ink = luminance(svg.match(/text-anchor="middle" fill="(#\w+)"/)![1]!);
    const used = [...svg.matchAll(/<path fill="(#\w+)"/g)].map((match) => match[1]!);
    expect(new Set(used).size).toBe(8);
    for (const fill of used) expect((luminance(fill) + 0.05) / (ink + 0.05)).toBeGreaterThan(7);
  });

  test("it has a title for those who do not see it, also where none is drawn", () => {
    expect(toSvg(layout([2]))).toContain('role="img"');
    expect(toSvg(layout([2]))).toContain("<title>(2):(1)</title>");
    expect(toSvg(layout([2]), { title: "" })).toContain("<title>(2):(1)</title>");
    expect(toSvg(layout([2]), { title: "a < b" })).toContain("<title>a &lt; b</title>");
  });

  test("colours repeat after eight owners, also below 0", () => {
    const fillOf = (number: number): string =>
      toSvg(layout([1]), { owner: { shape: [1], index: () => number } }).match(/<path fill="(#\w+)"/)![1]!;
    expect(fillOf(8)).toBe(fillOf(0));
    expect(fillOf(-1)).toBe(fillOf(7));
    expect(fillOf(-(2 ** 53 - 1))).toBe(fillOf(1));
  });

  test("what only SVG has is refused in SVG's name", () => {
    const error = refusal("SW_LAYOUT_PICTURE", () => toSvg(layout([2]), { colour: "owner" }));
    expect(error.message).toBe(
      'toSvg: there are no owners to show: got colour "owner", expected owner or threadValue with it.',
    );
    expect(() => toSvg(layout([2]), { colour: "red" as never })).toThrow(TypeError);
    expect(() => toSvg(layout([2]), { path: 1 as never })).toThrow(TypeError);
    expect(refusal("SW_LAYOUT_PICTURE", () => toSvg(layout([65_537]))).operation).toBe("toSvg");
  });
});

/** Whether XML allows a character in a document. */
function isXml(character: string): boolean {
  const code = character.codePointAt(0)!;
  if (code < 0x20) return "\t\n\r".includes(character);
  return code <= 0xd7ff || (code >= 0xe000 && code <= 0xfffd) || code >= 0x10000;
}

/** The largest x and y of the boxes: where their groups are moved, a path begins, and its strokes lead. */
function furthest(svg: string): [number, number] {
  let [x, y] = [0, 0];
  const moves: [number, number][] = [];
  for (const tag of svg.matchAll(
    /<g transform="translate\((\S+) (\S+)\)">|<g|<\/g>|M(\S+) (\S+?)h([\d.]+)v([\d.]+)/g,
  )) {
    const [text, moveX, moveY, left, top, width, height] = tag;
    if (text === "</g>") moves.pop();
    else if (text.startsWith("<g")) moves.push([Number(moveX ?? 0), Number(moveY ?? 0)]);
    else {
      const [dx, dy] = moves.reduce(([a, b], [c, d]) => [a + c, b + d], [0, 0] as [number, number]);
      x = Math.max(x, dx + Number(left) + Number(width));
      y = Math.max(y, dy + Number(top) + Number(height));
    }
  }
  return [x, y];
}

/** Relative luminance as WCAG defines it. */
function luminance(colour: string): number {
  const [r, g, b] = [1, 3, 5].map((i) => {
    const value = Number.parseInt(colour.slice(i, i + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
