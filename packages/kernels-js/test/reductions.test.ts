import {
  all,
  any,
  arange,
  cast,
  cumsum,
  type DType,
  logSumExp,
  max,
  mean,
  min,
  norm,
  prod,
  type ReduceOptions,
  setKernels,
  sum,
  type Tensor,
  tensor,
  variance,
  zeros,
} from "@sw/tensor";
import { type GradNode, withLeaf } from "@sw/tensor/seam";
import { beforeAll, describe, expect, expectTypeOf, it } from "vitest";
import { jsKernels } from "../src/index.js";

beforeAll(() => setKernels(jsKernels));

const FLOATS = ["float32", "float64", "float16", "bfloat16"] as const satisfies readonly DType[];
const INTEGERS = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"] as const;

const a = tensor([
  [3, 1, 2],
  [-1, 5, 0],
]);

describe("reductions over axes", () => {
  it("take one axis, several, or all, and keep them with extent 1 where asked", () => {
    expect(prod(a, { axes: 0 }).toArray()).toEqual([-3, 5, 0]);
    expect(max(a, { axes: -1 }).toArray()).toEqual([3, 5]);
    expect(min(a, { axes: [0, 1] }).item()).toBe(-1);
    expect(max(a, { axes: 1, keepAxes: true }).toArray()).toEqual([[3], [5]]);
    expect(variance(a, { keepAxes: true }).shape).toEqual([1, 1]);
    expect(any(a, { axes: [] }).toArray()).toEqual([
      [true, true, true],
      [true, true, false],
    ]);
  });

  it("compute the same of any layout", () => {
    const t = cast(arange(24), "float64").reshape([2, 3, 4]);
    for (const view of [t, t.permute([2, 0, 1]).contiguous().permute([1, 2, 0]), t.flip(1).contiguous().flip(1)]) {
      expect(max(view, { axes: [0, 2] }).toArray()).toEqual([15, 19, 23]);
      expect(variance(view, { axes: 1 }).toArray()).toEqual(Array.from({ length: 2 }, () => Array(4).fill(32 / 3)));
      expect(prod(view.slice(2, 0, 2), { axes: [1, 2] }).toArray()).toEqual([0, 12 * 13 * 16 * 17 * 20 * 21]);
    }
  });

  it("of 16-bit floats are accumulated wide and rounded once (OneModel 10)", () => {
    for (const dtype of ["float16", "bfloat16"] as const) {
      const t = tensor([2 ** 8, ...Array<number>(256).fill(1)], { dtype });
      expect(sum(t).item()).toBe(512);
      expect(mean(t).dtype).toBe(dtype);
      expect(cumsum(tensor([0.1, 0.2], { dtype }), 0).dtype).toBe(dtype);
    }
    expect(norm(tensor([60000, 60000], { dtype: "float16" })).item()).toBe(Infinity);
    expect(logSumExp(tensor([60000, 0], { dtype: "float16" })).item()).toBe(60000);
  });
});

describe("what reductions make of nothing", () => {
  const nothing = zeros([2, 0]);
  it("is the neutral element, or NaN", () => {
    expect(sum(nothing, { axes: 1 }).toArray()).toEqual([0, 0]);
    expect(prod(nothing, { axes: 1 }).toArray()).toEqual([1, 1]);
    expect(any(nothing, { axes: 1 }).toArray()).toEqual([false, false]);
    expect(all(nothing).item()).toBe(true);
    expect(mean(nothing).item()).toBeNaN();
    expect(variance(nothing).item()).toBeNaN();
    expect(norm(nothing).item()).toBe(0);
    expect(logSumExp(nothing).item()).toBe(-Infinity);
  });
  it("is refused by min and max, even where nobody asks for the outcome", () => {
    for (const fn of [min, max]) {
      expect(() => fn(nothing, { axes: 1 })).toThrow(
        expect.objectContaining({ code: "SW_TENSOR_SHAPE_INVALID", axis: 1, shape: [2, 0] }),
      );
      expect(() => fn(zeros([0, 0]), { axes: 0 })).toThrow(RangeError);
      expect(fn(nothing, { axes: 0 }).shape).toEqual([0]);
    }
    expect(() => min(nothing)).toThrow(
      "min: nothing to choose from: got extent 0 of axis 1 (shape [2,0]), expected at least 1.",
    );
  });
});

