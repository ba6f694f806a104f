import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  arrayOf,
  bounded,
  type DType,
  FLOAT_DTYPES,
  INTEGER_DTYPES,
  largestOf,
  limitsOf,
  readElement,
  roundTo,
  showValue,
  smallestNormalOf,
  smallestOf,
  ulpOf,
  unitRoundoff,
  wrapTo,
  writeElement,
} from "../src/values.js";

const float = fc.constantFrom(...FLOAT_DTYPES);

describe("float dtypes", () => {
  test("the limits are numbers of the dtype, and beside them there is none", () => {
    for (const dtype of FLOAT_DTYPES) {
      for (const x of [smallestOf(dtype), smallestNormalOf(dtype), largestOf(dtype)]) expect(roundTo(dtype, x)).toBe(x);
      expect(roundTo(dtype, smallestOf(dtype) / 2)).toBe(0);
      expect(roundTo(dtype, largestOf(dtype) + ulpOf(dtype, largestOf(dtype)) / 2)).toBe(Infinity);
      expect(roundTo(dtype, 1 + unitRoundoff(dtype))).toBe(1);
      expect(roundTo(dtype, 1 + 2 * unitRoundoff(dtype))).toBeGreaterThan(1);
    }
  });

  test("a rounding is off by half an ulp at most, and the next number by a whole one", () => {
    fc.assert(
      fc.property(float, fc.double({ min: -60000, max: 60000, noNaN: true }), (dtype, x) => {
        const rounded = roundTo(dtype, x);
        expect(Math.abs(rounded - x)).toBeLessThanOrEqual(ulpOf(dtype, x) / 2);
        // Rounding up may reach a power of two, whose next number is twice as far as those below it were.
        const next = rounded < 0 ? rounded - ulpOf(dtype, rounded) : rounded + ulpOf(dtype, rounded);
        expect(roundTo(dtype, next)).toBe(next);
        expect(roundTo(dtype, rounded + (next - rounded) / 4) - rounded).toBe(0);
      }),
      {
        examples: [
          ["bfloat16", 255.5],
          ["bfloat16", -255.5],
        ],
      },
    );
  });

  test("an ulp beside powers of two is exact although the logarithm is not", () => {
    for (let e = -1022; e < 1023; e++) {
      expect(ulpOf("float64", 2 ** e)).toBe(2 ** Math.max(e - 52, -1074));
      expect(ulpOf("float64", 2 ** e * (1 - 2 ** -53))).toBe(2 ** Math.max(e - 53, -1074));
    }
  });

  test("beyond the largest number comes the next power of two", () => {
    expect(bounded("float32", Infinity)).toBe(2 ** 128);
    expect(bounded("float16", -1e9)).toBe(-65536);
    expect(bounded("float64", Infinity)).toBe(Infinity);
    expect(bounded("float32", 3)).toBe(3);
  });

  test("asking an integer dtype for an ulp is an error of the kit", () => {
    expect(() => ulpOf("int32", 1)).toThrow(TypeError);
  });
});

describe("elements", () => {
  test("what is written is read", () => {
    for (const dtype of [...FLOAT_DTYPES, ...INTEGER_DTYPES] as DType[]) {
      const array = arrayOf(dtype);
      const data = new array(new ArrayBuffer(64), 0, 4);
      const value = FLOAT_DTYPES.includes(dtype) ? -0 : wrapTo(dtype, -1n);
      writeElement(dtype, data, 2, value);
      expect(readElement(dtype, data, 2)).toBe(value);
    }
  });

  test("integers wrap modulo 2^bits between their limits", () => {
    for (const dtype of INTEGER_DTYPES) {
      const [low, high] = limitsOf(dtype);
      expect(BigInt(wrapTo(dtype, high + 1n))).toBe(low);
      expect(BigInt(wrapTo(dtype, low - 1n))).toBe(high);
    }
  });

  test("the text of a value tells -0 from 0, and a bigint from a number", () => {
    expect([0, -0, 1n, 0.5].map(showValue)).toEqual(["0", "-0", "1n", "0.5"]);
  });
});
