import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  blockedProduct,
  complement,
  flatProduct,
  logicalProduct,
  modeOf,
  rakedProduct,
  tiledProduct,
  tileToShape,
  zippedProduct,
} from "../src/algebra.js";
import {
  columnMajor,
  compose,
  cosize,
  extents,
  isInjective,
  type Layout,
  LayoutError,
  layout,
  parseLayout,
} from "../src/index.js";
import { cases, enumerate, flat, fromVector, layouts, normalForm, refusal, type Tree } from "./support.js";

type Wanted = [Tree, Tree] | { readonly err: string; readonly why: string };

interface ProductCase {
  readonly a: readonly [Tree, Tree];
  readonly b: readonly [Tree, Tree];
  readonly want: { readonly logical_product: Wanted; readonly blocked_product: Wanted; readonly raked_product: Wanted };
  readonly n1?: boolean;
}

interface TilerCase {
  readonly a: readonly [Tree, Tree];
  readonly tiler: readonly (readonly [Tree, Tree] | null)[];
  readonly logical_product: { readonly want: Wanted };
  readonly zipped_product: { readonly want: Wanted };
  readonly tiled_product: { readonly want: Wanted };
  readonly flat_product: { readonly want: Wanted };
  readonly n1?: boolean;
}

const OF_COMPLEMENT = ["overlap", "divisibility"];

function expectCase(fn: () => Layout, want: Wanted, collapse: boolean | undefined, what: string): void {
  if ("err" in want) {
    const code = OF_COMPLEMENT.includes(want.why) ? "SW_LAYOUT_COMPLEMENT" : "SW_LAYOUT_INADMISSIBLE";
    expect([refusal(code, fn).reason, what]).toEqual([want.why, what]);
    return;
  }
  const r = fn();
  expect(normalForm(r.shape, r.stride, collapse), what).toEqual(normalForm(...want, collapse));
}

/** Runs a product; undefined when it is refused for what layouts can be refused for. */
function attempt(fn: () => Layout): Layout | undefined {
  try {
    return fn();
  } catch (error) {
    if (!(error instanceof LayoutError)) throw error;
    const codes = ["SW_LAYOUT_COMPLEMENT", "SW_LAYOUT_INADMISSIBLE", "SW_LAYOUT_SIGN", "SW_LAYOUT_EMPTY"];
    expect(codes).toContain(error.code);
    expect(String(error.layout).length * String(error.other).length).toBeGreaterThan(0);
    return undefined;
  }
}

const blocks = layouts({ maxDepth: 2, maxLeaves: 3, maxExtent: 4, minStride: 0, maxStride: 12, minExtent: 1 });
const copies = layouts({ maxDepth: 2, maxLeaves: 3, maxExtent: 4, minStride: 0, maxStride: 6 });

/** Products that are mostly accepted: a compact block, spread out, by compact copies. */
const regular = fc
  .tuple(
    fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
    fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
    fc.integer({ min: 1, max: 3 }),
  )
  .map(([block, grid, gap]) => {
    const compact = columnMajor(block);
    return [
      layout(
        block,
        flat(compact.stride).map((d) => d * gap),
      ),
      columnMajor(grid),
    ] as const;
  });

