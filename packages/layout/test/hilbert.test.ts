import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decode, encode } from "../src/index.js";
import { hilbert, hilbertCoordinate } from "../src/maps.js";
import { table } from "./map-support.js";
import { cases, refusal } from "./support.js";

interface HilbertCase {
  readonly id: string;
  readonly order: number;
  readonly rank: number;
  readonly offsets: readonly number[];
}

/** The usual curve of two axes, from the index to (x, y), quadrant by quadrant. */
function d2xy(order: number, d: number): [number, number] {
  let [x, y] = [0, 0];
  for (let b = 0; b < order; b++) {
    const quadrant = Math.floor(d / 4 ** b) % 4;
    const right = quadrant >= 2;
    const top = quadrant === 1 || quadrant === 2;
    const last = 2 ** b - 1;
    if (!top) [x, y] = right ? [last - y, last - x] : [y, x];
    x += right ? 2 ** b : 0;
    y += top ? 2 ** b : 0;
  }
  return [x, y];
}

/** Curves that are small enough to be enumerated. */
const SMALL = [1, 2, 3, 4, 5].flatMap((rank) => [1, 2, 3, 4].map((order) => [order, rank] as const));
const enumerable = SMALL.filter(([order, rank]) => order * rank <= 10);
/** Any order and rank, and an index. */
const anywhere = fc
  .integer({ min: 1, max: 52 })
  .chain((rank) => fc.tuple(fc.integer({ min: 1, max: Math.floor(52 / rank) }), fc.constant(rank), fc.maxSafeNat()))
  .map(([order, rank, n]) => [order, rank, n % 2 ** (order * rank)] as const);

describe("hilbert", () => {
  test("Hurray 4.5: the offsets of every address vector", async () => {
    const all = await cases<HilbertCase>("hurray/hilbert");
    expect(all.length).toBe(5);
    for (const { id, order, rank, offsets } of all) {
      const map = hilbert(order, rank);
      const rowMajor = offsets.map((_, i) => decode(map.shape.toReversed(), i).toReversed());
      expect(
        rowMajor.map((c) => map.index(c)),
        id,
      ).toEqual(offsets);
    }
  });

  test("with two axes it is the usual curve, x being axis 0", () => {
    for (let order = 1; order <= 5; order++) {
      const map = hilbert(order, 2);
      for (let d = 0; d < map.size; d++) {
        expect(hilbertCoordinate(order, 2, d)).toEqual(d2xy(order, d));
        expect(map.index(d2xy(order, d))).toBe(d);
      }
    }
    const [x, y] = d2xy(26, 2 ** 52 - 12345);
    expect(hilbert(26, 2).index([x, y])).toBe(2 ** 52 - 12345);
  });

  test.each(enumerable)(
    "law: order %i of rank %i is bijective, and consecutive indices are neighbours",
    (order, rank) => {
      const map = hilbert(order, rank);
      const ordinals = Array<number>(map.size).fill(-1);
      table(map).forEach((index, ordinal) => {
        ordinals[index] = ordinal;
      });
      expect(ordinals.includes(-1)).toBe(false);
      const path = ordinals.map((ordinal) => decode(map.shape, ordinal) as number[]);
      for (let i = 1; i < path.length; i++) {
        expect(path[i]!.reduce((sum, x, d) => sum + Math.abs(x - path[i - 1]![d]!), 0)).toBe(1);
      }
      expect(path.map((_, i) => hilbertCoordinate(order, rank, i))).toEqual(path);
    },
  );

  test("law: orders nest: half the coordinates, and the index falls into 2^rank parts", () => {
    fc.assert(
      fc.property(anywhere, ([order, rank, index]) => {
        fc.pre(order > 1);
        const coarse = hilbertCoordinate(order, rank, index).map((x) => Math.floor(x / 2));
        expect(hilbert(order - 1, rank).index(coarse)).toBe(Math.floor(index / 2 ** rank));
      }),
      { numRuns: 300 },
    );
  });

  test("law: of any order and rank, the coordinate of an index has that index, and its neighbour is one step away", () => {
    fc.assert(
      fc.property(anywhere, ([order, rank, index]) => {
        const map = hilbert(order, rank);
        const here = hilbertCoordinate(order, rank, index);
        expect(map.index(here)).toBe(index);
        expect(map.index(encode(map.shape, here))).toBe(index);
        if (index + 1 === map.size) return;
        const next = hilbertCoordinate(order, rank, index + 1);
        expect(next.reduce((sum, x, d) => sum + Math.abs(x - here[d]!), 0)).toBe(1);
      }),
      { numRuns: 500 },
    );
  });

  test("it is bijective and says so; the curve of one axis is the identity", () => {
    expect(hilbert(3, 2)).toMatchObject({
      kind: "hilbert",
      order: 3,
      rank: 2,
      shape: [8, 8],
      size: 64,
      codomainSize: 64,
    });
    expect(hilbert(3, 2)).toMatchObject({ isInjective: true, isIdentity: false });
    expect(hilbert(50, 1)).toMatchObject({ kind: "layout", shape: [2 ** 50], isIdentity: true });
    expect(hilbertCoordinate(50, 1, 2 ** 49)).toEqual([2 ** 49]);
  });

  test("wrong input", () => {
    for (const wrong of ["2", null, undefined, 1.5, Number.NaN]) {
      expect(() => hilbert(wrong as never, 2)).toThrow(TypeError);
      expect(() => hilbert(2, wrong as never)).toThrow(TypeError);
      expect(() => hilbertCoordinate(2, 2, wrong as never)).toThrow(TypeError);
    }
    expect(refusal("SW_LAYOUT_BITS", () => hilbert(0, 2)).message).toBe(
      "hilbert: order is out of range: got 0, expected 1 or more.",
    );
    expect(refusal("SW_LAYOUT_BITS", () => hilbertCoordinate(2, -1, 0))).toMatchObject({ value: -1 });
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => hilbert(27, 2));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => hilbert(1, 2 ** 40));
    for (const index of [-1, 16, 2 ** 60]) {
      expect(refusal("SW_LAYOUT_COORDINATE", () => hilbertCoordinate(2, 2, index)).value).toBe(index);
    }
  });
});
