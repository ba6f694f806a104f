import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ceilDiv, flatDivide, logicalDivide, modeOf, tiledDivide, zippedDivide } from "../src/algebra.js";
import { compose, type Layout, layout, layoutEquals, parseLayout, type Tiler } from "../src/index.js";
import { cases, enumerate, flat, fromVector, layouts, normalForm, refusal, type Tree } from "./support.js";

type Want = [Tree, Tree] | { readonly err: string; readonly why: string };

interface DivideCase {
  readonly a: readonly [Tree, Tree];
  readonly b: readonly [Tree, Tree];
  readonly want: Want;
  readonly n1?: boolean;
}

interface TilerCase {
  readonly a: readonly [Tree, Tree];
  readonly tiler: readonly (readonly [Tree, Tree] | null)[];
  readonly logical_divide: { readonly want: Want };
  readonly zipped_divide: { readonly want: Want };
  readonly tiled_divide: { readonly want: Want };
  readonly flat_divide: { readonly want: Want };
  readonly n1?: boolean;
}

const DIVIDES = { logicalDivide, zippedDivide, tiledDivide, flatDivide };
const COMPLEMENT = ["overlap", "divisibility", "cotarget"];

function expectWanted(divide: () => Layout, want: Want, collapse: boolean): void {
  if (!("err" in want)) {
    const r = divide();
    expect(normalForm(r.shape, r.stride, collapse)).toEqual(normalForm(...want, collapse));
    return;
  }
  const reason = want.why.split(" ")[0]!;
  const code = COMPLEMENT.includes(reason) ? "SW_LAYOUT_COMPLEMENT" : "SW_LAYOUT_INADMISSIBLE";
  expect(refusal(code, divide).reason).toBe(reason);
}

/** Random tiles: numbers, nulls and small layouts. */
const tile = fc.oneof(
  fc.constant(null),
  fc.integer({ min: 0, max: 6 }),
  layouts({ maxLeaves: 2, maxExtent: 4, maxDepth: 2, minStride: -1, maxStride: 6 }),
);

/** Layouts whose modes, and their parts, are easily divided. */
const divisible = layouts({ maxDepth: 3, maxExtent: 6, maxLeaves: 4 });

const sorted = (list: number[]): number[] => list.sort((a, b) => a - b);

function isRefusal(error: unknown): boolean {
  const code = (error as { code?: string }).code ?? "";
  return ["COMPLEMENT", "INADMISSIBLE", "SIGN", "EMPTY"].map((end) => `SW_LAYOUT_${end}`).includes(code);
}

