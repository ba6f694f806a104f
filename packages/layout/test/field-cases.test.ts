import { describe, expect, test } from "vitest";
import { flatDivide, isCompatible, logicalDivide, modeOf, tiledDivide, zippedDivide } from "../src/algebra.js";
import {
  compose,
  flipAxis,
  indexOf,
  isBroadcast,
  isInjective,
  type Layout,
  layout,
  maxIndex,
  minIndex,
  parseLayout,
  permuteAxes,
  reshapeRowMajor,
  rowMajor,
  sliceAxis,
  strided,
} from "../src/index.js";
import { enumerate, enumerateRowMajor, refusal } from "./support.js";

describe("how other libraries failed their users, as far as it concerns layouts", () => {
  test.each([
    ["(4,2,8):(3,12,97)", "3:3", [0, 9, 18]],
    ["(10,2):(16,4)", "(3,4):(1,5)", [0, 16, 32, 80, 96, 112, 4, 20, 36, 84, 100, 116]],
    ["(2,3):(1,2)", "(2,3):(3,1)", [0, 3, 1, 4, 2, 5]],
  ])("field case 1: %s after %s is exact, and has the coordinates of the inner layout", (a, b, want) => {
    const inner = parseLayout(b);
    const result = compose(parseLayout(a), inner);
    expect(enumerate(result)).toEqual(want);
    expect(isCompatible(inner.shape, result.shape)).toBe(true);
    for (let i = 0; i < want.length; i++) expect(indexOf(parseLayout(a), indexOf(inner, i))).toBe(want[i]);
  });

  test("field case 1: what no split of 6 gives is refused", () => {
    const a = parseLayout("(4,6,8):(2,3,5)");
    const b = parseLayout("6:3");
    expect([0, 1, 2, 3, 4, 5].map((i) => indexOf(a, indexOf(b, i)))).toEqual([0, 6, 7, 8, 9, 15]);
    const error = refusal("SW_LAYOUT_INADMISSIBLE", () => compose(a, b));
    expect(error).toMatchObject({ layout: a, other: b, reason: "carry" });
    expect(error.message).toContain("(4,6,8):(2,3,5) after (6):(3)");
  });

  test.each([
    [24, "((12,2),(2,8)):((7,1),(2,30))"],
    [48, "((12,4),8):((7,1),30)"],
  ])("field case 2: tiles of %i keep all 384 elements in order, as literal and as run-time number", (n, text) => {
    const l = parseLayout("(12,(4,8)):(7,(1,30))");
    for (const tile of [n, Number(String(n)), layout([n])]) {
      const result = logicalDivide(l, tile);
      expect(String(result)).toBe(text);
      expect(enumerate(result)).toEqual(enumerate(l));
      expect(modeOf(result, 0).size).toBe(n);
    }
  });

  test("field case 2: tiles of 128 differ in form, and are refused in every form", () => {
    const l = parseLayout("(12,(4,8)):(7,(1,30))");
    for (const divide of [logicalDivide, zippedDivide, tiledDivide, flatDivide]) {
      for (const tile of [128, Number("128"), layout([128])]) {
        const error = refusal("SW_LAYOUT_INADMISSIBLE", () => divide(l, tile));
        expect(error).toMatchObject({ layout: l, reason: "shape" });
      }
    }
  });

  test("field case 3: offsets beyond 2^31 are exact", () => {
    const l = strided([536870913, 4], [4, 1]);
    expect(String(rowMajor([536870913, 4]))).toBe(String(l));
    const offset = indexOf(l, [536870912, 3]);
    expect([offset, offset * 2]).toEqual([2147483651, 4294967302]);
    expect(rowMajor([2, 49152, 65536]).stride[0]).toBe(3221225472);
    expect(permuteAxes(rowMajor([2, 49152, 65536]), [2, 0, 1]).layout.stride).toEqual([1, 3221225472, 65536]);
    expect(sliceAxis(l, 0, 536870912, 536870913).start).toBe(2147483648);
  });

  test("field case 3: what is no safe integer is an error, not a rounded number", () => {
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => rowMajor([2 ** 27, 2 ** 27]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => strided([2, 2], [2 ** 52, 2 ** 52]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => logicalDivide(layout([4]), 2 ** 53));
  });

  /** Where a view reaches in its storage; nothing when it is empty. */
  function reached(offset: number, l: Layout): [number, number] | undefined {
    return l.size === 0 ? undefined : [offset + minIndex(l), offset + maxIndex(l)];
  }

  test.each<[number, number[], number[], [number, number] | undefined]>([
    [5, [3], [-2], [1, 5]],
    [3, [3], [-2], [-1, 3]],
    [2, [4], [0], [2, 2]],
    [0, [64, 64], [64, 1], [0, 4095]],
    [6, [0], [1000], undefined],
  ])("field case 4: from %i, shape %j with strides %j reaches %j", (offset, shape, strides, want) => {
    expect(reached(offset, strided(shape, strides))).toEqual(want);
  });

  test("field case 4: the elements of the views that fit, and what knows that it overlaps itself", () => {
    const storage = [0, 1, 2, 3, 4, 5];
    const read = (offset: number, l: Layout) => enumerateRowMajor(l).map((index) => storage[offset + index]);
    expect(read(5, strided([3], [-2]))).toEqual([5, 3, 1]);
    expect(read(2, strided([4], [0]))).toEqual([2, 2, 2, 2]);
    expect([isBroadcast(strided([4], [0])), isInjective(strided([4], [0]))]).toEqual([true, false]);
    expect(read(6, strided([0], [1000]))).toEqual([]);
  });

  test("field case 4: strides of 2^53 and 2^62 are errors, without wrapping round", () => {
    expect(refusal("SW_LAYOUT_UNSAFE_INTEGER", () => strided([2], [2 ** 53])).value).toBe(2 ** 53);
    expect(refusal("SW_LAYOUT_UNSAFE_INTEGER", () => strided([5], [2 ** 62])).value).toBe(2 ** 62);
    for (const wrong of [1.5, Number.NaN]) expect(() => strided([1], [wrong])).toThrow(TypeError);
  });

  const cut = sliceAxis(rowMajor([4, 6]), 1, 0, 3).layout; // columns 0..2 of a 4×6
  const swapped = permuteAxes(rowMajor([2, 3, 4]), [1, 0, 2]).layout;
  const reversed = flipAxis(rowMajor([6]), 0).layout;
  const transposed = permuteAxes(rowMajor([2, 3]), [1, 0]).layout;

  test.each<[string, Layout, number[], number[]]>([
    ["columns of a matrix", cut, [2, 2, 3], [12, 6, 1]],
    ["swapped axes", swapped, [3, 2, 2, 2], [4, 12, 2, 1]],
    ["a size-1 axis never blocks merging", strided([10, 1, 10], [10, 777, 1]), [100], [1]],
    ["a reversed range", reversed, [2, 3], [-3, -1]],
    ["one cell broadcast", strided([4], [0]), [2, 2], [0, 0]],
  ])("field case 7: %s reshape as a view", (_, source, shape, strides) => {
    const view = reshapeRowMajor(source, shape);
    expect([view?.shape, view?.stride]).toEqual([shape, strides]);
  });

  test.each<[string, Layout, number[]]>([
    ["columns of a matrix", cut, [12]],
    ["swapped axes", swapped, [6, 4]],
    ["swapped axes", swapped, [3, 8]],
    ["a repeated column", strided([2, 3], [1, 0]), [6]],
    ["a transpose", transposed, [6]],
  ])("field case 7: %s %s do not reshape to %j without a copy, and that is said", (_, source, shape) => {
    expect(reshapeRowMajor(source, shape)).toBeUndefined();
  });

  test("field case 7: the order in which a copy has the elements", () => {
    expect(enumerateRowMajor(cut)).toEqual([0, 1, 2, 6, 7, 8, 12, 13, 14, 18, 19, 20]);
    expect(enumerateRowMajor(transposed)).toEqual([0, 3, 1, 4, 2, 5]);
  });
});
