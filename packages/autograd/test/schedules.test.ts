import { constant, cosine, exponential, linear, type Schedule, warmup } from "@sw/autograd";
import fc from "fast-check";
import { describe, expect, test } from "vitest";

const over = (schedule: Schedule, steps: readonly number[]): number[] => steps.map(schedule);

describe("schedules", () => {
  test("constant", () => expect(over(constant(0.5), [0, 1, 1e6])).toEqual([0.5, 0.5, 0.5]));
  test("linear reaches its end and stays", () => {
    expect(over(linear(1, 0, 4), [0, 1, 2, 3, 4, 5])).toEqual([1, 0.75, 0.5, 0.25, 0, 0]);
    expect(over(linear(0.5, 1, 2), [0, 1, 2, 9])).toEqual([0.5, 0.75, 1, 1]);
  });
  test("cosine is half-way in the middle, and slow at both ends", () => {
    const rate = cosine(1, 0.5, 100);
    expect(over(rate, [0, 100, 1000])).toEqual([1, 0.5, 0.5]);
    expect(rate(50)).toBeCloseTo(0.75, 15);
    expect(1 - rate(10)).toBeLessThan(0.05 * 0.5);
    expect(rate(90) - 0.5).toBeLessThan(0.05 * 0.5);
  });
  test("exponential multiplies", () => expect(over(exponential(8, 0.5), [0, 1, 3])).toEqual([8, 4, 1]));
  test("warmup rises to the first rate of what comes after, which then starts at its own step 0", () => {
    expect(over(warmup(4, linear(1, 0, 2)), [0, 1, 2, 3, 4, 5, 6])).toEqual([0.25, 0.5, 0.75, 1, 1, 0.5, 0]);
    expect(over(warmup(0, constant(3)), [0, 1])).toEqual([3, 3]);
  });
  test("rates lie between their ends", () => {
    const rate = fc.double({ min: 0, max: 10, noNaN: true });
    fc.assert(
      fc.property(rate, rate, fc.integer({ min: 1, max: 1000 }), fc.nat(2000), (from, to, steps, step) => {
        for (const make of [linear, cosine]) {
          const at = make(from, to, steps)(step);
          const slack = 1e-14 * Math.max(from, to);
          expect(at).toBeGreaterThanOrEqual(Math.min(from, to) - slack);
          expect(at).toBeLessThanOrEqual(Math.max(from, to) + slack);
        }
      }),
    );
  });
  test("what is no rate, no count, no step and no schedule is refused", () => {
    const option = expect.objectContaining({ code: "SW_AUTOGRAD_OPTION" });
    for (const make of [
      () => constant(-1),
      () => linear(1, Number.NaN, 2),
      () => linear(1, 0, 0),
      () => cosine(1, 0, 2.5),
      () => exponential(1, Number.POSITIVE_INFINITY),
      () => warmup(-1, constant(1)),
      () => constant(1)(-1),
      () => linear(1, 0, 2)(Number.NaN),
    ]) {
      expect(make).toThrow(option);
    }
    expect(() => constant("1" as never)).toThrow(TypeError);
    expect(() => warmup(1, 0.5 as never)).toThrow(TypeError);
    expect(() => warmup(1, constant(1))(undefined as never)).toThrow(TypeError);
    expect(() => linear(1, 0, 0)).toThrow(
      "linear: the number of steps is not possible: got 0, expected an integer of at least 1.",
    );
  });
});
