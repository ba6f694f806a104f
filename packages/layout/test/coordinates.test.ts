import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Coordinate, decode, encode, indexOf, layout, type Shape, strided } from "../src/index.js";
import { cases, enumerate, flat, fromVector, layouts, refusal, type Tree } from "./support.js";

interface BasicCase {
  readonly l: readonly [Tree, Tree];
  readonly index?: number[];
  readonly at?: [number, number][];
  readonly crd?: [Coordinate, number][];
  readonly decode?: [number, Coordinate];
}

describe("indices of coordinates", () => {
  test("LA-20 to LA-23: the shared basic vectors", async () => {
    for (const c of await cases<BasicCase>("layout/basic")) {
      const l = fromVector(c.l);
      if (c.index) expect(c.index.map((_, ordinal) => indexOf(l, ordinal))).toEqual(c.index);
      for (const [ordinal, index] of c.at ?? []) expect(indexOf(l, ordinal)).toBe(index);
      for (const [coordinate, index] of c.crd ?? []) expect(indexOf(l, coordinate)).toBe(index);
      if (c.decode) {
        const [ordinal, coordinate] = c.decode;
        const expected = typeof coordinate === "number" ? [coordinate] : coordinate;
        expect(decode(l.shape, ordinal)).toEqual(expected);
        expect(encode(l.shape, expected)).toBe(ordinal);
      }
    }
  });

  test("LA-21 equivalent coordinates of (5,(20,4)) have one index", () => {
    const l = layout([5, [20, 4]], [3, [1000, 7]]);
    expect(indexOf(l, 214)).toBe(indexOf(l, [4, [2, 2]]));
    expect(indexOf(l, [4, 42])).toBe(indexOf(l, [4, [2, 2]]));
    expect(encode([5, [20, 4]], [4, 42])).toBe(214);
    expect(encode([5, [20, 4]], [4, [2, 2]])).toBe(214);
  });

  test("LA-5 rank 0 has the one coordinate 0, also written []", () => {
    expect([indexOf(layout([]), 0), indexOf(layout([]), []), encode([], []), encode([], 0)]).toEqual([0, 0, 0, 0]);
    expect(decode([], 0)).toEqual([]);
    expect(decode([2], -0)).toEqual([0]);
    refusal("SW_LAYOUT_COORDINATE", () => decode([], 1));
  });

  test("LA-20 law: indexOf is the definition at every ordinal, nested or linear", () => {
    fc.assert(
      fc.property(layouts({ maxSize: 400 }), (l) => {
        expect(enumerate(l).map((_, ordinal) => indexOf(l, ordinal))).toEqual(enumerate(l));
        expect(enumerate(l).map((_, ordinal) => indexOf(l, decode(l.shape, ordinal)))).toEqual(enumerate(l));
      }),
      { numRuns: 300 },
    );
  });

  test("LA-23 law: encode undoes decode", () => {
    fc.assert(
      fc.property(layouts({ minExtent: 1 }), fc.nat(), (l, n) => {
        const ordinal = n % l.size;
        return encode(l.shape, decode(l.shape, ordinal)) === ordinal;
      }),
      { numRuns: 500 },
    );
  });

  test("field case 3: indices beyond 2^31 are exact", () => {
    expect(indexOf(layout([536870913, 4], [4, 1]), [536870912, 3])).toBe(2147483651);
    expect(indexOf(strided([536870913, 4], [4, 1]), 536870912 + 536870913 * 3)).toBe(2147483651);
    expect(indexOf(layout([2, 49152, 65536], [3221225472, 65536, 1]), [1, 0, 0])).toBe(3221225472);
    expect(indexOf(layout([3, 2 ** 26, 2 ** 25]), 3 * 2 ** 51 - 1)).toBe(3 * 2 ** 51 - 1);
  });
});

describe("coordinates that are refused", () => {
  interface ErrorCase {
    readonly l: readonly [Tree, Tree];
    readonly key: Coordinate;
    readonly kind: string;
    readonly sw: { err: string } | number;
  }

  test("LA-24: the shared index_errors vectors", async () => {
    for (const c of await cases<ErrorCase>("layout/index_errors")) {
      const l = fromVector(c.l);
      if (typeof c.sw === "number") expect(indexOf(l, c.key)).toBe(c.sw);
      else if (c.sw.err === "TypeError") expect(() => indexOf(l, c.key)).toThrow(TypeError);
      else refusal("SW_LAYOUT_COORDINATE", () => indexOf(l, c.key));
    }
  });

  test("LA-24 the message names the coordinate and the shape", () => {
    const error = refusal("SW_LAYOUT_COORDINATE", () => indexOf(layout([2, [3, 4]]), [1, [3, 0]]));
    expect(error).toMatchObject({ value: 3, shape: [2, [3, 4]], operation: "indexOf" });
    expect(error.message).toBe("indexOf: coordinate is outside 3: got 3, expected 0 to 2 (shape (2,(3,4))).");
    refusal("SW_LAYOUT_COORDINATE", () => indexOf(layout([0]), 0));
    refusal("SW_LAYOUT_COORDINATE", () => encode([2, 3], [1, 2, 0]));
    refusal("SW_LAYOUT_COORDINATE", () => encode([2, 3], [1, [2]]));
    refusal("SW_LAYOUT_COORDINATE", () => decode([2, 3], 6));
    refusal("SW_LAYOUT_COORDINATE", () => decode([2, 3], -1));
  });

  test.each<[unknown]>([[true], ["1"], [null], [undefined], [1.5], [Number.NaN], [{}], [[1, true]], [[1, 0.5]]])(
    "LA-24 coordinate %o is a TypeError",
    (key) => {
      expect(() => indexOf(layout([2, 3]), key as Coordinate)).toThrow(TypeError);
      expect(() => encode([2, 3], key as Coordinate)).toThrow(TypeError);
    },
  );

  test("LA-25 D5 what is no layout and what is no shape are TypeErrors", () => {
    expect(() => indexOf({ shape: [2], stride: [1] } as never, 0)).toThrow(TypeError);
    expect(() => decode("x" as unknown as Shape, 0)).toThrow(TypeError);
    expect(() => decode([2], "0" as unknown as number)).toThrow(TypeError);
  });

  test("field case 3: a shape whose size is not a safe integer has no ordinals", () => {
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => encode([2 ** 30, 2 ** 30], 0));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => decode([2 ** 30, 2 ** 30], 0));
  });

  test("decode gives the leaves that add up to the index", () => {
    const l = layout([3, [2, 2]], [5, [1, 100]]);
    expect(flat(decode(l.shape, 10))).toEqual([1, 1, 1]);
    expect(indexOf(l, decode(l.shape, 10))).toBe(106);
  });
});
