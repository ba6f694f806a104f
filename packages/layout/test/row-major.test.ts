import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isContiguous, isDense, layout, parseLayout, rowMajor, strided } from "../src/index.js";
import { adjacentStrides, isTransposed, rowMajorIndices } from "../src/walk.js";
import { enumerateRowMajor, layouts, refusal } from "./support.js";

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

  test("an axis may have more leaves than a call takes arguments", () => {
    const wide = new Array<number>(200_000).fill(1);
    expect([...rowMajorIndices(layout([[...wide, 3]], [[...wide, 2]]))]).toEqual([0, 2, 4]);
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

describe("adjacentStrides and isTransposed, as Candela defines them", () => {
  test("contiguous, transposed and broadcast layouts", () => {
    expect(adjacentStrides(rowMajor([3, 4]))).toEqual([1, 1]);
    expect(adjacentStrides(strided([4, 3], [1, 4]))).toEqual([-7, 4]);
    expect(adjacentStrides(strided([3, 4], [0, 1]))).toEqual([-3, 1]);
    expect(adjacentStrides(parseLayout("((2,2),3):((1,6),2)"))).toEqual([1, -3, 2]);
    expect(adjacentStrides(rowMajor([0, 4]))).toEqual([0, 0]);
    expect(adjacentStrides(rowMajor([]))).toEqual([]);
  });

  test("law: they take a row-major walk from each index to the next", () => {
    fc.assert(
      fc.property(layouts({ maxSize: 200 }), (l) => {
        const adjacent = adjacentStrides(l);
        const walked = [...rowMajorIndices(l)];
        for (let i = 1; i < walked.length; i++) expect(adjacent).toContain(walked[i]! - walked[i - 1]!);
      }),
      { numRuns: 300 },
    );
  });

  test("a step backwards along a stride other than 0 is transposed; repeating alone is not", () => {
    expect(isTransposed(strided([4, 3], [1, 4]))).toBe(true);
    expect(isTransposed(strided([3], [-1]))).toBe(true);
    expect(isTransposed(rowMajor([3, 4]))).toBe(false);
    expect(isTransposed(strided([3, 4], [0, 1]))).toBe(false);
    expect(isTransposed(strided([0, 3], [1, 4]))).toBe(false);
    expect(isTransposed(strided([1, 4], [1, 1]))).toBe(true); // strides of extents of 1 count in this definition
  });

  test("Candela's contiguity is true for a contiguous [2,3,4] permuted by (0,2,1), which is not contiguous", () => {
    const l = strided([2, 4, 3], [12, 1, 4]);
    const inner = l.stride.slice(1) as number[];
    expect(adjacentStrides(l)[0] === 1 && !inner.includes(0)).toBe(true);
    expect(isContiguous(l)).toBe(false);
    expect(isDense(l)).toBe(true);
  });

  test("Hurray's density (the strides permute the row-major ones) fails both ways on [3,4]", () => {
    const permutes = (strides: number[]): boolean => String([...strides].sort()) === String([1, 4]);
    expect([permutes([1, 4]), isDense(strided([3, 4], [1, 4]))]).toEqual([true, false]);
    expect([permutes([1, 3]), isDense(strided([3, 4], [1, 3]))]).toEqual([false, true]);
  });

  test("what is not safe, or no layout, is refused", () => {
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => adjacentStrides(layout([1, 2], [-(2 ** 53 - 1), 2 ** 51])));
    expect(() => adjacentStrides({} as never)).toThrow(TypeError);
    expect(() => isTransposed(undefined as never)).toThrow(TypeError);
  });
});
