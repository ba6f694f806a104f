import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ElementTypeName, elementTypeNamed } from "../src/descriptor/index.js";
import { float128ToNumber, fromNumbers, numberToFloat128, toNumbers } from "../src/values/index.js";
import { thrown } from "./support.js";

const SMALL = ["float8_e4m3", "float8_e5m2", "float4_e2m1", "float6_e2m3", "float6_e3m2"] as const;
const SIXTEEN = ["float16", "bfloat16"] as const;

const allCodes = (type: ElementTypeName): Uint16Array =>
  Uint16Array.from({ length: 2 ** elementTypeNamed(type).bits }, (_, code) => code);
const valuesOfAll = (type: ElementTypeName): Float64Array => toNumbers(type as "float16", allCodes(type));

describe("floats of at most 16 bits", () => {
  test.each([...SMALL, ...SIXTEEN])("%s: every code but a NaN is its own nearest code", (type) => {
    const numbers = valuesOfAll(type);
    const noNan = numbers.map((value) => (Number.isNaN(value) ? 0 : value));
    const expected = [...allCodes(type)].map((code) => (Number.isNaN(numbers[code]) ? 0 : code));
    expect([...fromNumbers(type, noNan)]).toEqual(expected);
    const singly = toNumbers(type as "float16", Uint16Array.of(5, 3));
    expect([...singly]).toEqual([numbers[5], numbers[3]]);
  });

  test.each(SMALL)("%s: between two codes the nearer one wins, halfway the even one", (type) => {
    const numbers = valuesOfAll(type);
    const codes = [...allCodes(type)].filter((code) => numbers[code]! >= 0 && Number.isFinite(numbers[code + 1]));
    for (const code of codes) {
      const [low, high] = [numbers[code]!, numbers[code + 1]!];
      if (!(high > low)) continue;
      const middle = (low + high) / 2;
      const even = code % 2 === 0 ? code : code + 1;
      const [below, above] = [middle * (1 - 2 ** -50), middle * (1 + 2 ** -50)];
      expect([...fromNumbers(type, [below, middle, above])]).toEqual([code, even, code + 1]);
      expect(toNumbers(type, fromNumbers(type, [-middle]))[0]).toBe(-numbers[even]!);
    }
  });

  test.each(SIXTEEN)("%s: law: the result is a code, and no code is nearer", (type) => {
    const numbers = [...valuesOfAll(type)].filter(Number.isFinite).sort((a, b) => a - b);
    fc.assert(
      fc.property(fc.double({ min: -65000, max: 65000, noNaN: true }), (value) => {
        const rounded = toNumbers(type, fromNumbers(type, [value]))[0]!;
        let [from, to] = [0, numbers.length - 1];
        while (from < to) {
          const middle = (from + to) >> 1;
          if (numbers[middle]! < value) from = middle + 1;
          else to = middle;
        }
        const nearest = Math.min(Math.abs(numbers[from]! - value), Math.abs((numbers[from - 1] ?? -Infinity) - value));
        expect(Math.abs(rounded - value)).toBe(nearest);
      }),
    );
  });

  test("values of the OCP tables (A26): largest numbers, infinities, NaN, subnormals", () => {
    const value = (type: ElementTypeName, code: number) => valuesOfAll(type)[code];
    expect([...valuesOfAll("float4_e2m1")]).toEqual([0, 0.5, 1, 1.5, 2, 3, 4, 6, -0, -0.5, -1, -1.5, -2, -3, -4, -6]);
    expect([value("float8_e4m3", 0x7e), value("float8_e4m3", 0x7f), value("float8_e4m3", 1)]).toEqual([
      448,
      NaN,
      2 ** -9,
    ]);
    expect([value("float8_e5m2", 0x7b), value("float8_e5m2", 0xfc)]).toEqual([57344, -Infinity]);
    expect([value("float6_e2m3", 0x1f), value("float6_e3m2", 0x1f), value("float6_e3m2", 0x20)]).toEqual([7.5, 28, -0]);
  });

  test("too large numbers become infinity or the largest number; the caller may choose", () => {
    expect([...fromNumbers("float16", [65519, 65520, -1e300])]).toEqual([0x7bff, 0x7c00, 0xfc00]);
    expect([...fromNumbers("float8_e4m3", [464, 465, -Infinity])]).toEqual([0x7e, 0x7e, 0xfe]);
    expect([...fromNumbers("float8_e4m3", [464, 465], { overflow: "nan" })]).toEqual([0x7e, 0x7f]);
    expect([...fromNumbers("float16", [Infinity], { overflow: "saturate" })]).toEqual([0x7bff]);
    expect([...fromNumbers("float6_e2m3", [-9])]).toEqual([0x3f]);
  });

  test("a NaN needs a type that has one", async () => {
    expect([...toNumbers("bfloat16", fromNumbers("bfloat16", [NaN]))]).toEqual([NaN]);
    const value = { name: "HurrayValueError", code: "SW_HURRAY_VALUE", field: "numbers" };
    expect(await thrown(() => fromNumbers("float4_e2m1", [NaN]))).toMatchObject(value);
    expect(await thrown(() => fromNumbers("float6_e3m2", [1e9], { overflow: "nan" }))).toMatchObject(value);
  });

  test("A27 e8m0 holds powers of two, and neither 0 nor FF", async () => {
    expect([...toNumbers("float8_e8m0", Uint8Array.of(1, 127, 254, 0, 255))]).toEqual([
      2 ** -126,
      1,
      2 ** 127,
      NaN,
      NaN,
    ]);
    expect([...fromNumbers("float8_e8m0", [1, 1.5, 3, 5.9, 2 ** -126])]).toEqual([127, 128, 128, 129, 1]);
    for (const value of [0, -1, NaN, Infinity, 2 ** 128, 2 ** -127]) {
      expect(await thrown(() => fromNumbers("float8_e8m0", [value]))).toMatchObject({ code: "SW_HURRAY_VALUE" });
    }
  });
});