describe("logicalProduct", () => {
  test("LA-90 to LA-92, decisions: the shared vectors, accepted and refused alike, with the reason", async () => {
    let overlaps = 0;
    for (const c of await cases<ProductCase>("layout/product")) {
      const a = fromVector(c.a);
      const b = fromVector(c.b);
      const what = `${a} by ${b}`;
      if ("err" in c.want.logical_product && c.want.logical_product.why === "overlap") overlaps++;
      expectCase(() => logicalProduct(a, b), c.want.logical_product, c.n1, what);
      expectCase(() => blockedProduct(a, b), c.want.blocked_product, c.n1, what);
      expectCase(() => rakedProduct(a, b), c.want.raked_product, c.n1, what);
    }
    expect(overlaps).toBe(35);
  });

  test("LA-90 LA-91 law: mode 0 is a, mode 1 is the free places in the order of b, and nothing overlaps", () => {
    let accepted = 0;
    const expectProduct = (a: Layout, b: Layout): void => {
      const r = attempt(() => logicalProduct(a, b));
      if (r === undefined) return;
      accepted++;
      expect(r.rank).toBe(2);
      expect(enumerate(modeOf(r, 0))).toEqual(enumerate(a));
      const places = complement(a, a.size * cosize(b), { roundUp: true });
      const free = enumerate(places);
      expect(enumerate(modeOf(r, 1))).toEqual(enumerate(b).map((index) => free[index]));
      if (isInjective(b)) expect(isInjective(r), `${a} by ${b} is ${r}`).toBe(true);
    };
    fc.assert(
      fc.property(blocks, copies, regular, (a, b, [block, grid]) => {
        expectProduct(a, b);
        expectProduct(block, grid);
      }),
      { numRuns: 600 },
    );
    expect(accepted).toBeGreaterThan(600);
  });

  test.each([
    ["(2,2):(4,1)", "(6):(1)", "((2,2),(2,3)):((4,1),(2,8))"],
    ["(2,2):(4,1)", "(4,2):(2,1)", "((2,2),(4,2)):((4,1),(8,2))"],
    ["(4):(1)", "(3):(1)", "(4,3):(1,4)"],
    ["(4):(1)", "(2,3):(0,1)", "(4,(2,3)):(1,(0,4))"],
    ["(4):(1)", "(1):(9)", "(4,1):(1,0)"],
    ["():()", "(3):(1)", "(1,3):(0,1)"],
    ["(4):(1)", "():()", "(4,1):(1,0)"],
    ["(4):(1)", "(0):(1)", "(4,0):(1,0)"],
  ])("LA-90 LA-81 %s by %s is %s", (a, b, r) => {
    expect(String(logicalProduct(parseLayout(a), parseLayout(b)))).toBe(r);
  });

  test("LA-90 places that no layout gives are refused, naming the free places and the copies", () => {
    const error = refusal("SW_LAYOUT_INADMISSIBLE", () => logicalProduct(parseLayout("(2,2):(4,1)"), 3));
    expect([String(error.layout), String(error.other), error.reason]).toEqual(["(2,2):(2,8)", "(3):(1)", "shape"]);
    expect(error.operation).toBe("logicalProduct");
  });

  test("LA-94 an integer n is n:1", () => {
    const a = parseLayout("(2,2):(4,1)");
    expect(String(logicalProduct(a, 6))).toBe(String(logicalProduct(a, parseLayout("6:1"))));
    expect(String(blockedProduct(a, 6))).toBe(String(blockedProduct(a, parseLayout("6:1"))));
  });

  test("decisions: a block that is not injective is refused, with both layouts in the message", () => {
    const a = parseLayout("(2):(0)");
    const b = parseLayout("(3):(1)");
    for (const fn of [logicalProduct, zippedProduct, tiledProduct, flatProduct, blockedProduct, rakedProduct]) {
      const error = refusal("SW_LAYOUT_COMPLEMENT", () => fn(a, b));
      expect(error).toMatchObject({ layout: a, other: b, operation: fn.name, reason: "overlap" });
      expect(error.message).toMatch(/got \(2\):\(0\) .*\(3\):\(1\)/);
    }
  });

  test("D3 an empty block and negative strides are refused, empty copies are not", () => {
    const four = parseLayout("(4):(1)");
    const empty = parseLayout("(0):(1)");
    const back = parseLayout("(4):(-1)");
    expect(refusal("SW_LAYOUT_EMPTY", () => logicalProduct(empty, four))).toMatchObject({ layout: empty, other: four });
    expect(refusal("SW_LAYOUT_SIGN", () => logicalProduct(back, four))).toMatchObject({ layout: back, other: four });
    expect(refusal("SW_LAYOUT_INADMISSIBLE", () => logicalProduct(four, back)).reason).toBe("domain");
    expect(logicalProduct(four, empty).size).toBe(0);
  });

  test("field case 3: a product beyond 2^53 - 1 is refused, not rounded", () => {
    const half = layout([2 ** 30]);
    const error = refusal("SW_LAYOUT_UNSAFE_INTEGER", () => logicalProduct(half, half));
    expect(error).toMatchObject({ operation: "logicalProduct", layout: half, other: half });
    expect(String(logicalProduct(half, 2 ** 22))).toBe(`(${2 ** 30},${2 ** 22}):(1,${2 ** 30})`);
  });

  test("wrong input: what is no layout, integer or tiler", () => {
    const l = layout([4]);
    for (const fn of [logicalProduct, zippedProduct, tiledProduct, flatProduct, blockedProduct, rakedProduct]) {
      expect(() => fn([4] as never, l)).toThrow(TypeError);
      for (const wrong of [undefined, null, "4", 1.5, {}]) {
        expect(() => fn(l, wrong as never), `${fn.name} ${wrong}`).toThrow(TypeError);
      }
      expect(refusal("SW_LAYOUT_EXTENT", () => fn(l, -1)).operation).toBe(fn.name);
    }
    for (const fn of [blockedProduct, rakedProduct]) expect(() => fn(l, [2] as never)).toThrow(TypeError);
  });
});

