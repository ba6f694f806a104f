import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { logicalDivide } from "../src/algebra.js";
import { extents, type Layout, LayoutError, layout } from "../src/index.js";
import { sidesOf } from "../src/pictures/sides.js";
import { type SvgOptions, toSvg, toTable } from "../src/pictures.js";
import { enumerate, layouts } from "./support.js";

const tilings = fc
  .record({ tile: layouts({ minExtent: 1, minStride: 0, maxSize: 12 }), extent: fc.integer({ min: 1, max: 60 }) })
  .filter(({ tile, extent }) => {
    try {
      logicalDivide(layout([extent]), tile);
      return true;
    } catch (error) {
      return !(error instanceof LayoutError);
    }
  });

describe("the tiles of a picture", () => {
  test("law: two cells have one number when logicalDivide puts them in one tile, and else two", () => {
    fc.assert(
      fc.property(tilings, ({ tile, extent }) => {
        const [side] = sidesOf("toTable", [extent], [tile]);
        const inOrder = enumerate(logicalDivide(layout([extent]), tile));
        const numbers = inOrder.map((x) => side!.tiles[x]!);
        const size = tile.size;
        for (let i = 0; i < numbers.length; i++) expect(numbers[i]).toBe(numbers[i - (i % size)]);
        expect(new Set(numbers).size).toBe(inOrder.length / size);
        for (let x = 1; x < extent; x++) expect(side!.lines[x]! > 0).toBe(side!.tiles[x] !== side!.tiles[x - 1]);
      }),
      { numRuns: 300 },
    );
  });

  test("law: whatever is drawn, however: a picture, or a LayoutError", () => {
    const small = layouts({ maxSize: 64, maxExtent: 4, maxStride: 70 });
    const tile = fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 3 }), fc.integer({ max: 2 ** 53 - 1 }), small);
    // Half of what is given fits the layout, more or less.
    const optionsFor = (l: Layout): fc.Arbitrary<SvgOptions> =>
      fc.record(
        {
          title: fc.string(),
          owner: fc.oneof(fc.constant(l), small),
          threadValue: fc.oneof(fc.constant(layout([l.size])), small),
          cells: fc.constantFrom("index", "owner", "both", "none"),
          tiler: fc.array(tile, { maxLength: 3 }),
          box: fc.oneof(fc.constant(extents(l)), fc.array(fc.integer({ min: -1, max: 5 }), { maxLength: 3 })),
          colour: fc.constantFrom("none", "tile", "owner"),
          path: fc.boolean(),
        },
        { requiredKeys: [] },
      );
    const drawings = small.chain((l) => fc.tuple(fc.constant(l), optionsFor(l)));
    let drawn = 0;
    fc.assert(
      fc.property(drawings, ([l, given]) => {
        for (const draw of [toTable, toSvg]) {
          try {
            expect(draw(l, given)).not.toContain("undefined");
            drawn++;
          } catch (error) {
            if (!(error instanceof LayoutError)) throw error;
          }
        }
      }),
      { numRuns: 1000 },
    );
    expect(drawn).toBeGreaterThan(50);
  });
});
