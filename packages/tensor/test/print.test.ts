import { describe, expect, test } from "vitest";
import type { DType } from "../src/dtype.js";
import { TensorValueError } from "../src/errors.js";
import { formatArray, type PrintOptions } from "../src/print.js";
import vectors from "./vectors/numpy-print.json" with { type: "json" };
import more from "./vectors/numpy-print-suppress.json" with { type: "json" };

interface PrintCase {
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly data: readonly (number | string | boolean)[];
  readonly options?: PrintOptions;
  readonly text: string;
}

function elementOf(dtype: DType, entry: number | string | boolean): number | bigint | boolean {
  if (typeof entry === "boolean") return entry;
  if (dtype === "int64" || dtype === "uint64") return BigInt(entry);
  if (entry === "inf" || entry === "-inf") return entry === "inf" ? Number.POSITIVE_INFINITY : Number.NEGATIVE_INFINITY;
  return Number(entry);
}

/** Where the elements of a row-major array lie. */
function rowMajor(shape: readonly number[]): (axis: number, coordinate: number) => number {
  return (axis, coordinate) => coordinate * shape.slice(axis + 1).reduce((product, extent) => product * extent, 1);
}

function print(values: readonly (number | bigint | boolean)[], dtype: DType, options?: PrintOptions): string {
  return formatArray(
    [values.length],
    (_, k) => k,
    (k) => values[k]!,
    dtype,
    options,
  );
}

describe("formatArray", () => {
  const cases = [...vectors.cases, ...more.cases] as readonly PrintCase[];

  test("there are vectors for twelve dtypes", () => {
    expect(new Set(cases.map(({ dtype }) => dtype)).size).toBe(12);
    expect(cases.length).toBeGreaterThanOrEqual(60);
  });

  for (const dtype of new Set(cases.map((entry) => entry.dtype))) {
    test(`${dtype} prints as NumPy prints it`, () => {
      for (const entry of cases) {
        if (entry.dtype !== dtype) continue;
        const values = entry.data.map((value) => elementOf(dtype as DType, value));
        const text = formatArray(entry.shape, rowMajor(entry.shape), (k) => values[k]!, dtype as DType, entry.options);
        expect(text).toBe(entry.text);
      }
    });
  }

  test("bfloat16 shows the digits that tell its values apart", () => {
    expect(print([1, 3.140625, 0.10009765625], "bfloat16")).toBe("[1.   3.14 0.1 ]");
    expect(print([1, 1.0078125], "bfloat16")).toBe("[1.   1.01]");
    expect(print([3.3895313892515355e38, 1], "bfloat16")).toBe("[3.39e+38 1.00e+00]");
  });

  test("each element that is shown is read once, and no other", () => {
    const read: number[] = [];
    formatArray(
      [4, 1000],
      rowMajor([4, 1000]),
      (ordinal) => {
        read.push(ordinal);
        return ordinal;
      },
      "int32",
    );
    const row = [0, 1, 2, 997, 998, 999];
    expect(read).toEqual([0, 1, 2, 3].flatMap((r) => row.map((c) => 1000 * r + c)));
  });

  test("later lines stand below the first, in the columns that the caller has used", () => {
    const text = formatArray([2, 2], rowMajor([2, 2]), (k) => k, "int32", { indent: 7, separator: ", " });
    expect(`tensor(${text})`).toBe("tensor([[0, 1],\n        [2, 3]])");
  });

  test("an option of the wrong type or out of range is refused by name", () => {
    expect(() => print([1], "int32", { precision: 1.5 })).toThrow(TypeError);
    expect(() => print([1], "int32", { edgeItems: "3" as unknown as number })).toThrow(TypeError);
    expect(() => print([1], "int32", { suppressSmall: 1 as never })).toThrow(TypeError);
    expect(() => print([1], "int32", { separator: 2 as never })).toThrow(TypeError);
    try {
      print([1], "int32", { edgeItems: 0 });
      expect.unreachable();
    } catch (error) {
      expect(error).toBeInstanceOf(TensorValueError);
      expect(error).toMatchObject({ code: "SW_TENSOR_OPTION", given: 0 });
      expect((error as Error).message).toMatch(/^format: edgeItems is out of range: got 0, expected 1 to /);
    }
  });
});
