import { eye, matrix, type Tensor, TensorShapeError } from "@sw/tensor";
import { describe, expect, expectTypeOf, test } from "vitest";
import vectors from "./vectors/numpy-creation.json" with { type: "json" };

describe("matrix", () => {
  test("is made of rows, or of values and a shape", () => {
    const rows = [
      [1, 2],
      [3, 4],
    ];
    expect(matrix(rows).toArray()).toEqual(rows);
    expect(matrix([1, 2, 3, 4], [2, 2]).toArray()).toEqual(rows);
    expect(matrix(Float64Array.of(1, 2, 3, 4), [2, 2]).toArray()).toEqual(rows);
    expect(matrix([], [0, 3]).shape).toEqual([0, 3]);
    expect(matrix([[], []]).shape).toEqual([2, 0]);
  });

  test("has the dtype that its values say, in types too", () => {
    expectTypeOf(matrix([[1]])).toEqualTypeOf<Tensor<"float32">>();
    expectTypeOf(matrix([[1n]])).toEqualTypeOf<Tensor<"int64">>();
    expectTypeOf(matrix([true], [1, 1])).toEqualTypeOf<Tensor<"bool">>();
    expectTypeOf(matrix(Int8Array.of(1), [1, 1])).toEqualTypeOf<Tensor<"int8">>();
    expectTypeOf(matrix([[1]], { dtype: "float16" })).toEqualTypeOf<Tensor<"float16">>();
    expectTypeOf(matrix([1], [1, 1], { dtype: "int64" })).toEqualTypeOf<Tensor<"int64">>();
    expect(matrix([true], [1, 1]).dtype).toBe("bool");
    expect(matrix(Int8Array.of(1), [1, 1]).dtype).toBe("int8");
    expect(matrix([[1]], { dtype: "float16" }).dtype).toBe("float16");
    expect(matrix([1], [1, 1], { dtype: "int64" }).toArray()).toEqual([[1n]]);
  });

  test("field case 23: a shape of three extents says that 2 are wanted, and the compiler says so before", () => {
    // @ts-expect-error: the shape has three extents
    const make = () => matrix([1, 2, 3], [2, 5, 3]);
    expect(make).toThrow(
      expect.objectContaining({
        name: "TensorShapeError",
        code: "SW_TENSOR_SHAPE_MISMATCH",
        given: 3,
        expected: 2,
        message: "matrix: a matrix has 2 dimensions: got 3 (shape [2,5,3]), expected 2. Use tensor for other ranks.",
      }),
    );
    // @ts-expect-error: rows of rows of rows
    expect(() => matrix([[[1]]])).toThrow(expect.objectContaining({ given: 3, expected: 2 }));
    // @ts-expect-error: one list without a shape
    expect(() => matrix([1, 2])).toThrow(expect.objectContaining({ given: 1, expected: 2 }));
    // @ts-expect-error: a typed array without a shape
    expect(() => matrix(Int8Array.of(1, 2))).toThrow(expect.objectContaining({ given: 1, expected: 2 }));
  });

  test("field case 23: errors speak of matrix, and say both sizes", () => {
    expect(() => matrix([1, 2, 3, 4, 5], [2, 3])).toThrow(/^matrix: .*got 5 values, expected 6 for shape \[2,3\]/);
    expect(() => matrix([[1, 2], [3]])).toThrow(/^matrix: .*got 1 values in row 1, expected 2/);
    expect(() => matrix([1], [2.5, 2])).toThrow(/^matrix: .*got 2.5 at position 0/);
    expect(() => matrix([1], [Number.NaN, 2])).toThrow(/^matrix: .*got NaN at position 0/);
    expect(() => matrix([1], [-1, 4])).toThrow(/^matrix: .*got -1 at position 0/);
    expect(() => matrix([[1.5]], { dtype: "int32" })).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_VALUE", given: 1.5, position: 0 }),
    );
  });

  test.each([[null], [undefined], [3], ["12"]])("%j has no rows: TypeError", (values) => {
    expect(() => matrix(values as never)).toThrow(TypeError);
  });
});

describe("eye", () => {
  const rows = (vectors.cases as readonly { kind: string; args: number[]; out: number[][] }[]).filter(
    ({ kind }) => kind === "eye",
  );

  test.each(rows)("of rows, columns and diagonal $args is NumPy's", ({ args, out }) => {
    const [n, columns, diagonal] = args as [number, number, number];
    expect(eye(n, { columns, diagonal }).toArray()).toEqual(out);
  });

  test("is square and float32 unless told otherwise, and has ones of every dtype", () => {
    expectTypeOf(eye(2)).toEqualTypeOf<Tensor<"float32">>();
    expect(eye(2).toArray()).toEqual([
      [1, 0],
      [0, 1],
    ]);
    expect(eye(1, { dtype: "bool" }).toArray()).toEqual([[true]]);
    expect(eye(1, { dtype: "int64" }).toArray()).toEqual([[1n]]);
    for (const dtype of ["float16", "bfloat16", "uint8"] as const) expect(eye(1, { dtype }).toArray()).toEqual([[1]]);
  });

  test("extents and diagonals that are not possible are refused", () => {
    for (const bad of [1.5, "1", 1n]) {
      expect(() => eye(bad as never)).toThrow(TypeError);
      expect(() => eye(2, { diagonal: bad as never })).toThrow(TypeError);
    }
    expect(() => eye(-1)).toThrow(TensorShapeError);
    expect(() => eye(2, { columns: 2 ** 31 })).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_INVALID" }));
    expect(() => eye(2, { diagonal: 2 ** 60 })).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_OPTION", given: 2 ** 60 }),
    );
  });
});
