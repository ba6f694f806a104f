import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cuteSwizzle, type SwizzleStage, swizzle, swizzleFromMasks } from "../src/maps.js";
import { stagesOf, table } from "./map-support.js";
import { cases, refusal } from "./support.js";

interface SwizzleCase {
  readonly bits: number;
  readonly base: number;
  readonly shift: number;
  readonly size?: number;
  readonly pycute: readonly (readonly [number, number])[] | { readonly err: string };
  readonly sw: "same" | { readonly err: string };
}

/** The definition of LA-114, on integers of any size. */
function byDefinition(x: number, stages: readonly SwizzleStage[]): number {
  let value = BigInt(x);
  for (const { bits, base, shift } of stages) {
    const mask = ((1n << BigInt(bits)) - 1n) << BigInt(base + Math.max(0, shift));
    const field = value & mask;
    value ^= shift >= 0 ? field >> BigInt(shift) : field << BigInt(-shift);
  }
  return Number(value);
}

const widths = fc.integer({ min: 0, max: 52 }).chain((width) => fc.tuple(fc.constant(width), stagesOf(width)));

describe("swizzle", () => {
  test("LA-112 LA-113 law: the stages run in order on the ordinal, exact up to 2^52", () => {
    fc.assert(
      fc.property(widths, fc.maxSafeNat(), ([width, stages], n) => {
        const x = n % 2 ** width;
        const s = swizzle([2 ** width], ...stages);
        expect(s.index(x), String(s)).toBe(byDefinition(x, stages));
        expect(s).toMatchObject({ kind: "swizzle", codomainSize: 2 ** width, isInjective: true });
      }),
      { numRuns: 1000 },
    );
  });

  test("LA-112 law: a stage is its own inverse", () => {
    fc.assert(
      fc.property(widths, fc.maxSafeNat(), ([width, stages], n) => {
        const x = n % 2 ** width;
        const back = swizzle([2 ** width], ...stages, ...stages.toReversed());
        expect(back.index(x)).toBe(x);
      }),
      { numRuns: 300 },
    );
  });

  test("LA-113 law: every index below the size is reached once", () => {
    const small = fc.integer({ min: 0, max: 8 }).chain((width) => fc.tuple(fc.constant(width), stagesOf(width)));
    fc.assert(
      fc.property(small, ([width, stages]) => {
        const indices = table(swizzle([2 ** width], ...stages));
        expect(indices.sort((a, b) => a - b)).toEqual(indices.map((_, i) => i));
      }),
      { numRuns: 300 },
    );
  });

  test("LA-113 its coordinates are those of the shape", () => {
    const s = swizzle([4, [2, 2]], { bits: 2, base: 0, shift: 2 });
    expect(s.shape).toEqual([4, [2, 2]]);
    expect(s.index([1, [0, 1]])).toBe(9 ^ 2);
    expect(swizzle([]).index([])).toBe(0);
    expect(swizzle([2, 2]).isIdentity).toBe(true);
  });

  test("LA-112 LA-113 wrong stages and sizes", () => {
    const good = { bits: 1, base: 0, shift: 1 };
    for (const wrong of [
      null,
      undefined,
      3,
      "x",
      [1, 0, 1],
      {},
      { bits: 1, base: 0 },
      { ...good, bits: 1.5 },
      { ...good, shift: true },
    ]) {
      expect(() => swizzle([8], wrong as never)).toThrow(TypeError);
    }
    for (const wrong of [null, undefined, 8, "8", [1.5], ["8"]])
      expect(() => swizzle(wrong as never)).toThrow(TypeError);
    const code = (...stage: [number, number, number]): number | undefined =>
      refusal("SW_LAYOUT_SWIZZLE", () => swizzle([8], { bits: stage[0], base: stage[1], shift: stage[2] })).value;
    expect([code(0, 0, 1), code(-1, 0, 1), code(1, -1, 1), code(1, 0, 0), code(2, 0, 1), code(2, 0, -1)]).toEqual([
      0, -1, -1, 0, 1, -1,
    ]);
    expect([code(1, 2, 1), code(2, 0, -2), code(1, 2 ** 40, 1)]).toEqual([4, 4, 2 ** 40 + 2]);
    for (const size of [0, 3, 6, 12]) {
      expect(refusal("SW_LAYOUT_SWIZZLE", () => swizzle([size]))).toMatchObject({ value: size, shape: [size] });
    }
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => swizzle([2 ** 30, 2 ** 30]));
    refusal("SW_LAYOUT_EXTENT", () => swizzle([-2]));
    expect(refusal("SW_LAYOUT_SWIZZLE", () => swizzle([8], { bits: 2, base: 0, shift: 2 })).message).toBe(
      "swizzle: a stage leaves the domain: got <2,0,2>, which needs 4 bits, expected at most 3 (shape [8]).",
    );
    expect(refusal("SW_LAYOUT_SWIZZLE", () => swizzle([8], { bits: 2, base: 0, shift: 1 })).message).toBe(
      "swizzle: a stage has no two disjoint fields: got <2,0,1>, expected a shift of ±2 or more.",
    );
  });
});