describe("products by mode", () => {
  test("LA-93 LA-84: the shared vectors, accepted and refused alike, with the reason", async () => {
    for (const c of await cases<TilerCase>("layout/product_tiler")) {
      const a = fromVector(c.a);
      const tiler = c.tiler.map((entry) => (entry === null ? null : fromVector(entry)));
      const what = `${a} by <${tiler.join(",")}>`;
      expectCase(() => logicalProduct(a, tiler), c.logical_product.want, c.n1, what);
      expectCase(() => zippedProduct(a, tiler), c.zipped_product.want, c.n1, what);
      expectCase(() => tiledProduct(a, tiler), c.tiled_product.want, c.n1, what);
      expectCase(() => flatProduct(a, tiler), c.flat_product.want, c.n1, what);
    }
  });

  test("LA-93 law: the forms hold the same blocks and copies", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 4 }), regular, (m, n, [a]) => {
        const tiler = [m, n].slice(0, a.rank);
        const zipped = attempt(() => zippedProduct(a, tiler));
        if (zipped === undefined) return;
        const sorted = (l: Layout): number[] => enumerate(l).sort((x, y) => x - y);
        const whole = sorted(zipped);
        expect(sorted(logicalProduct(a, tiler))).toEqual(whole);
        expect(enumerate(tiledProduct(a, tiler))).toEqual(enumerate(zipped));
        expect(enumerate(flatProduct(a, tiler))).toEqual(enumerate(zipped));
        for (let i = 0; i < tiler.length; i++) {
          const mode = modeOf(a, i);
          expect(enumerate(modeOf(logicalProduct(a, tiler), i))).toEqual(enumerate(logicalProduct(mode, tiler[i]!)));
        }
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["logicalProduct", logicalProduct, "((8,7),(2,6),3):((1,8),(8,1),16)"],
    ["zippedProduct", zippedProduct, "((8,2),(7,6,3)):((1,8),(8,1,16))"],
    ["tiledProduct", tiledProduct, "((8,2),7,6,3):((1,8),8,1,16)"],
    ["flatProduct", flatProduct, "(8,2,7,6,3):(1,8,8,1,16)"],
  ] as const)("LA-93 %s keeps modes beyond the tiler", (_, fn, r) => {
    expect(String(fn(parseLayout("(8,2,3):(1,8,16)"), [7, parseLayout("6:1")]))).toBe(r);
  });

  test("LA-67 too many entries are refused, bad ones are TypeErrors", () => {
    const a = layout([4]);
    for (const fn of [logicalProduct, zippedProduct, tiledProduct, flatProduct]) {
      expect(refusal("SW_LAYOUT_TILER", () => fn(a, [2, 2])).operation).toBe(fn.name);
      for (const wrong of [undefined, "2", 1.5, [2]]) expect(() => fn(a, [wrong as never])).toThrow(TypeError);
    }
  });
});

