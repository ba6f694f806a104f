import { expect, test } from "vitest";
import { ROWS, rowsById } from "../rows/index.mjs";
import { productReference } from "../rows/matmul.mjs";
import { ENGINES, engineOf } from "../src/engines.mjs";

test("rows have names of their own, a unit, and something to reach", () => {
  expect(rowsById().size).toBe(ROWS.length);
  for (const { id, unit, reach } of ROWS) {
    expect(unit, id).not.toBe("");
    expect(reach.length, id).toBeGreaterThan(0);
  }
});

test("every contestant of a row is an engine, and what a reach names takes part", () => {
  for (const row of ROWS) {
    const names = Object.keys("runs" in row ? row.runs : row.programs);
    if ("runs" in row) for (const name of names) expect(ENGINES, `${row.id}: ${name}`).toHaveProperty(engineOf(name));
    for (const reach of row.reach) {
      if ("than" in reach && reach.than !== "best") expect(names, row.id).toContain(reach.than);
    }
  }
});

test.each([
  { of: "A·B", aT: false, bT: false, expected: [19, 22, 43, 50] },
  { of: "A·Bᵀ", aT: false, bT: true, expected: [17, 23, 39, 53] },
  { of: "Aᵀ·B", aT: true, bT: false, expected: [26, 30, 38, 44] },
])("the reference of $of, the second of a batch", ({ aT, bT, expected }) => {
  const a = { data: Float32Array.of(0, 0, 0, 0, 1, 2, 3, 4) };
  const b = { data: Float32Array.of(0, 0, 0, 0, 5, 6, 7, 8) };
  const { length, at } = productReference(2, 2, 2, 2, aT, bT)(a, b);
  expect(Array.from({ length }, (_, i) => at(i))).toEqual([0, 0, 0, 0, ...expected]);
});