describe("cuteSwizzle", () => {
  test("LA-114: the shared vectors, accepted and refused alike; stages refuse what StrideWeave refuses", async () => {
    const all = await cases<SwizzleCase>("layout/swizzle");
    expect(all.length).toBe(86);
    for (const { bits, base, shift, size, pycute, sw } of all) {
      const name = `<${bits},${base},${shift}>`;
      if (size === undefined) {
        refusal("SW_LAYOUT_SWIZZLE", () => cuteSwizzle(bits, base, shift));
        refusal("SW_LAYOUT_SWIZZLE", () => swizzle([2 ** 20], { bits, base, shift }));
        continue;
      }
      const s = cuteSwizzle(bits, base, shift);
      expect([s.size, s.codomainSize], name).toEqual([size, size]);
      // pycute recurses for ever where the shift is 0; the definition is the identity.
      const pairs = Array.isArray(pycute) ? pycute : table(s).map((_, i) => [i, i]);
      for (const [input, output] of pairs) expect(s.index(input!), name).toBe(output);
      if (sw === "same") expect(table(swizzle([size], { bits, base, shift }))).toEqual(table(s));
      else refusal("SW_LAYOUT_SWIZZLE", () => swizzle([size], { bits, base, shift }));
    }
  });

  test("LA-114 it runs on a larger domain when a shape is given", () => {
    const s = cuteSwizzle(2, 0, 2, [8, 8]);
    expect([s.size, s.index([4, 1])]).toEqual([64, byDefinition(12, [{ bits: 2, base: 0, shift: 2 }])]);
    refusal("SW_LAYOUT_SWIZZLE", () => cuteSwizzle(2, 0, 2, [8]));
    expect(cuteSwizzle(0, 0, 0).size).toBe(1);
    refusal("SW_LAYOUT_SWIZZLE", () => cuteSwizzle(0, -1, 0));
    refusal("SW_LAYOUT_SWIZZLE", () => cuteSwizzle(-1, 0, 0));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => cuteSwizzle(1, 52, 1));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => cuteSwizzle(0, 2 ** 60, 1));
    for (const wrong of ["2", null, undefined, 1.5]) {
      expect(() => cuteSwizzle(wrong as never, 0, 2)).toThrow(TypeError);
      expect(() => cuteSwizzle(2, 0, wrong as never)).toThrow(TypeError);
    }
  });
});

describe("swizzleFromMasks", () => {
  test("LA-114 law: the masks of a triple give it back", () => {
    const triples = fc
      .integer({ min: 2, max: 52 })
      .chain((width) => stagesOf(width))
      .filter((stages) => stages.length > 0);
    fc.assert(
      fc.property(triples, ([stage]) => {
        const { bits, base, shift } = stage!;
        const source = (2 ** bits - 1) * 2 ** (base + Math.max(shift, 0));
        const target = (2 ** bits - 1) * 2 ** (base + Math.max(-shift, 0));
        expect(swizzleFromMasks(source, target).stages).toEqual([stage]);
      }),
      { numRuns: 300 },
    );
  });

  test("LA-114 masks that are no fields, overlap or differ in width are refused", () => {
    expect(swizzleFromMasks(0, 0).isIdentity).toBe(true);
    expect(swizzleFromMasks(0b1100, 0b0011, [64]).size).toBe(64);
    for (const [y, z, value] of [
      [0b101, 0b1010, 0b101],
      [0b11, 0b10100, 0b10100],
      [0b11, 0b100, 0b100],
      [0b110, 0b011, 1],
      [-2, 1, -2],
      [0, 1, 1],
    ] as const) {
      expect(refusal("SW_LAYOUT_SWIZZLE", () => swizzleFromMasks(y, z)).value).toBe(value);
    }
    for (const wrong of ["3", null, 1.5, 3n]) expect(() => swizzleFromMasks(wrong as never, 3)).toThrow(TypeError);
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => swizzleFromMasks(2 ** 60, 1));
  });
});
