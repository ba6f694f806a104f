import { describe, expect, test } from "vitest";
import { columnMeans, finiteRange, lossCurve } from "../src/curve.js";

describe("lossCurve", () => {
  test("a falling loss", () => {
    const losses = Array.from({ length: 240 }, (_, i) => 2.4 * 0.985 ** i);
    expect(`\n${lossCurve(losses, { width: 24, height: 7 })}\n`).toMatchInlineSnapshot(`
      "
      loss
        2.24 ┤••
             │  ••••
             │      ••••
       0.395 ┤          ••••
             │              ••••
             │                  ••••
      0.0694 ┤                      ••
             └────────────────────────
              1               step 240
      "
    `);
  });

  test("a jump is drawn as a line", () => {
    expect(`\n${lossCurve([1, 1, 0.1, 0.1], { width: 8, height: 5 })}\n`).toMatchInlineSnapshot(`
      "
      loss
       1.00 ┤••
            │  │
            │  │
      0.178 ┤  │
      0.100 ┤  ••
            └────
             1 step 4
      "
    `);
  });

  test("a constant loss lies on the floor", () => {
    expect(`\n${lossCurve([0.5, 0.5, 0.5], { width: 8, height: 3 })}\n`).toMatchInlineSnapshot(`
      "
      loss
            │
            │
      0.500 ┤•••
            └───
             1 step 3
      "
    `);
  });

  test("a loss of zero makes the axis linear", () => {
    expect(`\n${lossCurve([2, 1, 0], { width: 8, height: 5 })}\n`).toMatchInlineSnapshot(`
      "
      loss
       2.00 ┤•
            │ │
            │ •
      0.500 ┤  │
       0.00 ┤  •
            └───
             1 step 3
      "
    `);
  });

  test("a loss that is no number leaves a gap", () => {
    expect(`\n${lossCurve([2, Number.NaN, 1], { width: 8, height: 3 })}\n`).toMatchInlineSnapshot(`
      "
      loss
      2.00 ┤•
           │
      1.00 ┤  •
           └───
            1 step 3
      "
    `);
  });

  test("no finite loss, no curve", () => {
    expect(lossCurve([Number.NaN])).toBe("no finite loss to draw");
    expect(lossCurve([])).toBe("no finite loss to draw");
  });

  test("no line is wider than asked, labels aside", () => {
    const lines = lossCurve(Array.from({ length: 6000 }, (_, i) => 1 / (i + 1))).split("\n");
    expect(lines).toHaveLength(1 + 12 + 2);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(64 + 12);
  });
});

describe("columnMeans", () => {
  test("every value counts in exactly one column", () => {
    expect(columnMeans([1, 2, 3, 4, 5], 2)).toEqual([1.5, 4]);
    expect(columnMeans([1, 2], 5)).toEqual([1, 2]);
    expect(columnMeans([], 5)).toEqual([]);
  });
});

describe("finiteRange", () => {
  test("what is not finite is left out", () => {
    expect(finiteRange([3, Number.POSITIVE_INFINITY, 1, Number.NaN])).toEqual([1, 3]);
    expect(finiteRange([Number.NaN])).toBeUndefined();
  });
});
