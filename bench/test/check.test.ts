import { expect, test } from "vitest";
import { deviation } from "../src/check.mjs";

const ramp = { length: 4, at: (i: number) => i };

test("the largest difference, as a part of the largest magnitude", () => {
  expect(deviation([0, 1, 2, 3], ramp)).toBe(0);
  expect(deviation([0, 1.3, 2, 3], ramp)).toBeCloseTo(0.1);
});

test("or of a scale that the reference names, as of sums that cancel", () => {
  expect(deviation([0, 1, 2, 3.5], { ...ramp, scale: 100 })).toBe(0.005);
});

test("NaN is no small difference, wherever it is", () => {
  expect(deviation([Number.NaN, 1, 2, 3], ramp)).toBeNaN();
});

test("results of another length are refused", () => {
  expect(() => deviation([0], ramp)).toThrow("wrong length: got 1, expected 4");
});

test("elements that cost much are compared in part, the last among them", () => {
  let asked = 0;
  const at = (i: number) => {
    asked += 1;
    return i;
  };
  const values = Float64Array.from({ length: 100_000 }, (_, i) => i);
  values[99_999] = 0;
  expect(deviation(values, { length: 100_000, terms: 1e9, at })).toBe(1);
  expect(asked).toBe(1000);
});
