import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { roundedDecimal, roundedPlaces, shortestDecimal } from "../src/decimal.js";

describe("shortestDecimal", () => {
  test("reads back as the same float32, and one digit fewer does not", () => {
    const positive = fc.float({ min: Math.fround(1e-45), noNaN: true, noDefaultInfinity: true });
    fc.assert(
      fc.property(positive, (x) => {
        const { digits, exponent } = shortestDecimal(x, "float32");
        const position = exponent - digits.length + 1;
        expect(Math.fround(Number(`${digits}e${position}`))).toBe(x);
        const shorter = BigInt(digits.slice(0, -1) || "0");
        for (const candidate of [shorter, shorter + 1n]) {
          expect(Math.fround(Number(`${candidate}e${position + 1}`))).not.toBe(x);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("knows that neighbours above a power of two lie further apart than below", () => {
    expect(shortestDecimal(2 ** -6, "float16")).toEqual({ digits: "1563", exponent: -2 });
    expect(shortestDecimal(2 ** -44, "float32")).toEqual({ digits: "5684342", exponent: -14 });
  });

  test("zero is one digit", () => {
    expect(shortestDecimal(0, "float32")).toEqual({ digits: "0", exponent: 0 });
  });
});

describe("rounding of exact values", () => {
  test("ties go to the even digit", () => {
    expect([0.5, 1.5, 2.5].map((x) => roundedPlaces(x, 0).digits)).toEqual(["0", "2", "2"]);
    expect([1.125, 1.375].map((x) => roundedDecimal(x, 2).digits)).toEqual(["112", "138"]);
  });

  test("a carry raises the exponent", () => {
    expect(roundedDecimal(9.996, 2)).toEqual({ digits: "1", exponent: 1 });
    expect(roundedPlaces(99.96, 1)).toEqual({ digits: "1", exponent: 2 });
  });

  test("what a binary fraction really is decides, not its shortest digits", () => {
    expect(roundedDecimal(1.005, 2).digits).toBe("1");
    expect(roundedDecimal(0.1, 20).digits).toBe("100000000000000005551");
    expect(roundedDecimal(0, 3)).toEqual({ digits: "0", exponent: 0 });
  });
});
