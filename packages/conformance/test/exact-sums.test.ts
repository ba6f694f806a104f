import fc from "fast-check";
import { expect, test } from "vitest";
import { Accumulator, exactSum } from "../src/exact-sums.js";

test("a sum keeps what plain addition loses", () => {
  expect(exactSum([1e16, 1, -1e16]).sum).toBe(1);
  expect(exactSum([1e16, 1, -1e16])).toEqual({ sum: 1, magnitude: 2e16 });
});

test("the sum of nothing, and of -0 alone, is +0", () => {
  expect(exactSum([]).sum).toBe(0);
  expect(exactSum([-0]).sum).toBe(0);
});

test("infinities and NaN go through", () => {
  expect(exactSum([1, Infinity]).sum).toBe(Infinity);
  expect(exactSum([Infinity, -Infinity]).sum).toBeNaN();
  expect(exactSum([Number.NaN, 1]).sum).toBeNaN();
});

test("sums of integers are exact, products included", () => {
  const whole = fc.integer({ min: -(2 ** 40), max: 2 ** 40 });
  fc.assert(
    fc.property(fc.array(fc.tuple(whole, whole), { maxLength: 30 }), (pairs) => {
      const total = new Accumulator();
      let exact = 0n;
      for (const [a, b] of pairs) {
        total.addProduct(a, b);
        exact += BigInt(a) * BigInt(b);
      }
      expect(total.result().sum).toBe(Number(exact) + 0);
    }),
  );
});
