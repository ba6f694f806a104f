import { expect, test } from "vitest";
import { input } from "../src/values.mjs";

test("inputs are the same for the same seed, between −1 and 1, and spread", () => {
  const { data, shape } = input(1, [10, 100]);
  expect(shape).toEqual([10, 100]);
  expect(input(1, [1000]).data).toEqual(data);
  expect(input(2, [1000]).data).not.toEqual(data);
  expect(data.every((value) => Math.abs(value) <= 1)).toBe(true);
  expect(new Set(data).size).toBeGreaterThan(990);
  expect(Math.abs(data.reduce((sum, value) => sum + value) / 1000)).toBeLessThan(0.1);
});

test("a power of two scales without rounding", () => {
  expect(input(1, [8], 4).data).toEqual(input(1, [8]).data.map((value) => 4 * value));
});
