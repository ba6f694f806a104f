import { expect, test } from "vitest";
import { misses, table } from "../src/table.mjs";
import { RESULTS } from "./results.js";

test("a line a reach, rates as work a time, notes below their row", () => {
  expect(table(RESULTS).split("\n")).toEqual([
    "row     unit     ours  best peer  of limit  got [quartiles]     reach",
    "─────────────────────────────────────────────────────────────────────────────────────────────",
    "matmul  GFLOP/s  50.0  33.3 peer  50.0 %    1.50× [1.50–1.50]   ≥ 1.30× best           met",
    "                                            50.0 % [50.0–50.0]  ≥ 88.0 % of registers  missed",
    "view    µs       0.20  –                    0.20 [0.15–0.25]    ≤ 0.060 µs             missed",
    "  warm",
  ]);
});

test("what is missed is told in full", () => {
  expect(misses(RESULTS)).toEqual([
    "matmul: 50.0 % [50.0–50.0], reach ≥ 88.0 % of registers",
    "view: 0.20 [0.15–0.25], reach ≤ 0.060 µs",
  ]);
});
