import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  blocked,
  columnMajor,
  extents,
  isLayout,
  type Layout,
  layout,
  morton,
  nhwc,
  parseLayout,
  rowMajor,
  strided,
  type TiledForm,
  type TileOrder,
  tiled,
} from "../src/index.js";
import { type NamedLayout, recognise } from "../src/recognise.js";
import { enumerateRowMajor, layouts, type Tree, vectorFiles } from "./support.js";

/** The layout of a name. */
function build(name: NamedLayout, box: readonly number[]): Layout {
  switch (name.kind) {
    case "rowMajor":
      return rowMajor(box);
    case "columnMajor":
      return columnMajor(box);
    case "strided":
      return strided(box, name.strides);
    case "tiled":
      return tiled(box, name.form);
    case "morton":
      return morton(name.bits);
  }
}

/** Asserts that a name, if there is one, makes the layout again, and is the name of what it makes. */
function checkName(l: Layout, box: readonly number[] = extents(l)): NamedLayout | undefined {
  const name = recognise(l, box);
  if (name === undefined) return undefined;
  const rebuilt = build(name, box);
  expect(extents(rebuilt)).toEqual(extents(l));
  if (l.size <= 5000) expect(enumerateRowMajor(rebuilt)).toEqual(enumerateRowMajor(l));
  expect(normal(recognise(rebuilt, box))).toEqual(normal(name));
  return name;
}

/** Strides of extent-1 axes are kept as given: not part of the name. */
function normal(name: NamedLayout | undefined): unknown {
  return name?.kind === "strided" ? "strided" : name;
}