describe("blockedProduct and rakedProduct", () => {
  test("LA-92 law: mode j is mode j of the block and of the copies, in either order", () => {
    fc.assert(
      fc.property(regular, ([a, b]) => {
        const product = attempt(() => logicalProduct(a, b));
        if (product === undefined) return;
        const places = compose(complement(a, a.size * cosize(b), { roundUp: true }), b);
        const blocked = blockedProduct(a, b);
        const raked = rakedProduct(a, b);
        const rank = Math.max(a.rank, b.rank);
        expect([blocked.rank, raked.rank]).toEqual([rank, rank]);
        for (let j = 0; j < rank; j++) {
          const inner = j < a.rank ? enumerate(modeOf(a, j)) : [0];
          const outer = j < b.rank ? enumerate(modeOf(places, j)) : [0];
          expect(enumerate(modeOf(blocked, j))).toEqual(outer.flatMap((o) => inner.map((i) => o + i)));
          expect(enumerate(modeOf(raked, j))).toEqual(inner.flatMap((i) => outer.map((o) => o + i)));
        }
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["(2,5):(5,1)", "(3,4):(1,3)", "((2,3),(5,4)):((5,10),(1,30))", "((3,2),(4,5)):((10,5),(30,1))"],
    ["(2,2):(4,1)", "(6):(1)", "((2,(2,3)),(2,1)):((4,(2,8)),(1,0))", "(((2,3),2),(1,2)):(((2,8),4),(0,1))"],
    ["(4):(1)", "(2,3):(3,1)", "((4,2),(1,3)):((1,12),(0,4))", "((2,4),(3,1)):((12,1),(4,0))"],
    ["():()", "():()", "():()", "():()"],
  ])("LA-92 %s by %s is %s blocked and %s raked", (a, b, blocked, raked) => {
    expect(String(blockedProduct(parseLayout(a), parseLayout(b)))).toBe(blocked);
    expect(String(rakedProduct(parseLayout(a), parseLayout(b)))).toBe(raked);
  });
});

describe("tileToShape", () => {
  test("LA-95 law: a layout of the extents of the shape, filled by whole blocks, each index once", () => {
    const extent = fc.integer({ min: 1, max: 3 });
    const grid = fc.array(fc.tuple(extent, extent), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(grid, fc.boolean(), fc.array(fc.integer(), { minLength: 3, maxLength: 3 }), (modes, flip, ranks) => {
        const shape = modes.map(([inner]) => inner);
        const block = flip
          ? layout(shape, [...columnMajor([...shape].reverse()).stride].reverse())
          : columnMajor(shape);
        const target = modes.map(([inner, outer]) => inner * outer);
        const r = tileToShape(block, target, ranks.slice(0, modes.length));
        expect(extents(r)).toEqual(target);
        expect([...enumerate(r)].sort((x, y) => x - y)).toEqual(Array.from({ length: r.size }, (_, i) => i));
        // the first block is the block itself
        const first = enumerate(
          layout(
            r.shape.map((mode) => (mode as number[])[0]!),
            r.stride.map((mode) => (mode as number[])[0]!),
          ),
        );
        expect(first).toEqual(enumerate(block));
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ["(3,4):(1,3)", [9, 12], undefined, "((3,3),(4,3)):((1,12),(3,36))"],
    ["(3,4):(1,3)", [9, 12], [1, 0], "((3,3),(4,3)):((1,36),(3,12))"],
    ["(2):(1)", [4, 6], undefined, "((2,2),(1,6)):((1,2),(0,4))"],
    [
      "(2):(1)",
      [
        [2, 2],
        [3, 2],
      ],
      undefined,
      "((2,2),(1,6)):((1,2),(0,4))",
    ],
    ["():()", [2, 3], undefined, "((1,2),(1,3)):((0,1),(0,2))"],
    ["(2):(1)", [0], undefined, "((2,0)):((1,0))"],
  ] as const)("LA-95 %s to %j by %j is %s", (block, shape, order, r) => {
    expect(String(tileToShape(parseLayout(block), shape, order))).toBe(r);
  });

  test("LA-95 a block that does not fit is refused", () => {
    const block = parseLayout("(3,4):(1,3)");
    const error = refusal("SW_LAYOUT_TILE", () => tileToShape(block, [9, 10]));
    expect(error).toMatchObject({ layout: block, shape: [9, 10], axis: 1, operation: "tileToShape" });
    expect(error.message).toBe(
      "tileToShape: the block does not divide axis 1: got (3,4):(1,3) for [9,10], expected a multiple of 4.",
    );
    expect(refusal("SW_LAYOUT_TILE", () => tileToShape(block, [12])).axis).toBe(1);
    expect(refusal("SW_LAYOUT_INCONGRUENT", () => tileToShape(block, [9, 12], [0])).operation).toBe("tileToShape");
    expect(refusal("SW_LAYOUT_EMPTY", () => tileToShape(parseLayout("0:1"), [4])).shape).toEqual([4]);
    expect(refusal("SW_LAYOUT_COMPLEMENT", () => tileToShape(parseLayout("2:0"), [4])).operation).toBe("tileToShape");
    expect(() => tileToShape([3] as never, [9])).toThrow(TypeError);
    expect(() => tileToShape(block, 9 as never)).toThrow(TypeError);
    expect(() => tileToShape(block, [9, 12], "10" as never)).toThrow(TypeError);
  });
});