describe("special values", () => {
  it("min and max: any NaN makes NaN, and -0 is below 0", () => {
    for (const dtype of FLOATS) {
      expect(max(tensor([1, NaN, 3], { dtype })).item()).toBeNaN();
      expect(min(tensor([0, -0, 1], { dtype })).item()).toBe(-0);
      expect(max(tensor([-0, 0, -1], { dtype })).item()).toBe(0);
    }
  });
  it("any and all: NaN is true, zeros of both signs are false", () => {
    expect(any(tensor([0, -0])).item()).toBe(false);
    expect(any(tensor([0, NaN])).item()).toBe(true);
    expect(all(tensor([NaN, 1])).item()).toBe(true);
    expect(all(tensor([NaN, -0])).item()).toBe(false);
    expect(any(tensor([false, true])).dtype).toBe("bool");
    expect(all(tensor([2n, 0n])).item()).toBe(false);
  });
  it("logSumExp: infinities are themselves, and large numbers do not overflow", () => {
    expect(logSumExp(tensor([-Infinity, -Infinity])).item()).toBe(-Infinity);
    expect(logSumExp(tensor([-Infinity, Infinity])).item()).toBe(Infinity);
    expect(logSumExp(tensor([1000, 1000], { dtype: "float64" })).item()).toBe(1000 + Math.log(2));
    expect(logSumExp(tensor([NaN, Infinity])).item()).toBeNaN();
  });
  it("variance: what is added to every element cancels", () => {
    const t = tensor([4, 7, 13, 16], { dtype: "float64" });
    expect(variance(t, { correction: 1 }).item()).toBe(30);
    const far = tensor(
      [4, 7, 13, 16].map((x) => x + 1e9),
      { dtype: "float64" },
    );
    expect(variance(far, { correction: 1 }).item()).toBe(30);
    expect(variance(tensor([5]), { correction: 1 }).item()).toBeNaN();
    expect(variance(tensor([1, 3]), { correction: 2 }).item()).toBe(Infinity);
  });
  it("cumsum begins with the first element, so that -0 stays", () => {
    expect(cumsum(tensor([-0, -0, 1]), 0).toArray()).toEqual([-0, -0, 1]);
    expect(cumsum(a, 1).toArray()).toEqual([
      [3, 4, 6],
      [-1, 4, 4],
    ]);
  });
});

describe("field case 17: integers and dtypes", () => {
  it("an int32 product in int32 wraps and is not rounded", () => {
    const factors = tensor([65537, 65537], { dtype: "int32" });
    expect(prod(factors, { dtype: "int32" }).toArray()).toBe(131073);
    expect(prod(factors, { dtype: "int32" }).dtype).toBe("int32");
    expect(prod(factors).item()).toBe(4295098369n);
  });
  it("a mean of int32 in a float dtype is of the exact sum", () => {
    const large = tensor([2147483647, 2147483647], { dtype: "int32" });
    expect(mean(large, { dtype: "float64" }).item()).toBe(2147483647);
    expect(mean(large, { dtype: "float32" }).item()).toBe(2147483648);
    expect(mean(tensor([1n, 2n]), { dtype: "float64" }).item()).toBe(1.5);
    expect(mean(tensor([true, false]), { dtype: "float32" }).item()).toBe(0.5);
  });
  it("a sum in an integer dtype wraps once", () => {
    expect(sum(tensor([200, 100], { dtype: "uint8" }), { dtype: "uint8" }).item()).toBe(44);
    expect(sum(tensor([200, 100], { dtype: "uint8" })).item()).toBe(300n);
    expect(cumsum(tensor([200, 100], { dtype: "uint8" }), 0, { dtype: "uint8" }).toArray()).toEqual([200, 44]);
    expect(sum(tensor([1.5, 1.5]), { dtype: "int32" }).item()).toBe(2);
    expect(sum(tensor([true, true, false])).item()).toBe(2n);
    expect(sum(tensor([2, 3], { dtype: "int32" }), { dtype: "bool" }).item()).toBe(true);
  });
  it("a sum in a wider float is cast first", () => {
    const t = tensor([16777216, 1, 1]);
    expect(sum(t, { dtype: "float64" }).item()).toBe(16777218);
    expect(norm(tensor([3, 4], { dtype: "int32" }), { dtype: "float64" }).item()).toBe(5);
    expect(variance(tensor([1n, 3n]), { dtype: "float32" }).item()).toBe(1);
  });
  it("min, max, prod and cumsum of integers are exact to the last bit", () => {
    for (const dtype of ["int64", "uint64"] as const) {
      const t = tensor([2n ** 53n, 2n ** 53n + 1n, 5n], { dtype });
      expect(max(t).item()).toBe(2n ** 53n + 1n);
      expect(min(t).item()).toBe(5n);
    }
    expect(max(tensor([2n ** 63n, 1n], { dtype: "uint64" })).item()).toBe(2n ** 63n);
    expect(min(tensor([-1n, 1n])).item()).toBe(-1n);
    expect(prod(tensor([2n ** 62n, 2n])).item()).toBe(-(2n ** 63n));
    for (const dtype of INTEGERS) expect(max(cast(a.slice(0, 0, 1), dtype), { axes: 1 }).dtype).toBe(dtype);
  });
  it("types say what comes out", () => {
    expectTypeOf(sum(tensor([1n])).dtype).toEqualTypeOf<"int64">();
    expectTypeOf(sum(tensor([1n]), { dtype: "float32" }).dtype).toEqualTypeOf<"float32">();
    expectTypeOf(mean(a, { axes: 0 }).dtype).toEqualTypeOf<"float32">();
  });
});

