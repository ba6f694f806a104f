import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  blocked,
  extents,
  indexOf,
  type Layout,
  morton,
  nhwc,
  type TiledForm,
  type TileOrder,
  tiled,
} from "../src/index.js";
import { cases, refusal } from "./support.js";
import { address, coordinates, formOf, type TiledCase } from "./tile-support.js";

/** Random boxes and forms, up to three levels, whose nested tiles divide. */
const forms = fc.integer({ min: 1, max: 3 }).chain((rank) => {
  const list = (min: number, max: number) => fc.array(fc.integer({ min, max }), { minLength: rank, maxLength: rank });
  const order: fc.Arbitrary<TileOrder> = fc.oneof(
    fc.constantFrom<TileOrder>("rowMajor", "columnMajor"),
    list(-9, 9).map((strides) => ({ strides })),
  );
  return fc
    .tuple(fc.array(list(1, 3), { minLength: 1, maxLength: 3 }), fc.array(order, { minLength: 4 }), list(0, 7))
    .map(([factors, orders, box]) => {
      let tile = factors[0]!;
      let form: TiledForm = { tile, outer: orders[1]!, inner: orders[0]! };
      factors.slice(1).forEach((factor, i) => {
        tile = tile.map((n, k) => n * factor[k]!);
        form = { tile, outer: orders[i + 2]!, inner: form };
      });
      return { box, form };
    });
});

function indices(l: Layout, box: readonly number[]): number[] {
  return coordinates(box).map((c) => indexOf(l, c));
}

describe("tiled", () => {
  test("Hurray 4.3: [6,8] by [2,4], element [3,5] is at 29", () => {
    const l = tiled([6, 8], { tile: [2, 4], outer: "rowMajor", inner: "rowMajor" });
    expect(indexOf(l, [3, 5])).toBe(29);
    expect(String(l)).toBe("((2,3),(4,2)):((4,16),(1,8))");
  });

  test("Hurray 4.3, 4.4: the offsets of every address vector", async () => {
    const all = await cases<TiledCase>("hurray/addresses");
    expect(all.length).toBe(26);
    for (const { id, shape, layout, offsets } of all) {
      if ("mortonBits" in layout) {
        expect(indices(morton(layout.mortonBits), shape), id).toEqual(offsets);
      } else if (id === "addr-tiled-nested-nondividing") {
        refusal("SW_LAYOUT_TILE", () => tiled(shape, formOf(layout)));
      } else {
        expect(indices(tiled(shape, formOf(layout)), shape), id).toEqual(offsets);
      }
    }
  });

  test("law: the address formula, over whole tiles", () => {
    fc.assert(
      fc.property(forms, ({ box, form }) => {
        const l = tiled(box, form);
        expect(extents(l)).toEqual(box.map((n, k) => Math.ceil(n / form.tile[k]!) * form.tile[k]!));
        const inside = extents(l).map((n) => Math.min(n, 9));
        expect(indices(l, inside)).toEqual(coordinates(inside).map((c) => address(box, form, c)));
      }),
      { numRuns: 300 },
    );
  });

  test("rank 0, a tile larger than the box, a box without elements", () => {
    expect(String(tiled([], { tile: [], outer: "rowMajor", inner: "rowMajor" }))).toBe("():()");
    expect(String(tiled([3], { tile: [4], outer: "rowMajor", inner: "rowMajor" }))).toBe("(4):(1)");
    expect(tiled([0, 3], { tile: [2, 2], outer: "rowMajor", inner: "rowMajor" }).size).toBe(0);
    const zero = { strides: [0] };
    expect(extents(tiled([2 ** 53 - 4], { tile: [3], outer: zero, inner: zero }))).toEqual([2 ** 53 - 2]);
  });

  test("wrong input", () => {
    const plain = { outer: "rowMajor", inner: "rowMajor" } as const;
    const nested = refusal("SW_LAYOUT_TILE", () =>
      tiled([8, 8], { tile: [4, 4], outer: "rowMajor", inner: { tile: [2, 3], ...plain } }),
    );
    expect(nested.message).toBe(
      "tiled: a tile does not fit: got extent 3 on axis 1 of tile [2,3], expected a divisor of 4, the tile around it.",
    );
    expect([nested.axis, nested.value, nested.shape, nested.otherShape]).toEqual([1, 3, [2, 3], [4, 4]]);
    expect(refusal("SW_LAYOUT_TILE", () => tiled([4], { tile: [0], ...plain })).value).toBe(0);
    refusal("SW_LAYOUT_TILE", () => tiled([4, 4], { tile: [2], ...plain }));
    refusal("SW_LAYOUT_TILE", () => tiled([4], { tile: [2], outer: { strides: [1, 2] }, inner: "rowMajor" }));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => tiled([2 ** 30, 2 ** 30], { tile: [1, 1], ...plain }));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () =>
      tiled([0, 4], { tile: [2, 2], outer: { strides: [2 ** 53 - 1, 1] }, inner: "rowMajor" }),
    );
    refusal("SW_LAYOUT_EXTENT", () => tiled([-1], { tile: [1], ...plain }));
    const endless: { tile: number[]; outer: "rowMajor"; inner: TiledForm } = {
      tile: [1],
      outer: "rowMajor",
      inner: { tile: [1], ...plain },
    };
    endless.inner = endless;
    refusal("SW_LAYOUT_DEPTH", () => tiled([4], endless));
    for (const bad of [null, undefined, 3, "tiled", {}, { tile: 3 }, { tile: ["2"] }, { tile: [[2]], ...plain }]) {
      expect(() => tiled([4], bad as never)).toThrow(TypeError);
    }
    for (const bad of [null, undefined, 3, "diagonal", {}, { strides: 2 }, { strides: [0.5] }]) {
      expect(() => tiled([4], { tile: [2], outer: bad as never, inner: "rowMajor" })).toThrow(TypeError);
      expect(() => tiled([4], { tile: [2], outer: "rowMajor", inner: bad as never })).toThrow(TypeError);
    }
    expect(() => tiled([[2, 2]] as never, { tile: [2], ...plain })).toThrow(TypeError);
    expect(() => tiled(4 as never, { tile: [2], ...plain })).toThrow(TypeError);
  });
});