describe("float128", () => {
  const roundTrip = (value: number): number => {
    const bytes = new Uint8Array(24);
    numberToFloat128(value, bytes, 8);
    return float128ToNumber(bytes, 8);
  };

  test("law: every double is a float128 and comes back", () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        expect(roundTrip(value)).toBe(value);
      }),
    );
    for (const value of [0, -0, 5e-324, 2 ** -1022 - 2 ** -1074, 2 ** -1022, Number.MAX_VALUE, -Infinity, NaN]) {
      expect(roundTrip(value)).toBe(value);
    }
  });

  test("between two doubles the nearer one, halfway the even one; beyond the largest, infinity", () => {
    const of = (high: bigint, low: bigint): number => {
      const bytes = new Uint8Array(16);
      const view = new DataView(bytes.buffer);
      view.setBigUint64(0, low, true);
      view.setBigUint64(8, high, true);
      return float128ToNumber(bytes, 0);
    };
    const one = 0x3fff_0000_0000_0000n;
    expect(of(one, 1n << 59n)).toBe(1);
    expect(of(one, (1n << 59n) + 1n)).toBe(1 + 2 ** -52);
    expect(of(one, 3n << 59n)).toBe(1 + 2 ** -51);
    // Largest double plus half a unit, and one below that.
    expect(of(0x43fe_ffff_ffff_ffffn, 0xf800_0000_0000_0000n)).toBe(Infinity);
    expect(of(0x43fe_ffff_ffff_ffffn, 0xf7ff_ffff_ffff_ffffn)).toBe(Number.MAX_VALUE);
    // Half of the least subnormal double goes to 0, anything above it does not.
    const half = BigInt(16383 - 1075) << 48n;
    expect([of(half, 0n), of(half, 1n), of((1n << 63n) | half, 0n)]).toEqual([0, 5e-324, -0]);
    expect([of(1n, 0n), of(0x7ffe_0000_0000_0000n, 0n), of(0x7fff_8000_0000_0000n, 1n)]).toEqual([0, Infinity, NaN]);
  });

  test("elements are 16 bytes, numbers the nearest doubles", () => {
    const elements = fromNumbers("float128", [1.5, -2]);
    expect(elements).toHaveLength(32);
    expect([...toNumbers("float128", elements)]).toEqual([1.5, -2]);
  });
});

test("integers are cut to whole numbers and to their range, and a NaN is 0 (D11)", () => {
  expect([...fromNumbers("int4", [7.9, 8, -8.5, NaN, -0.5])]).toEqual([7, 7, -8, 0, 0]);
  expect([...fromNumbers("uint8", [255.5, 300, -1])]).toEqual([255, 255, 0]);
  expect([...fromNumbers("int64", [1.9, 1e300, -1e300, NaN])]).toEqual([1n, 2n ** 63n - 1n, -(2n ** 63n), 0n]);
  expect([...fromNumbers("uint64", [2 ** 64, -5])]).toEqual([2n ** 64n - 1n, 0n]);
  expect([...fromNumbers("bool", [0, -0, 0.1, NaN])]).toEqual([0, 0, 1, 1]);
});

test("complex numbers are pairs, and a target may be given", async () => {
  const elements = fromNumbers("complex64", [1, -2, 0.1, 0]);
  expect(elements).toEqual(Float32Array.of(1, -2, 0.1, 0));
  const into = new Float32Array(4);
  expect(toNumbers("complex64", elements, into)).toBe(into);
  expect(into[2]).toBe(Math.fround(0.1));
  expect(toNumbers("int64", BigInt64Array.of(-(2n ** 53n) - 1n))[0]).toBe(-(2 ** 53));
  const value = { name: "HurrayValueError", code: "SW_HURRAY_VALUE" };
  expect(await thrown(() => fromNumbers("complex64", [1]))).toMatchObject({ ...value, field: "numbers" });
  expect(await thrown(() => toNumbers("int8", Int8Array.of(1), new Float32Array(2)))).toMatchObject({
    ...value,
    field: "into",
  });
});
