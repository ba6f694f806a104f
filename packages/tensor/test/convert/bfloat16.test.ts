import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  bfloat16ToFloat32Bits,
  bfloat16ToNumber,
  float32BitsToBfloat16,
  float32ToBfloat16,
  numberToBfloat16,
} from "../../src/convert/bfloat16.js";
import { castInto } from "../../src/convert/cast.js";
import vectors from "../vectors/half.json" with { type: "json" };
import { floatsToRound } from "./floats-to-round.js";
import { decode16, format16, nearest16, operand } from "./reference.js";
import { sha256 } from "./sha256.js";

const FORMAT = format16("bfloat16");
const cases = vectors.cases.filter((entry) => entry.format === "bf16");

describe("bfloat16", () => {
  test("OneModel 10: every pattern decodes to the float32 bits of the vectors (hash)", async () => {
    const entry = cases.find(({ kind }) => kind === "decode_all")!;
    const all = Uint32Array.from({ length: 65536 }, (_, bits) => bfloat16ToFloat32Bits(bits));
    for (const [bits, float32] of entry.samples!) expect([bits, all[bits!]]).toEqual([bits, float32]);
    expect(await sha256(all)).toBe(entry.sha256);
  });

  test("every pattern survives decoding and encoding, signalling NaNs quietened", () => {
    for (let bits = 0; bits < 65536; bits++) {
      const quiet = Number.isNaN(decode16(bits, 7, 127)) ? bits | 0x40 : bits;
      if (float32BitsToBfloat16(bfloat16ToFloat32Bits(bits)) !== quiet) expect.unreachable(`pattern ${bits}`);
    }
  });

  test("OneModel 10: float32 bits encode as in the vectors", () => {
    let count = 0;
    for (const entry of cases) {
      for (const [float32, bfloat16] of entry.pairs ?? []) {
        expect([float32, float32BitsToBfloat16(float32!)]).toEqual([float32, bfloat16]);
        count++;
      }
    }
    expect(count).toBeGreaterThan(500);
  });

  test("OneModel 10: two million random floats and every tie with its neighbours round as the long lane found right (hash)", async () => {
    const bits = floatsToRound(FORMAT);
    const got = new Uint16Array(bits.length);
    castInto(operand("bfloat16", got), operand("float32", new Float32Array(bits.buffer)));
    expect(await sha256(got)).toBe("b6b20b9c2edb1496ac58636fd20288b12bfe109596b982b850b4496027dd2100");
  });

  test("patterns read as the numbers that their sign, exponent and fraction mean", () => {
    for (let bits = 0; bits < 65536; bits++) {
      if (!Object.is(bfloat16ToNumber(bits), decode16(bits, 7, 127))) expect.unreachable(`pattern ${bits}`);
    }
  });

  test("a number is rounded once, on the way through float32 twice", () => {
    const justAboveTie = 1 + 2 ** -8 + 2 ** -40;
    expect([numberToBfloat16(justAboveTie), float32ToBfloat16(justAboveTie)]).toEqual([0x3f81, 0x3f80]);
    expect([numberToBfloat16(-justAboveTie), float32ToBfloat16(-justAboveTie)]).toEqual([0xbf81, 0xbf80]);
  });

  test("the smallest and the largest values round to zero and to infinity where they must", () => {
    const smallest = 2 ** -133;
    expect([smallest, smallest / 2, smallest * 0.75, smallest * 1.5].map(numberToBfloat16)).toEqual([1, 0, 1, 2]);
    const tie = (2 - 2 ** -8) * 2 ** 127;
    expect([tie, tie * (1 - 2 ** -52), -tie, 1e300].map(numberToBfloat16)).toEqual([0x7f80, 0x7f7f, 0xff80, 0x7f80]);
    expect([0, -0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN].map(numberToBfloat16)).toEqual([
      0, 0x8000, 0x7f80, 0xff80, 0x7fc0,
    ]);
  });

  test("numbers round to the nearest value of all", () => {
    const near = fc
      .tuple(fc.integer({ min: 0, max: 0x7f7f }), fc.integer({ min: -3, max: 3 }))
      .map(([bits, ulps]) => (FORMAT.values[bits]! / 2 + FORMAT.values[bits + 1]! / 2) * (1 + ulps * Number.EPSILON));
    fc.assert(
      fc.property(fc.oneof(near, fc.double({ noNaN: true }), fc.float({ noNaN: true })), (x) => {
        expect(numberToBfloat16(x)).toBe(nearest16(x, FORMAT));
        expect(float32ToBfloat16(x)).toBe(nearest16(Math.fround(x), FORMAT));
      }),
      { numRuns: 2000 },
    );
  });
});
