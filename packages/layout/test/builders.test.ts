import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ordered } from "../src/algebra.js";
import {
  columnMajor,
  compactLike,
  isContiguous,
  isDense,
  layout,
  layoutEquals,
  leaves,
  permuteAxes,
  rowMajor,
  type Shape,
  strided,
} from "../src/index.js";
import { enumerateRowMajor, layouts, refusal } from "./support.js";

describe("rowMajor, columnMajor, strided", () => {
  test("the last axis or the first one is fastest", () => {
    expect(String(rowMajor([3, 4]))).toBe("(3,4):(4,1)");
    expect(String(columnMajor([3, 4]))).toBe("(3,4):(1,3)");
    expect(String(strided([3, 4], [-8, 2]))).toBe("(3,4):(-8,2)");
    expect([rowMajor([3, 4]).size, columnMajor([3, 4]).size, strided([3, 4], [0, 0]).size]).toEqual([12, 12, 12]);
  });

  test("D1 row-major orders the axes; inside a nested axis the first leaf is fastest", () => {
    expect(String(rowMajor([3, [2, 2]]))).toBe("(3,(2,2)):(4,(1,2))");
    expect(String(columnMajor([[2, 2], 3]))).toBe("((2,2),3):((1,2),4)");
  });

  test("rank 0 and empty shapes", () => {
    expect([String(rowMajor([])), String(columnMajor([])), String(strided([], []))]).toEqual([
      "():()",
      "():()",
      "():()",
    ]);
    expect(String(rowMajor([2, 0, 3]))).toBe("(2,0,3):(0,3,1)");
  });

  test("law: rowMajor of any shape is contiguous, columnMajor is layout(shape)", () => {
    fc.assert(
      fc.property(layouts(), (l) => {
        expect(isContiguous(rowMajor(l.shape))).toBe(true);
        expect(layoutEquals(columnMajor(l.shape), layout(l.shape))).toBe(true);
        expect(layoutEquals(strided(l.shape, l.stride), l)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("field case 3: the batch stride of a 49152 × 65536 matrix", () => {
    expect(rowMajor([2, 49152, 65536]).stride).toEqual([3221225472, 65536, 1]);
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => rowMajor([2 ** 27, 2 ** 27]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => rowMajor([[2 ** 27, 2 ** 27]]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => columnMajor([2 ** 27, 2 ** 27]));
    refusal("SW_LAYOUT_UNSAFE_INTEGER", () => strided([2, 2], [2 ** 53 - 1, 1]));
  });

  test("builders copy what they are given", () => {
    const shape = [2, 3];
    const l = rowMajor(shape);
    shape[0] = 5;
    expect(l.shape).toEqual([2, 3]);
  });

  test("wrong input: types are TypeErrors, values LayoutErrors that name the builder", () => {
    for (const make of [rowMajor, columnMajor, (s: Shape) => strided(s, [1])]) {
      expect(() => make("x" as unknown as Shape)).toThrow(TypeError);
      expect(() => make([1.5])).toThrow(TypeError);
      refusal("SW_LAYOUT_EXTENT", () => make([-2]));
    }
    expect(refusal("SW_LAYOUT_EXTENT", () => rowMajor([-2])).operation).toBe("rowMajor");
    refusal("SW_LAYOUT_INCONGRUENT", () => strided([2, 3], [1]));
    expect(() => strided([2], 1 as unknown as Shape)).toThrow(TypeError);
  });

  test("LA-11 rowMajor and columnMajor of extents; what is no extent is refused", () => {
    expect([String(rowMajor([2, 3, 4])), String(columnMajor([2, 3, 4]))]).toEqual([
      "(2,3,4):(12,4,1)",
      "(2,3,4):(1,2,6)",
    ]);
    for (const make of [rowMajor, columnMajor]) {
      expect(String(make([]))).toBe("():()"); // a list of none is rank 0 (LA-5)
      expect(() => make([2.5])).toThrow(TypeError);
      expect(refusal("SW_LAYOUT_EXTENT", () => make([2, -1]))).toMatchObject({ operation: make.name, value: -1 });
    }
  });
});

describe("compactLike", () => {
  test("D15 a transposed layout stays transposed, and becomes compact", () => {
    const columns = permuteAxes(rowMajor([4, 6]), [1, 0]).layout;
    expect(String(compactLike(columns))).toBe("(6,4):(1,6)");
    expect(String(compactLike(strided([4, 6], [20, 2])))).toBe("(4,6):(6,1)");
    expect(String(compactLike(strided([4, 6], [-1, 7])))).toBe("(4,6):(1,4)");
  });

  test("D15 a nest is kept", () => {
    expect(String(compactLike(layout([[2, 3], 4], [[1, 20], 3])))).toBe("((2,3),4):((1,8),2)");
    expect(
      String(
        compactLike(
          layout([
            [2, 2],
            [2, 2],
          ]),
        ),
      ),
    ).toBe("((2,2),(2,2)):((1,2),(4,8))");
  });

  test("a contiguous layout is returned itself", () => {
    const l = rowMajor([3, [2, 2]]);
    expect(compactLike(l)).toBe(l);
  });

  test("leaves without a stride of their own keep their row-major place", () => {
    expect(String(compactLike(strided([4, 3], [0, 1])))).toBe("(4,3):(3,1)");
    expect(String(compactLike(strided([4, 3], [1, 0])))).toBe("(4,3):(3,1)");
    expect(String(compactLike(strided([2, 1, 3], [1, 50, 2])))).toBe("(2,1,3):(1,1,2)");
  });

  test("law: dense, same shape, and the order of strides kept", () => {
    fc.assert(
      fc.property(layouts({ minExtent: 1 }), (l) => {
        const like = compactLike(l);
        expect(like.shape).toEqual(l.shape);
        expect(like.size).toBe(l.size);
        expect(isDense(like)).toBe(true);
        const e = leaves(l.shape);
        const d = leaves(l.stride).map(Math.abs);
        const c = leaves(like.stride);
        for (let i = 0; i < e.length; i++) {
          for (let j = 0; j < e.length; j++) {
            const clear = e[i] !== 1 && e[j] !== 1 && !d.some((stride, k) => stride === 0 && e[k] !== 1);
            if (clear && d[i]! > d[j]!) expect(c[i]!, `${l} ${like}`).toBeGreaterThan(c[j]!);
          }
        }
      }),
      { numRuns: 500 },
    );
  });

  test("law: compactLike of a compact layout is that layout", () => {
    fc.assert(
      fc.property(layouts({ minExtent: 2 }), (l) => {
        expect(layoutEquals(compactLike(compactLike(l)), compactLike(l))).toBe(true);
        expect(enumerateRowMajor(compactLike(rowMajor(l.shape)))).toEqual([...Array(l.size).keys()]);
      }),
      { numRuns: 300 },
    );
  });

  test("compactLike takes a mode of a hundred thousand leaves, and no value that is not a layout", () => {
    const ones = Array.from({ length: 100_000 }, () => 1);
    const l = strided([[...ones, 2], 3], [[...ones, 1], 2]);
    expect(leaves(compactLike(l).stride).slice(-2)).toEqual([1, 2]);
    expect(() => compactLike({ shape: [2], stride: [1] } as never)).toThrow("compactLike: argument is not a layout");
  });
});

describe("ordered", () => {
  test.each([
    [[2, 3, 4], [0, 1, 2], "(2,3,4):(1,2,6)"],
    [[2, 3, 4], [2, 1, 0], "(2,3,4):(12,4,1)"],
    [[2, 3, 4], [5, -7, 5], "(2,3,4):(3,1,6)"],
    [[2, [3, 4]], [1, [2, 0]], "(2,(3,4)):(4,(8,1))"],
    [[2, [3, [2, 2]]], [1, 0], "(2,(3,(2,2))):(12,(1,(3,6)))"],
    [[2, [3, 4]], [1, [[2], 0]], undefined],
    [[1, 3], [1, 0], "(1,3):(3,1)"],
    [[2, 0, 4], [2, 1, 0], "(2,0,4):(0,4,1)"],
    [[], [], "():()"],
  ] as const)("LA-10 %j in order %j is %s", (shape, order, text) => {
    if (text === undefined) expect(refusal("SW_LAYOUT_INCONGRUENT", () => ordered(shape, order)).shape).toEqual(shape);
    else expect(String(ordered(shape, order))).toBe(text);
  });

  test("LA-10 law: dense, and a leaf of a smaller number has a smaller stride", () => {
    const modes = fc.array(fc.tuple(fc.integer({ min: 1, max: 6 }), fc.integer({ min: -3, max: 3 })), { maxLength: 6 });
    fc.assert(
      fc.property(modes, (list) => {
        const shape = list.map(([extent]) => extent);
        const order = list.map(([, rank]) => rank);
        const l = ordered(shape, order);
        expect(isDense(l)).toBe(true);
        const stride = leaves(l.stride);
        for (let i = 0; i < list.length; i++) {
          for (let j = 0; j < list.length; j++) {
            const isFaster = order[i]! < order[j]! || (order[i] === order[j] && i < j);
            if (isFaster) expect(stride[j]! % (stride[i]! * shape[i]!)).toBe(0);
          }
        }
        expect(layoutEquals(ordered(shape, [...shape.keys()]), layout(shape))).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  test("wrong input: an order of another form, and what is no list of integers", () => {
    const error = refusal("SW_LAYOUT_INCONGRUENT", () => ordered([2, 3], [0]));
    expect(error).toMatchObject({ operation: "ordered", shape: [2, 3], stride: [0] });
    expect(error.message).toBe(
      "ordered: the order has another form than the shape: got (0), expected the form of (2,3).",
    );
    expect(() => ordered([2, 3], [0, 1.5])).toThrow(TypeError);
    expect(() => ordered([2, 3], 1 as never)).toThrow(TypeError);
    expect(() => ordered(6 as never, [1])).toThrow(TypeError);
    expect(refusal("SW_LAYOUT_EXTENT", () => ordered([-2], [0])).value).toBe(-2);
  });
});
