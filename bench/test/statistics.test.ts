import { expect, test } from "vitest";
import { quartiles, ratios, shuffled } from "../src/statistics.mjs";

test("quartiles lie on straight lines between neighbours, whatever the order", () => {
  expect(quartiles([4, 1, 3, 2, 5])).toEqual({ low: 2, median: 3, high: 4 });
  expect(quartiles([1, 2])).toEqual({ low: 1.25, median: 1.5, high: 1.75 });
  expect(quartiles([7])).toEqual({ low: 7, median: 7, high: 7 });
});

test("quartiles do not reorder what they are given", () => {
  const values = [3, 1, 2];
  quartiles(values);
  expect(values).toEqual([3, 1, 2]);
});

test("a ratio is taken within a round, so a round in which all are slow counts as any other", () => {
  expect(ratios([20, 200, 20], [10, 100, 10])).toEqual([2, 2, 2]);
});

test("rounds that one of the two lacks are left out", () => {
  expect(ratios([1, 2, 3], [1])).toEqual([1]);
  expect(ratios([1], [1, 2, 3])).toEqual([1]);
});

test("a shuffle keeps every value and follows the numbers it draws", () => {
  const draws = [0.9, 0.1, 0.5];
  expect(shuffled(["a", "b", "c"], () => draws.shift() ?? 0)).toEqual(["b", "c", "a"]);
});