describe("recognise", () => {
  const rowMajorTile = (tile: number[]): NamedLayout => ({
    kind: "tiled",
    form: { tile, outer: "rowMajor", inner: "rowMajor" },
  });

  test.each<[string, NamedLayout | undefined]>([
    ["(3,4):(4,1)", { kind: "rowMajor" }],
    ["(3,4):(1,3)", { kind: "columnMajor" }],
    ["(3,4):(8,2)", { kind: "strided", strides: [8, 2] }],
    ["(3,4):(0,-1)", { kind: "strided", strides: [0, -1] }],
    ["(5):(1)", { kind: "rowMajor" }],
    ["():()", { kind: "rowMajor" }],
    ["(1,4,1):(9,1,0)", { kind: "rowMajor" }],
    ["(3,1,4):(1,77,3)", { kind: "columnMajor" }],
    ["(3,0):(-5,9)", { kind: "rowMajor" }],
    ["((2,3),4):((1,2),6)", { kind: "columnMajor" }],
    ["((2,3),4):((4,8),1)", { kind: "rowMajor" }],
    ["((2,3),4):((1,2),7)", { kind: "strided", strides: [1, 7] }],
    ["((2,3),4):((1,5),7)", undefined],
    ["((2,2),(2,2)):((4,1),(2,8))", undefined],
    ["((1,1),4):((9,9),1)", { kind: "rowMajor" }],
    ["((2,0),4):((3,9),1)", { kind: "rowMajor" }],
    ["((2,3),(4,2)):((4,16),(1,8))", rowMajorTile([2, 4])],
    ["((2,2),(2,2)):((1,4),(2,8))", { kind: "morton", bits: [2, 2] }],
    [
      "((2,3),(4,2)):((-4,16),(1,800))",
      { kind: "tiled", form: { tile: [2, 4], outer: { strides: [2, 100] }, inner: { strides: [-4, 1] } } },
    ],
    // the second axis may be whole inside the tile or outside it: fewest strides win
    ["((2,3),2):((1,4),2)", { kind: "tiled", form: { tile: [2, 1], outer: "rowMajor", inner: "rowMajor" } }],
  ])("%s", (text, expected) => {
    expect(recognise(parseLayout(text))).toEqual(expected);
    checkName(parseLayout(text));
  });

  test.each<TileOrder>(["rowMajor", "columnMajor"])("tiles of tiles, %s", (order) => {
    const form: TiledForm = { tile: [4, 6], outer: order, inner: { tile: [2, 3], outer: order, inner: order } };
    expect(recognise(tiled([8, 12], form))).toEqual({ kind: "tiled", form });
    expect(recognise(tiled([7, 9], form), [7, 9])).toEqual({ kind: "tiled", form });
  });

  test("tiles of which the leaves continue each other are given another form of the same function", () => {
    const inner: TiledForm = { tile: [2, 3], outer: "rowMajor", inner: "columnMajor" };
    const l = tiled([8, 12], { tile: [4, 6], outer: "columnMajor", inner });
    expect(checkName(l)?.kind).toBe("tiled");
  });

  test("NCHWc, padded or not, is tiled by the lanes; NHWC is strided", () => {
    expect(recognise(blocked([2, 8, 3, 5], 1, 4))).toEqual(rowMajorTile([1, 4, 1, 1]));
    expect(recognise(blocked([2, 6, 3, 5], 1, 4), [2, 6, 3, 5])).toEqual(rowMajorTile([1, 4, 1, 1]));
    expect(recognise(nhwc([2, 3, 4, 5]))).toEqual({ kind: "strided", strides: [60, 1, 15, 3] });
  });

  test("a Morton layout is called so, though nested tiles would do, and may be padded", () => {
    expect(recognise(morton([3, 3, 3]))).toEqual({ kind: "morton", bits: [3, 3, 3] });
    expect(recognise(morton([3, 1, 2]))).toEqual({ kind: "morton", bits: [3, 1, 2] });
    expect(recognise(morton([3, 3]), [5, 3])).toEqual({ kind: "morton", bits: [3, 3] });
    expect(recognise(morton([3]))).toEqual({ kind: "rowMajor" });
    expect(recognise(morton([1, 1]))).toEqual({ kind: "columnMajor" });
  });

  test("a box smaller than the domain: one tile if nothing plainer; the box of the domain changes nothing", () => {
    expect(recognise(rowMajor([4, 6]), [4, 5])).toEqual(rowMajorTile([4, 6]));
    expect(recognise(rowMajor([4, 6]), [24])).toBeUndefined();
    expect(recognise(rowMajor([4, 6]), [4, 7])).toBeUndefined();
    expect(recognise(rowMajor([4, 6]), [4, -1])).toBeUndefined();
    expect(recognise(rowMajor([4, 6]), [4, 0])).toBeUndefined();
    expect(recognise(rowMajor([0, 6]), [0, 5])).toEqual(rowMajorTile([1, 6]));
    expect(recognise(rowMajor([4, 6]), [4, 6])).toEqual({ kind: "rowMajor" });
    expect(recognise(parseLayout("((2,3),4):((1,2),6)"), [6, 4])).toEqual({ kind: "columnMajor" });
  });

  test("the search is bounded", () => {
    const shape = [...Array(12).keys()].map(() => [2, 2]);
    const strides = shape.map((_, k) => [2 ** k * 3, 2 ** k * 3 + 1]);
    expect(recognise(layout(shape, strides))).toBeUndefined();
    // more axes than a call takes arguments
    const wide = new Array<number>(200_000).fill(1);
    expect(recognise(layout([...wide, [2, 2]], [...wide, [2, 1]]))).toBeUndefined();
    const long = [...Array(6000).keys()].map(() => 1);
    expect(recognise(layout([...long, [2, 2]], [...long, [2, 1]]))).toBeUndefined();
    const deep = [...Array(50).keys()];
    expect(recognise(layout([deep.map(() => 2)], [deep.map((k) => k % 2)]))).toBeUndefined();
  });

  test("wrong types", () => {
    expect(() => recognise({} as never)).toThrow(TypeError);
    expect(() => recognise(4 as never)).toThrow("recognise: argument is not a layout: got 4");
    expect(() => recognise(rowMajor([2]), null as never)).toThrow("recognise: shape is not a list: got null");
    expect(() => recognise(rowMajor([2]), 2 as never)).toThrow(TypeError);
    expect(() => recognise(rowMajor([2]), ["2"] as never)).toThrow(TypeError);
    expect(() => recognise(rowMajor([2]), [0.5])).toThrow(TypeError);
  });

  test("law: the name makes the same function of one coordinate per axis", () => {
    const likely = fc.oneof(
      layouts({ maxLeaves: 4 }),
      layouts().map((l) => rowMajor(l.shape)),
      layouts().map((l) => layout(l.shape)),
    );
    fc.assert(
      fc.property(likely, (l) => {
        checkName(l);
      }),
      { numRuns: 500 },
    );
  });

  test("law: what tiled makes is found, whatever its form", () => {
    const forms = fc.integer({ min: 1, max: 3 }).chain((rank) => {
      const list = (min: number, max: number) =>
        fc.array(fc.integer({ min, max }), { minLength: rank, maxLength: rank });
      const order: fc.Arbitrary<TileOrder> = fc.oneof(
        { weight: 3, arbitrary: fc.constantFrom<TileOrder>("rowMajor", "columnMajor") },
        { weight: 1, arbitrary: list(-9, 9).map((strides) => ({ strides })) },
      );
      return fc.tuple(list(1, 3), list(1, 3), list(1, 9), order, order, order, fc.boolean());
    });
    fc.assert(
      fc.property(forms, ([tile, factor, box, a, b, c, nest]) => {
        const single: TiledForm = { tile, outer: b, inner: a };
        const form: TiledForm = nest ? { tile: tile.map((n, k) => n * factor[k]!), outer: c, inner: single } : single;
        expect(checkName(tiled(box, form), box)).toBeDefined();
      }),
      { numRuns: 500 },
    );
  });

  test("every layout of every vector file, both ways", async () => {
    const counts: Record<string, number> = {};
    const seen = new Set<string>();
    for (const folder of ["layout", "numeric"]) {
      for (const file of await vectorFiles(folder)) {
        for (const l of layoutsIn(file)) {
          if (seen.has(String(l))) continue;
          seen.add(String(l));
          const kind = checkName(l)?.kind ?? "none";
          counts[kind] = (counts[kind] ?? 0) + 1;
        }
      }
    }
    expect(seen.size).toBeGreaterThan(2000);
    expect(Object.keys(counts).sort()).toEqual(["columnMajor", "morton", "none", "rowMajor", "strided", "tiled"]);
  });
});

/** Every pair in some JSON that is a layout. */
function layoutsIn(value: unknown): Layout[] {
  if (typeof value !== "object" || value === null) return [];
  const { shape, strides } = value as { shape?: Tree; strides?: Tree };
  const pair = Array.isArray(value) && value.length === 2 ? value : [shape, strides];
  const nested = Object.values(value).flatMap(layoutsIn);
  const l = asLayout(pair[0], pair[1]);
  return l === undefined ? nested : [l, ...nested];
}

function asLayout(shape: Tree, stride: Tree): Layout | undefined {
  if (!Array.isArray(shape) || !Array.isArray(stride)) return undefined;
  try {
    const l: unknown = layout(shape, stride);
    return isLayout(l) ? l : undefined;
  } catch {
    return undefined;
  }
}
