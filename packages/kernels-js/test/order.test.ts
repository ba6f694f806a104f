import { argmax, argmin, argsort, type DType, setKernels, tensor, zeros } from "@sw/tensor";
import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { jsKernels } from "../src/index.js";

beforeAll(() => setKernels(jsKernels));

const FLOATS: readonly DType[] = ["float32", "float64", "float16", "bfloat16"];

describe("argmax and argmin", () => {
  const t = tensor([
    [3, 7, 7],
    [-1, -1, 4],
  ]);
  it("find the first of equals, along an axis or among all elements", () => {
    expect(argmax(t, 1).toArray()).toEqual([1n, 2n]);
    expect(argmin(t, 1).toArray()).toEqual([0n, 0n]);
    expect(argmax(t).item()).toBe(1n);
    expect(argmin(t).item()).toBe(3n);
  });
  it("number all elements row-major, whatever the layout", () => {
    expect(argmax(t.T).item()).toBe(2n);
    expect(argmin(t.flip(0)).item()).toBe(0n);
  });
  it("keep axes where asked", () => {
    expect(argmax(t, 0, { keepAxes: true }).shape).toEqual([1, 3]);
    expect(argmin(t, undefined, { keepAxes: true }).shape).toEqual([1, 1]);
  });
  it("find the first NaN before all", () => {
    for (const dtype of FLOATS) {
      expect(argmax(tensor([1, NaN, 9, NaN], { dtype })).item()).toBe(1n);
      expect(argmin(tensor([1, NaN, -9, NaN], { dtype }), 0).item()).toBe(1n);
      expect(argmin(tensor([0, -0], { dtype })).item()).toBe(0n);
    }
  });
  it("tell 64-bit integers apart", () => {
    expect(argmin(tensor([2n ** 53n + 1n, 2n ** 53n])).item()).toBe(1n);
    expect(argmax(tensor([2n ** 63n - 1n, 2n ** 63n], { dtype: "uint64" })).item()).toBe(1n);
  });
  it("refuse to choose from nothing, axes that are not there, and bool", () => {
    for (const fn of [argmax, argmin]) {
      expect(() => fn(zeros([2, 0]), 1)).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_INVALID", axis: 1 }));
      expect(() => fn(zeros([0, 2]))).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_INVALID", axis: 0 }));
      expect(fn(zeros([0, 2]), 1).shape).toEqual([0]);
      expect(() => fn(t, 2)).toThrow(expect.objectContaining({ code: "SW_TENSOR_AXIS" }));
      expect(() => fn(tensor([true]), 0)).toThrow(expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED" }));
    }
  });
});

describe("argsort", () => {
  it("ascends with NaN last, descends with NaN first, and leaves equals in their order", () => {
    for (const dtype of FLOATS) {
      const t = tensor([2, NaN, -0, 2, 0, -Infinity], { dtype });
      expect(argsort(t, 0).toArray()).toEqual([5n, 2n, 4n, 0n, 3n, 1n]);
      expect(argsort(t, 0, { descending: true }).toArray()).toEqual([1n, 0n, 3n, 2n, 4n, 5n]);
    }
  });
  it("is the order of a stable sort, of any number of integers (fast-check)", () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -4n, max: 4n }), { maxLength: 70 }), fc.boolean(), (values, descending) => {
        const order = [...values.keys()].sort((i, j) => {
          const difference = Number(values[i]! - values[j]!);
          return (descending ? -difference : difference) || i - j;
        });
        for (const dtype of ["int64", "int8"] as const) {
          const t = tensor(dtype === "int8" ? values.map(Number) : values, { dtype, shape: [values.length] });
          expect(argsort(t, 0, { descending }).toArray()).toEqual(order.map(BigInt));
        }
      }),
    );
  });
  it("sorts along any axis", () => {
    const t = tensor([
      [3, 1],
      [2, 5],
    ]);
    expect(argsort(t, 0).toArray()).toEqual([
      [1n, 0n],
      [0n, 1n],
    ]);
    expect(argsort(t.T, -1).toArray()).toEqual([
      [1n, 0n],
      [0n, 1n],
    ]);
    expect(argsort(zeros([2, 0]), 1).shape).toEqual([2, 0]);
    expect(() => argsort(t, 2)).toThrow(expect.objectContaining({ code: "SW_TENSOR_AXIS" }));
    expect(() => argsort(tensor([true]), 0)).toThrow(expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED" }));
    expect(() => argsort(t, 0, true as never)).toThrow(TypeError);
  });
});