describe("logicalDivide", () => {
  test("LA-80 LA-81: the shared vectors, accepted and refused alike, with the reason", async () => {
    for (const c of await cases<DivideCase>("layout/divide")) {
      expectWanted(() => logicalDivide(fromVector(c.a), fromVector(c.b)), c.want, c.n1 === true);
    }
  });

  test("LA-80 LA-81 law: two modes, the tile first, every index as often as before; or refused", () => {
    let accepted = 0;
    fc.assert(
      fc.property(divisible, tile, (a, entry) => {
        const b = entry ?? 1;
        let r: Layout;
        try {
          r = logicalDivide(a, b);
        } catch (error) {
          return isRefusal(error);
        }
        accepted++;
        expect([r.rank, r.size]).toEqual([2, a.size]);
        expect(sorted(enumerate(r))).toEqual(sorted(enumerate(a)));
        if (a.size > 0) expect(enumerate(modeOf(r, 0))).toEqual(enumerate(compose(a, b)));
        return true;
      }),
      { numRuns: 1000 },
    );
    expect(accepted).toBeGreaterThan(200);
  });

  test("field case 2: a tile keeps every element or is refused, by layout or by number", () => {
    const l = parseLayout("(12,(4,8)):(7,(1,30))");
    const runTime = (n: number): number => Number(String(n));
    for (const [n, text] of [
      [24, "((12,2),(2,8)):((7,1),(2,30))"],
      [48, "((12,4),8):((7,1),30)"],
    ] as const) {
      for (const b of [n, runTime(n), layout([n]), parseLayout(`${n}:1`)]) {
        const r = logicalDivide(l, b);
        expect(String(r)).toBe(text);
        expect(r.size).toBe(384);
        expect(enumerate(r)).toEqual(enumerate(l));
      }
    }
    for (const b of [128, runTime(128), layout([128])]) {
      for (const divide of Object.values(DIVIDES)) {
        expect(refusal("SW_LAYOUT_INADMISSIBLE", () => divide(l, b))).toMatchObject({ reason: "shape", layout: l });
      }
    }
    expect(refusal("SW_LAYOUT_COMPLEMENT", () => logicalDivide(l, 100)).reason).toBe("divisibility");
  });

  test.each<[string, number | string | Tiler, string]>([
    ["(4,2,3):(2,1,8)", "4:2", "((2,2),(2,3)):((4,1),(2,8))"],
    ["(4,2,3):(2,1,8)", 24, "((4,2,3),1):((2,1,8),0)"],
    ["(4):(1)", "4:1", "(4,1):(1,0)"],
    ["(4):(1)", "():()", "(1,4):(0,1)"],
    ["(16):(-1)", "(2,2):(8,1)", "((2,2),4):((-8,-1),-2)"],
    ["(8,3):(0,1)", "2:1", "(2,(4,3)):(0,(0,1))"],
    ["(0,3):(1,0)", 4, "(4,0):(0,0)"],
    ["(8,6,5):(1,8,48)", [4, 3], "((4,2),(3,2),5):((1,4),(8,24),48)"],
    ["(8,6,5):(1,8,48)", [null, 3], "(8,(3,2),5):(1,(8,24),48)"],
    ["(8,6,5):(1,8,48)", [], "(8,6,5):(1,8,48)"],
    ["(8,0):(1,8)", [2, 2], "((2,4),(2,0)):((1,2),(0,0))"],
  ])("LA-80 LA-82 %s by %s is %s", (a, b, r) => {
    expect(String(logicalDivide(parseLayout(a), typeof b === "string" ? parseLayout(b) : b))).toBe(r);
  });

  test("LA-80 refusals name the operation and carry both layouts", () => {
    const a = layout([10], [3]);
    const b = parseLayout("4:1");
    const error = refusal("SW_LAYOUT_COMPLEMENT", () => logicalDivide(a, b));
    expect(error).toMatchObject({ operation: "logicalDivide", layout: a, other: b, value: 10 });
    expect(error.message).toBe(
      "logicalDivide: no layout is this complement (divisibility): got (4):(1) in 10 elements of (10):(3), where the span 4 does not divide 10; expected spans that divide each other and the elements.",
    );
    const empty = refusal("SW_LAYOUT_EMPTY", () => zippedDivide(a, 0));
    expect(empty).toMatchObject({ operation: "zippedDivide", layout: a });
    expect(empty.message).toBe(
      "zippedDivide: an empty layout has no complement: got (0):(1), expected extents of 1 or more (tile of (10):(3)).",
    );
    expect(refusal("SW_LAYOUT_SIGN", () => flatDivide(a, [parseLayout("2:-1")])).operation).toBe("flatDivide");
    expect(refusal("SW_LAYOUT_TILER", () => tiledDivide(a, [2, 2]))).toMatchObject({ layout: a, value: 2 });
  });

  test("wrong input: wrong types are TypeErrors in every form", () => {
    for (const divide of Object.values(DIVIDES)) {
      for (const b of ["4", null, undefined, {}, 1.5, ["4"], [undefined], [[2]]]) {
        expect(() => divide(layout([8]), b as never)).toThrow(TypeError);
      }
      expect(() => divide([8] as never, 2)).toThrow(TypeError);
    }
  });
});