describe("what reductions record", () => {
  it("operands and results that rules need, and their numbers", () => {
    const x = withLeaf(tensor([[1, 2]], { dtype: "float64" }), "shape");
    const recordOf = (t: { readonly node: GradNode | undefined }) => t.node!.record!;
    expect(recordOf(variance(x, { axes: 1, correction: 1 }))).toMatchObject({
      kind: "variance",
      ints: [1],
      floats: [1],
    });
    expect(recordOf(norm(x, { order: 1 }))).toMatchObject({ kind: "norm", ints: [0, 1], floats: [1] });
    const highest = max(x);
    expect(recordOf(highest).saved[0]?.tensor).toBe(x);
    expect(recordOf(highest).saved[1]?.tensor).toBe(highest);
    expect(recordOf(cumsum(x, -1))).toMatchObject({ kind: "cumsum", ints: [1], saved: [] });
    expect(any(x).node).toBeUndefined();
  });
  it("own the copy in another dtype only where they save it", () => {
    const x = withLeaf(tensor([1, 2]), "shape");
    const { record } = variance(x, { dtype: "float64" }).node!;
    expect(record!.owned.map((t) => t.dtype)).toEqual(["float64"]);
    expect(record!.inputs[0]!.node!.record!.kind).toBe("cast");
    expect(sum(x, { dtype: "float64" }).node!.record!.owned).toEqual([]);
  });
});

describe("wrong operands", () => {
  it("dtypes", () => {
    const integers = tensor([1n]);
    for (const fn of [mean, variance, norm, logSumExp]) {
      expect(() => fn(integers)).toThrow(expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED", given: "int64" }));
      expect(() => fn(a, { dtype: "int32" })).toThrow(
        expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED", given: "int32" }),
      );
    }
    expect(() => min(tensor([true]))).toThrow(expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED" }));
    expect(() => sum(a, { dtype: "double" as DType })).toThrow(TypeError);
  });
  it("axes and options", () => {
    const everything: readonly ((t: Tensor, options?: ReduceOptions) => Tensor)[] = [
      ...[sum, prod, mean, min, max, any, all, variance, norm, logSumExp],
    ];
    for (const fn of everything) {
      expect(() => fn(a, { axes: 2 })).toThrow(expect.objectContaining({ code: "SW_TENSOR_AXIS", given: 2 }));
      expect(() => fn(a, { axes: [0, -2] })).toThrow(expect.objectContaining({ code: "SW_TENSOR_AXIS" }));
      expect(() => fn(a, 1 as never)).toThrow(TypeError);
      expect(() => fn([1] as never)).toThrow(TypeError);
    }
    expect(() => cumsum(a, 2)).toThrow(expect.objectContaining({ code: "SW_TENSOR_AXIS" }));
  });
  it("numbers among the options", () => {
    for (const correction of [-1, NaN, Infinity]) {
      expect(() => variance(a, { correction })).toThrow(
        expect.objectContaining({ code: "SW_TENSOR_OPTION", given: correction }),
      );
    }
    expect(() => variance(a, { correction: "1" as never })).toThrow(TypeError);
    expect(() => norm(a, { order: 3 })).toThrow("norm: the order is out of range: got 3, expected 1, 2 or Infinity.");
    expect(() => norm(a, { order: null as never })).toThrow(TypeError);
  });
});
