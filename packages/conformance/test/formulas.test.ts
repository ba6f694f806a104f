import { describe, expect, test } from "vitest";
import {
  erfOf,
  flooredIntegerRemainder,
  flooredRemainder,
  geluOf,
  integerPower,
  logistic,
  nearestEven,
  powerOf,
  softplusOf,
} from "../src/kernels/formulas.js";
import { ulpOf } from "../src/values.js";

// The formulas of the kit against sums of integers that have as many digits as are needed.

/** Numbers here are integers in units of 2^-BITS: more bits than the smallest float64 has, and 300 for the answer. */
const BITS = 1400n;
const ONE = 1n << BITS;
const times = (a: bigint, b: bigint): bigint => (a * b) >> BITS;

/** A float64, exactly but for bits below 2^-1400. */
function fixed(x: number): bigint {
  const exponent = x === 0 ? 0 : Math.max(-1022, Math.floor(Math.log2(Math.abs(x))) - 1) - 54;
  // Scaled in two steps, since 2^1076 is no float64.
  const half = Math.trunc(-exponent / 2);
  const integer = BigInt(x * 2 ** half * 2 ** (-exponent - half));
  return exponent < 0 ? (integer << BITS) >> BigInt(-exponent) : integer << (BITS + BigInt(exponent));
}

/** The series `Σ term`, where each term is the one before times `next(n)`. */
function series(
  first: bigint,
  next: (term: bigint, n: bigint) => bigint,
  part = (term: bigint, _n: bigint) => term,
): bigint {
  let sum = 0n;
  let term = first;
  for (let n = 0n; term !== 0n; n++) {
    sum += part(term, n);
    term = next(term, n + 1n);
  }
  return sum;
}

function arctangentOf1By(q: bigint): bigint {
  return series(
    ONE / q,
    (term) => -term / (q * q),
    (term, n) => term / (2n * n + 1n),
  );
}

function rootOf(x: bigint): bigint {
  let root = 1n << BigInt(((x << BITS).toString(2).length / 2 + 1) | 0);
  for (let next = root; ; root = next) {
    next = (root + (x << BITS) / root) >> 1n;
    if (next >= root) return root;
  }
}

const PI = 16n * arctangentOf1By(5n) - 4n * arctangentOf1By(239n);

function exponential(x: bigint): bigint {
  return series(ONE, (term, n) => times(term, x) / n);
}

/** `2/√π·Σ (−1)ⁿ x^(2n+1)/(n!(2n+1))`, of which the digits that cancel are more than enough. */
function errorFunction(x: bigint): bigint {
  const square = times(x, x);
  const sum = series(
    x,
    (term, n) => -times(term, square) / n,
    (term, n) => term / (2n * n + 1n),
  );
  return (2n * sum * ONE) / rootOf(PI);
}

/** The distance of a float64 from an exact number, in units in its last place. */
function ulpsBetween(got: number, exact: bigint): number {
  const distance = fixed(got) - exact;
  const scale = fixed(ulpOf("float64", got));
  return Math.abs(Number((distance * 1000n) / scale)) / 1000;
}

const points = (low: number, high: number): number[] =>
  Array.from({ length: 60 }, (_, i) => low + ((high - low) * (i + 0.37)) / 60);

describe("the formulas of the kit, against exact integers", () => {
  test("the oracle itself: π, e and erf(1)", () => {
    expect(Number(PI >> (BITS - 60n))).toBe(Math.PI * 2 ** 60);
    expect(ulpsBetween(Math.E, exponential(ONE))).toBeLessThan(0.5);
    expect(ulpsBetween(0.8427007929497149, errorFunction(ONE))).toBeLessThan(0.51);
  });

  test("erf is within 4 ulp of float64", () => {
    for (const x of [...points(-6, 6), ...points(-0.6, 0.6), 1e-300, 5e-324, 0.25, 0.5, 6]) {
      expect(ulpsBetween(erfOf(x), errorFunction(fixed(x))), `erf(${x})`).toBeLessThan(4);
    }
  });

  test("gelu is within 5 ulp of float64, far out too", () => {
    const exact = (x: number): bigint => {
      const z = (fixed(x) * ONE) / rootOf(2n * ONE);
      return times(fixed(x), ONE + errorFunction(z)) / 2n;
    };
    for (const x of [...points(-8, 8), ...points(-36, -8), 0.3, -0.35355339059327373, 39]) {
      expect(ulpsBetween(geluOf(x), exact(x)), `gelu(${x})`).toBeLessThan(5);
    }
  });

  test("sigmoid and softplus are within 2 ulp of float64", () => {
    for (const x of [...points(-40, 40), ...points(-1, 1)]) {
      const e = exponential(fixed(x));
      expect(ulpsBetween(logistic(x), (e * ONE) / (ONE + e)), `sigmoid(${x})`).toBeLessThan(2);
      // Compared by its exponential, whose relative error is the absolute one of the logarithm.
      const back = exponential(fixed(softplusOf(x))) - ONE;
      const error = Math.abs(Number(((back - e) << 60n) / (ONE + e)) / 2 ** 60);
      expect(error, `softplus(${x})`).toBeLessThan(2 * ulpOf("float64", softplusOf(x)));
    }
  });
});

describe("the formulas of the kit at their corners", () => {
  test("zeros, infinities and NaN", () => {
    expect([-0, Infinity, -Infinity, NaN].map(erfOf)).toEqual([-0, 1, -1, NaN]);
    expect([-0, Infinity, -Infinity, NaN].map(geluOf)).toEqual([-0, Infinity, NaN, NaN]);
    expect([0, Infinity, -Infinity, NaN].map(logistic)).toEqual([0.5, 1, 0, NaN]);
    expect([Infinity, -Infinity, NaN].map(softplusOf)).toEqual([Infinity, 0, NaN]);
    expect([0.5, 1.5, -0.5, -2.5, -0, 2 ** 52 + 1, NaN, -Infinity].map(nearestEven)).toEqual([
      0,
      2,
      -0,
      -2,
      -0,
      2 ** 52 + 1,
      NaN,
      -Infinity,
    ]);
  });

  test("powers are C's", () => {
    expect(powerOf(1, NaN)).toBe(1);
    expect(powerOf(NaN, -0)).toBe(1);
    expect(powerOf(-1, -Infinity)).toBe(1);
    expect(powerOf(-1, NaN)).toBe(NaN);
    expect(powerOf(2, 0.5)).toBe(Math.SQRT2);
    for (const [x, y] of [
      [3n, 5n],
      [-3n, 7n],
      [2n, 63n],
      [7n, 22n],
      [5n, 0n],
    ] as const) {
      expect(integerPower(x, y)).toBe(BigInt.asUintN(64, x ** y));
    }
    expect([integerPower(-1n, -3n), integerPower(1n, -3n), integerPower(2n, -1n), integerPower(0n, -1n)]).toEqual([
      -1n,
      1n,
      0n,
      0n,
    ]);
  });

  test("remainders have the sign of the divisor", () => {
    expect(flooredRemainder(-7, 3)).toBe(2);
    expect(flooredRemainder(-6, 3)).toBe(0);
    expect(flooredRemainder(6, -3)).toBe(-0);
    expect(flooredRemainder(3, -Infinity)).toBe(-Infinity);
    expect(flooredRemainder(1, 0)).toBe(NaN);
    expect(flooredIntegerRemainder(-7n, 3n)).toBe(2n);
    expect(flooredIntegerRemainder(7n, -3n)).toBe(-2n);
    expect(flooredIntegerRemainder(7n, 0n)).toBe(0n);
  });
});