describe("zippedDivide, tiledDivide and flatDivide", () => {
  test("LA-82 LA-83 LA-84: the shared vectors in all four forms, accepted and refused alike", async () => {
    for (const c of await cases<TilerCase>("layout/tiler")) {
      const a = fromVector(c.a);
      const tiler = c.tiler.map((entry) => (entry === null ? null : fromVector(entry)));
      const collapse = c.n1 === true;
      expectWanted(() => logicalDivide(a, tiler), c.logical_divide.want, collapse);
      expectWanted(() => zippedDivide(a, tiler), c.zipped_divide.want, collapse);
      expectWanted(() => tiledDivide(a, tiler), c.tiled_divide.want, collapse);
      expectWanted(() => flatDivide(a, tiler), c.flat_divide.want, collapse);
    }
  });

  test("LA-82 law: every form has every index as often as before, the leaves in one order; or all are refused", () => {
    let accepted = 0;
    fc.assert(
      fc.property(divisible, fc.array(tile, { maxLength: 3 }), (a, tiler) => {
        fc.pre(tiler.length <= a.rank);
        let zipped: Layout;
        try {
          zipped = zippedDivide(a, tiler);
        } catch (error) {
          const { code } = error as { code: string };
          for (const divide of [logicalDivide, tiledDivide, flatDivide]) refusal(code as never, () => divide(a, tiler));
          return isRefusal(error);
        }
        accepted++;
        const tiled = tiledDivide(a, tiler);
        const spread = flatDivide(a, tiler);
        for (const r of [logicalDivide(a, tiler), zipped, tiled, spread]) {
          expect(r.size).toBe(a.size);
          expect(sorted(enumerate(r))).toEqual(sorted(enumerate(a)));
        }
        expect([zipped.rank, tiled.rank]).toEqual([2, 1 + a.rank]);
        expect(spread.rank).toBe(tiler.length + a.rank);
        if (tiler.length > 0 && a.size > 0) {
          for (const r of [tiled, spread]) {
            expect(flat(r.shape)).toEqual(flat(zipped.shape));
            expect(flat(r.stride)).toEqual(flat(zipped.stride));
          }
          const tiles = tiler.map((entry) => entry ?? 1);
          const composed = compose(a, tiles);
          expect(enumerate(modeOf(zipped, 0))).toEqual(
            enumerate(layout(composed.shape.slice(0, tiler.length), composed.stride.slice(0, tiler.length))),
          );
        }
        return true;
      }),
      { numRuns: 600 },
    );
    expect(accepted).toBeGreaterThan(100);
  });

  test.each<[Layout | number | Tiler, string, string, string]>([
    [[4, 3], "((4,3),(2,2,5)):((1,8),(4,24,48))", "((4,3),2,2,5):((1,8),4,24,48)", "(4,3,2,2,5):(1,8,4,24,48)"],
    [[4], "((4),(2,6,5)):((1),(4,8,48))", "((4),2,6,5):((1),4,8,48)", "(4,2,6,5):(1,4,8,48)"],
    [[null, 3], "((1,3),(8,2,5)):((0,8),(1,24,48))", "((1,3),8,2,5):((0,8),1,24,48)", "(1,3,8,2,5):(0,8,1,24,48)"],
    [[], "(1,(8,6,5)):(0,(1,8,48))", "(1,8,6,5):(0,1,8,48)", "(8,6,5):(1,8,48)"],
    [16, "(16,15):(1,16)", "(16,15):(1,16)", "(16,15):(1,16)"],
    [parseLayout("4:2"), "(4,(2,30)):(2,(1,8))", "(4,2,30):(2,1,8)", "(4,2,30):(2,1,8)"],
  ])("LA-82 LA-83 LA-84 (8,6,5):(1,8,48) by %s", (b, zipped, tiled, spread) => {
    const a = layout([8, 6, 5]);
    expect(String(zippedDivide(a, b))).toBe(zipped);
    expect(String(tiledDivide(a, b))).toBe(tiled);
    expect(String(flatDivide(a, b))).toBe(spread);
  });

  test("rank 0 by the empty tiler", () => {
    const a = layout([]);
    expect(String(logicalDivide(a, []))).toBe("():()");
    expect(String(zippedDivide(a, []))).toBe("(1,1):(0,0)");
    expect(String(tiledDivide(a, []))).toBe("(1):(0)");
    expect(String(flatDivide(a, []))).toBe("():()");
    expect(layoutEquals(logicalDivide(a, 1), parseLayout("(1,1):(0,0)"))).toBe(true);
  });
});

describe("ceilDiv", () => {
  test("LA-85 law: per mode, extents divided and rounded up", () => {
    const extents = fc.array(fc.nat({ max: 50 }), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(extents, fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 4 }), (shape, tiles) => {
        const tiler = tiles.slice(0, shape.length);
        expect(ceilDiv(shape, tiler)).toEqual(shape.map((extent, i) => Math.ceil(extent / (tiler[i] ?? 1))));
      }),
      { numRuns: 300 },
    );
  });

  test("LA-85 law: as many tiles as the exact division counts", () => {
    fc.assert(
      fc.property(divisible, tile, (a, entry) => {
        let rest: Layout;
        try {
          rest = modeOf(logicalDivide(a, entry ?? 1), 1);
        } catch (error) {
          return isRefusal(error);
        }
        expect(flat(ceilDiv(a.shape, entry ?? 1)).reduce((x, y) => x * y, 1)).toBe(rest.size);
        return true;
      }),
      { numRuns: 300 },
    );
  });

  test.each<[readonly Tree[], number | Tiler | Layout, readonly Tree[]]>([
    [
      [100, 70, 3],
      [32, 32],
      [4, 3, 3],
    ],
    [
      [100, [7, 10]],
      [null, 32],
      [100, 3],
    ],
    [[[7, 10], 3], [null], [[7, 10], 3]],
    [[4, 6], 5, [5]],
    [[24], [parseLayout("4:2")], [[2, 3]]],
    [[24], parseLayout("4:2"), [2, 3]],
    [[3], 8, [1]],
    [[0], 8, [0]],
    [[], [], []],
    [[], 8, [1]],
  ])("LA-85 %j by %s is %j", (shape, b, want) => {
    expect(ceilDiv(shape, b)).toEqual(want);
  });

  test("LA-85 wrong input", () => {
    expect(refusal("SW_LAYOUT_TILER", () => ceilDiv([4], [2, 2])).operation).toBe("ceilDiv");
    expect(refusal("SW_LAYOUT_EMPTY", () => ceilDiv([4], [0])).operation).toBe("ceilDiv");
    refusal("SW_LAYOUT_EXTENT", () => ceilDiv([4], -1));
    refusal("SW_LAYOUT_EXTENT", () => ceilDiv([-4], 1));
    refusal("SW_LAYOUT_COMPLEMENT", () => ceilDiv([8], [parseLayout("(2,2):(1,1)")]));
    expect(() => ceilDiv(4 as never, 2)).toThrow(TypeError);
    expect(() => ceilDiv([4], "2" as never)).toThrow(TypeError);
  });
});
