import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { layout, rowMajorIndices, strided } from "../src/index.js";
import { enumerateRowMajor, layouts } from "./support.js";

describe("rowMajorIndices", () => {
  test("law: every index in row-major order", () => {
    fc.assert(
      fc.property(layouts(), (l) => {
        expect([...rowMajorIndices(l)]).toEqual(enumerateRowMajor(l));
      }),
      { numRuns: 500 },
    );
  });

  test("rank 0, empty, reversed and repeated", () => {
    expect([...rowMajorIndices(layout([]))]).toEqual([0]);
    expect([...rowMajorIndices(layout([3, 0]))]).toEqual([]);
    expect([...rowMajorIndices(strided([2, 2], [0, -1]))]).toEqual([0, -1, 0, -1]);
  });

  test("it walks only as far as the caller does", () => {
    const first: number[] = [];
    for (const index of rowMajorIndices(layout([2 ** 26, 2 ** 26]))) {
      first.push(index);
      if (first.length === 3) break;
    }
    expect(first).toEqual([0, 2 ** 26, 2 ** 27]);
  });
});