describe("blocked and nhwc", () => {
  test("NCHWc: lanes are the fastest, then the other axes row-major", () => {
    const l = blocked([2, 8, 3, 5], 1, 4);
    expect(String(l)).toBe("(2,(4,2),3,5):(120,(1,60),20,4)");
    expect(indexOf(l, [1, 6, 2, 3])).toBe(((1 * 2 + 1) * 3 + 2) * 5 * 4 + 3 * 4 + 2);
    expect(extents(blocked([2, 5, 3, 5], 1, 4))).toEqual([2, 8, 3, 5]);
  });

  test("NHWC: the channels are the fastest", () => {
    expect(String(nhwc([2, 3, 4, 5]))).toBe("(2,3,4,5):(60,1,15,3)");
    expect(String(nhwc([2, 3]))).toBe("(2,3):(3,1)");
    expect(String(nhwc([2, 3, 4, 5, 6]))).toBe("(2,3,4,5,6):(360,1,90,18,3)");
  });

  test("wrong input", () => {
    const error = refusal("SW_LAYOUT_AXIS", () => blocked([2, 3], 2, 4));
    expect(error.message).toBe("blocked: axis does not exist: got axis 2, expected 0 to 1 (shape [2,3]).");
    expect([error.axis, error.shape]).toEqual([2, [2, 3]]);
    expect(refusal("SW_LAYOUT_TILE", () => blocked([2, 3], 1, 0)).operation).toBe("blocked");
    expect(refusal("SW_LAYOUT_AXIS", () => nhwc([2])).operation).toBe("nhwc");
    refusal("SW_LAYOUT_AXIS", () => nhwc([]));
    refusal("SW_LAYOUT_AXIS", () => blocked([], 0, 2));
    expect(() => blocked([2, 3], 0.5, 2)).toThrow(TypeError);
    expect(() => blocked([2, 3], 0, "2" as never)).toThrow(TypeError);
    expect(() => nhwc([2, [3]] as never)).toThrow(TypeError);
  });
});

describe("morton", () => {
  test("Hurray 4.4: [4,4], element [2,3] is at 14", () => {
    expect(indexOf(morton([2, 2]), [2, 3])).toBe(14);
    expect(String(morton([2, 1]))).toBe("((2,2),2):((1,4),2)");
  });

  test("law: bit b of coordinate d is bit b * rank + d of the code", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 3 }), { minLength: 1, maxLength: 3 }), (bits) => {
        const l = morton(bits);
        for (const c of coordinates(bits.map((n) => 2 ** n))) {
          let code = 0;
          bits.forEach((count, d) => {
            for (let b = 0; b < count; b++) code += (Math.floor(c[d]! / 2 ** b) % 2) * 2 ** (b * bits.length + d);
          });
          expect(indexOf(l, c)).toBe(code);
        }
      }),
      { numRuns: 100 },
    );
  });

  test("field case 3: codes above 2^31 are exact", () => {
    const l = morton([26, 26]);
    expect(indexOf(l, [2 ** 26 - 1, 2 ** 26 - 1])).toBe(2 ** 52 - 1);
    expect(indexOf(l, [2 ** 25, 2 ** 20])).toBe(2 ** 50 + 2 ** 41);
  });

  test("wrong input", () => {
    const error = refusal("SW_LAYOUT_BITS", () => morton([2, 0]));
    expect(error.message).toBe("morton: a bit count is out of range: got 0 for axis 1, expected 1 to 53.");
    expect([error.axis, error.value]).toEqual([1, 0]);
    refusal("SW_LAYOUT_BITS", () => morton([2 ** 40]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => morton([27, 27]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => morton([28, 1]));
    expect(() => morton([1.5])).toThrow(TypeError);
    expect(() => morton(2 as never)).toThrow(TypeError);
  });
});
