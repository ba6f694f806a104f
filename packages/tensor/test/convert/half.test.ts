import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { castInto } from "../../src/convert/cast.js";
import {
  float32BitsToHalf,
  float32ToHalf,
  halfToFloat32Bits,
  halfToNumber,
  numberToHalf,
} from "../../src/convert/half.js";
import vectors from "../vectors/half.json" with { type: "json" };
import { floatsToRound } from "./floats-to-round.js";
import { decode16, format16, nearest16, operand } from "./reference.js";
import { sha256 } from "./sha256.js";

const FORMAT = format16("float16");
const cases = vectors.cases.filter((entry) => entry.format === "f16");

describe("binary16", () => {
  test("OneModel 10: every pattern decodes to the float32 bits of the vectors (hash)", async () => {
    const entry = cases.find(({ kind }) => kind === "decode_all")!;
    const all = Uint32Array.from({ length: 65536 }, (_, bits) => halfToFloat32Bits(bits));
    for (const [bits, float32] of entry.samples!) expect([bits, all[bits!]]).toEqual([bits, float32]);
    expect(await sha256(all)).toBe(entry.sha256);
  });

  test("OneModel 10: every pattern survives decoding and encoding, signalling NaNs quietened (hash)", async () => {
    const entry = cases.find(({ kind }) => kind === "roundtrip_all")!;
    const all = Uint16Array.from({ length: 65536 }, (_, bits) => float32BitsToHalf(halfToFloat32Bits(bits)));
    expect(await sha256(all)).toBe(entry.sha256);
  });

  test("OneModel 10: float32 bits encode as in the vectors", () => {
    let count = 0;
    for (const entry of cases) {
      for (const [float32, half] of entry.pairs ?? []) {
        expect([float32, float32BitsToHalf(float32!)]).toEqual([float32, half]);
        count++;
      }
    }
    expect(count).toBeGreaterThan(500);
  });

  test("OneModel 10: two million random floats and every tie with its neighbours round as the long lane found right (hash)", async () => {
    const bits = floatsToRound(FORMAT);
    const got = new Uint16Array(bits.length);
    castInto(operand("float16", got), operand("float32", new Float32Array(bits.buffer)));
    expect(await sha256(got)).toBe("f18e5f4324d5b187096c717269021c18e7994a4217c446cbdbd3230138a96498");
  });

  test("patterns read as the numbers that their sign, exponent and fraction mean", () => {
    for (let bits = 0; bits < 65536; bits++) {
      if (!Object.is(halfToNumber(bits), decode16(bits, 10, 15))) expect.unreachable(`pattern ${bits}`);
    }
  });

  test("field case 16: a number is rounded once, on the way through float32 twice", () => {
    const above = 2 ** -25 + 2 ** -77;
    const rows: readonly (readonly [number, number, number])[] = [
      [1 + 2 ** -11 - 2 ** -40, 0x3c00, 0x3c00],
      [1 + 2 ** -11, 0x3c00, 0x3c00],
      [1 + 2 ** -11 + 2 ** -40, 0x3c01, 0x3c00],
      [1 + 3 * 2 ** -11, 0x3c02, 0x3c02],
      [2 ** -25, 0, 0],
      [above, 1, 0],
      [3 * 2 ** -25, 2, 2],
      [65519.999999, 0x7bff, 0x7c00],
      [65520, 0x7c00, 0x7c00],
    ];
    for (const [x, once, twice] of rows) {
      expect([x, numberToHalf(x), float32ToHalf(x)]).toEqual([x, once, twice]);
      expect([-x, numberToHalf(-x), float32ToHalf(-x)]).toEqual([-x, once | 0x8000, twice | 0x8000]);
    }
  });

  test("zeros keep their sign, and what is not finite stays so", () => {
    expect([0, -0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN].map(numberToHalf)).toEqual([
      0, 0x8000, 0x7c00, 0xfc00, 0x7e00,
    ]);
    expect(numberToHalf(Number.MAX_VALUE)).toBe(0x7c00);
    expect(numberToHalf(-Number.MIN_VALUE)).toBe(0x8000);
    expect(float32ToHalf(Number.NaN)).toBe(0x7e00);
  });

  test("numbers round to the nearest value of all", () => {
    const near = fc.tuple(fc.integer({ min: 0, max: 0x7bff }), fc.integer({ min: -3, max: 3 })).map(([bits, ulps]) => {
      const between = FORMAT.values[bits]! / 2 + FORMAT.values[bits + 1]! / 2;
      return between * (1 + ulps * Number.EPSILON);
    });
    fc.assert(
      fc.property(
        fc.oneof(near, fc.double({ noNaN: true }), fc.double({ noNaN: true, min: -70000, max: 70000 })),
        (x) => {
          expect(numberToHalf(x)).toBe(nearest16(x, FORMAT));
          expect(float32ToHalf(x)).toBe(nearest16(Math.fround(x), FORMAT));
        },
      ),
      { numRuns: 2000 },
    );
  });
});
