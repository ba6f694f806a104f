import { describe, expect, test } from "vitest";
import { confusionTable, countConfusion, countCorrect } from "../src/confusion.js";

describe("confusion", () => {
  const confusion = countConfusion([0, 0, 1, 1, 1, 2], [0, 2, 1, 1, 0, 2], 4);

  test("rows are true classes, columns predicted ones", () => {
    expect(confusion).toEqual([
      [1, 0, 1, 0],
      [1, 2, 0, 0],
      [0, 0, 1, 0],
      [0, 0, 0, 0],
    ]);
  });

  test("the diagonal is what is right", () => {
    expect(countCorrect(confusion)).toBe(4);
  });

  test("the table has the share of each class that was found", () => {
    expect(`\n${confusionTable(confusion)}\n`).toMatchInlineSnapshot(`
      "
      true │   0   1   2   3   predicted
      ─────┼────────────────
         0 │   1   ·   1   ·   50.0 %
         1 │   1   2   ·   ·   66.7 %
         2 │   ·   ·   1   ·  100.0 %
         3 │   ·   ·   ·   ·        -
      "
    `);
  });

  test("large counts widen all columns alike", () => {
    const lines = confusionTable([
      [123456, 1],
      [0, 9],
    ]).split("\n");
    expect(lines[2]).toBe("   0 │ 123456      1  100.0 %");
    expect(lines[3]).toBe("   1 │      ·      9  100.0 %");
  });
});
