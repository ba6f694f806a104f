import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { extents, layout, type TiledForm, type TileOrder, tiled } from "../src/index.js";
import { tiledMap } from "../src/maps.js";
import { cases, refusal } from "./support.js";
import { address, coordinates, formOf, type TiledCase } from "./tile-support.js";

/** Random boxes and forms of up to three levels, whose nested tiles need not divide. */
const forms = fc.integer({ min: 1, max: 3 }).chain((rank) => {
  const list = (min: number, max: number) => fc.array(fc.integer({ min, max }), { minLength: rank, maxLength: rank });
  const order: fc.Arbitrary<TileOrder> = fc.oneof(
    fc.constantFrom<TileOrder>("rowMajor", "columnMajor"),
    list(0, 9).map((strides) => ({ strides })),
  );
  return fc
    .tuple(
      fc.array(list(1, 5), { minLength: 1, maxLength: 3 }),
      fc.array(order, { minLength: 4, maxLength: 4 }),
      list(0, 7),
    )
    .map(([tiles, orders, box]) => {
      let form: TiledForm = { tile: tiles[0]!, outer: orders[1]!, inner: orders[0]! };
      tiles.slice(1).forEach((tile, i) => {
        form = { tile, outer: orders[i + 2]!, inner: form };
      });
      return { box, form };
    });
});

describe("tiledMap", () => {
  test("Hurray 4.3: the offsets of every tiled address vector, nested tiles that do not divide included", async () => {
    const all = (await cases<TiledCase>("hurray/addresses")).filter((c) => !("mortonBits" in c.layout));
    expect(all.length).toBeGreaterThan(15);
    for (const { id, shape, layout: stored, offsets } of all) {
      if ("mortonBits" in stored) continue;
      const form = formOf(stored);
      const whole = shape.map((n, k) => Math.ceil(n / form.tile[k]!) * form.tile[k]!);
      let map: ReturnType<typeof tiledMap>;
      try {
        map = tiledMap(shape, form);
      } catch (error) {
        expect((error as { code?: string }).code, id).toBe("SW_LAYOUT_SIGN");
        expect(Math.min(...coordinates(whole).map((c) => address(shape, form, c)))).toBeLessThan(0);
        continue;
      }
      expect(
        coordinates(shape).map((c) => map.index(c)),
        id,
      ).toEqual(offsets);
    }
  });

  test("A6 law: the address formula, whether nested tiles divide or not", () => {
    const kinds = new Set<string>();
    fc.assert(
      fc.property(forms, ({ box, form }) => {
        const map = tiledMap(box, form);
        kinds.add(map.kind);
        const all = coordinates(box);
        expect(all.map((c) => map.index(c))).toEqual(all.map((c) => address(box, form, c)));
        const whole = box.map((n, k) => Math.ceil(n / form.tile[k]!) * form.tile[k]!);
        expect(extents(layout(map.shape))).toEqual(whole);
      }),
      { numRuns: 400 },
    );
    expect([...kinds].sort()).toEqual(["chain", "layout"]);
  });

  test("D12 where all nested tiles divide, it is the layout that tiled makes", () => {
    const inner: TiledForm = { tile: [2, 2], outer: "columnMajor", inner: "rowMajor" };
    const form: TiledForm = { tile: [4, 4], outer: "rowMajor", inner };
    const map = tiledMap([7, 9], form);
    expect([map.kind, String(map)]).toEqual(["layout", String(tiled([7, 9], form))]);
    expect(String(tiledMap([], { tile: [], outer: "rowMajor", inner: "rowMajor" }))).toBe("():()");
  });

  test("A6 neighbours collide where a rounded tile is longer than its extent", () => {
    const inner: TiledForm = { tile: [2, 2], outer: "rowMajor", inner: "rowMajor" };
    const map = tiledMap([6, 6], { tile: [3, 3], outer: "rowMajor", inner });
    expect(map.index([2, 2])).toBe(12);
    expect(map.index([0, 3])).toBe(9);
    expect(map.index([1, 4])).toBe(12);
    expect(map.isInjective).not.toBe(true);
  });

  test("wrong input", () => {
    const flat = { outer: "rowMajor", inner: "rowMajor" } as const;
    for (const wrong of [null, undefined, 3, ["3"], [[3]]]) {
      expect(() => tiledMap(wrong as never, { tile: [1], ...flat })).toThrow(TypeError);
    }
    for (const wrong of [null, undefined, {}, { tile: [2] }])
      expect(() => tiledMap([4], wrong as never)).toThrow(TypeError);
    const inner = { tile: [0], ...flat };
    expect(refusal("SW_LAYOUT_TILE", () => tiledMap([4], { tile: [2], outer: "rowMajor", inner }))).toMatchObject({
      operation: "tiledMap",
      value: 0,
    });
    refusal("SW_LAYOUT_TILE", () => tiledMap([4, 4], { tile: [2], ...flat }));
    refusal("SW_LAYOUT_SIGN", () => tiledMap([4], { tile: [2], outer: { strides: [-1] }, inner: "rowMajor" }));
    const cyclic = { tile: [2], outer: "rowMajor", inner: flat as unknown } as { inner: unknown };
    cyclic.inner = cyclic;
    refusal("SW_LAYOUT_DEPTH", () => tiledMap([4], cyclic as never));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => tiledMap([2 ** 40, 2 ** 40], { tile: [1, 1], ...flat }));
    const odd = {
      tile: [2 ** 26, 2 ** 26],
      outer: "rowMajor",
      inner: { tile: [2 ** 26 - 1, 2 ** 26 - 1], ...flat },
    } as const;
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => tiledMap([1, 1], odd));
  });
});
