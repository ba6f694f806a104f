import type { BufferPool } from "@sw/buffer";
import {
  add,
  type Backend,
  cast,
  DTYPES,
  type DType,
  div,
  exp,
  type Kernel,
  matmul,
  mul,
  type Operand,
  type ResultType,
  resultType,
  setKernels,
  sub,
  type Tensor,
  tensor,
  zeros,
} from "@sw/tensor";
import { defaultPool, reluBackward, withLeaf } from "@sw/tensor/seam";
import { beforeAll, describe, expect, expectTypeOf, test } from "vitest";
import { plainBackend } from "./forty-line-backend.js";
import vectors from "./vectors/numpy-result-types.json" with { type: "json" };

/** The product of two matrices, of any float dtype that a typed array holds as numbers. */
const matmulKernel: Kernel = ([out], [a, b]) => {
  const [o, x, y] = [out!, a!, b!];
  for (let batch = 0; batch < (o.shape.at(-3) ?? 1); batch++) {
    for (let i = 0; i < o.shape.at(-2)!; i++) {
      for (let j = 0; j < o.shape.at(-1)!; j++) {
        const place = (t: Operand, r: number, c: number): number =>
          t.offset + batch * (t.strides.at(-3) ?? 0) + r * t.strides.at(-2)! + c * t.strides.at(-1)!;
        let total = 0;
        for (let k = 0; k < x.shape.at(-1)!; k++) {
          total += Number(x.data[place(x, i, k)]) * Number(y.data[place(y, k, j)]);
        }
        (o.data as Float64Array)[place(o, i, j)] = total;
      }
    }
  }
};

function backend(): Backend {
  const plain = plainBackend();
  return { ...plain, kernels: { ...plain.kernels, matmul: matmulKernel } };
}

beforeAll(() => setKernels(backend()));

const NAMES = Object.keys(DTYPES) as DType[];
const live = (): number => (defaultPool() as BufferPool).statistics().live;

/** The least and the greatest integer up to which a dtype holds all, and the greatest power of two of a float. */
function reach(d: DType): { readonly low: bigint; readonly high: bigint; readonly power: number } {
  const { kind, byteLength } = DTYPES[d];
  const bits = 8n * BigInt(byteLength);
  const floats: { [name: string]: [bigint, number] } = {
    float16: [2n ** 11n, 15],
    bfloat16: [2n ** 8n, 127],
    float32: [2n ** 24n, 127],
    float64: [2n ** 53n, 1023],
  };
  const float = floats[d];
  if (float !== undefined) return { low: -float[0], high: float[0], power: float[1] };
  if (kind === "bool") return { low: 0n, high: 1n, power: -1 };
  return kind === "int"
    ? { low: -(2n ** (bits - 1n)), high: 2n ** (bits - 1n) - 1n, power: -1 }
    : { low: 0n, high: 2n ** bits - 1n, power: -1 };
}

/** Whether `wide` holds all of `narrow`; float64 counts as holding 64-bit integers. */
function holds(wide: DType, narrow: DType): boolean {
  const [w, n] = [reach(wide), reach(narrow)];
  return wide === "float64" || (w.low <= n.low && w.high >= n.high && w.power >= n.power);
}

describe("resultType", () => {
  test("is what NumPy's result_type is, for each of the 144 pairs that NumPy has", () => {
    expect(vectors.cases).toHaveLength(144);
    for (const [a, b, result] of vectors.cases)
      expect([a, b, resultType(a as DType, b as DType)]).toEqual([a, b, result]);
  });

  test("bfloat16 meets integers of 8 bits and bool in bfloat16, of 16 bits and float16 in float32, wider in float64", () => {
    const met = NAMES.map((d) => [d, resultType("bfloat16", d)]);
    expect(Object.fromEntries(met)).toEqual({
      bool: "bfloat16",
      uint8: "bfloat16",
      int8: "bfloat16",
      uint16: "float32",
      int16: "float32",
      uint32: "float64",
      int32: "float64",
      uint64: "float64",
      int64: "float64",
      float16: "float32",
      bfloat16: "bfloat16",
      float32: "float32",
      float64: "float64",
    });
  });

  test("all 169 pairs: the smallest dtype that holds both, whichever comes first", () => {
    for (const a of NAMES) {
      for (const b of NAMES) {
        const result = resultType(a, b);
        expect(resultType(b, a)).toBe(result);
        expect(holds(result, a) && holds(result, b)).toBe(true);
        for (const other of NAMES) {
          if (!holds(other, a) || !holds(other, b)) continue;
          expect(DTYPES[other].byteLength).toBeGreaterThanOrEqual(DTYPES[result].byteLength);
        }
      }
    }
  });

  test("three dtypes meet alike in any order, but for a signed, an unsigned and a floating one", () => {
    let differing = 0;
    for (const a of NAMES) {
      for (const b of NAMES) {
        for (const c of NAMES) {
          if (resultType(resultType(a, b), c) === resultType(a, resultType(b, c))) continue;
          differing += 1;
          expect([a, b, c].map((d) => DTYPES[d].kind).sort()).toEqual(["float", "int", "uint"]);
        }
      }
    }
    expect(differing).toBeGreaterThan(0);
  });

  test("the type is the value", () => {
    expectTypeOf(resultType("uint8", "int8")).toEqualTypeOf<"int16">();
    expectTypeOf<ResultType<"float16", "bfloat16">>().toEqualTypeOf<"float32">();
    expectTypeOf<ResultType<"uint64", "int8">>().toEqualTypeOf<"float64">();
    expectTypeOf<ResultType<"bool" | "int8", "float32">>().toEqualTypeOf<"float32">();
    expectTypeOf<ResultType<DType, "float64">>().toEqualTypeOf<"float64">();
  });

  test.each([["float8"], [undefined], [1]])("%j is no dtype: TypeError", (value) => {
    expect(() => resultType(value as never, "int8")).toThrow(TypeError);
    expect(() => resultType("int8", value as never)).toThrow(TypeError);
  });
});

describe("operands of two dtypes", () => {
  const small = tensor([200, 100], { dtype: "uint8" });
  const signed = tensor([-100, 100], { dtype: "int8" });

  test("meet in their result type, in values and in types", () => {
    const s = add(small, signed);
    expectTypeOf(s).toEqualTypeOf<Tensor<"int16">>();
    expect([s.dtype, s.toArray()]).toEqual(["int16", [100, 200]]);
    const p = mul(tensor([[0.5], [2]]), tensor([3, 5], { dtype: "int32" }));
    expectTypeOf(p).toEqualTypeOf<Tensor<"float64">>();
    expect([p.dtype, p.toArray()]).toEqual([
      "float64",
      [
        [1.5, 2.5],
        [6, 10],
      ],
    ]);
    expect(sub(tensor([2 ** 24], { dtype: "int32" }), tensor([0.5])).toArray()).toEqual([2 ** 24 - 0.5]);
    const d = div(tensor([1], { dtype: "float16" }), tensor([3], { dtype: "int8" }));
    expectTypeOf(d).toEqualTypeOf<Tensor<"float16">>();
    expect(d.dtype).toBe("float16");
  });

  test("one dtype stays what it is, in types too", () => {
    expectTypeOf(add(tensor([1]), tensor([2]))).toEqualTypeOf<Tensor<"float32">>();
    expectTypeOf(add(tensor([1n]), 2)).toEqualTypeOf<Tensor<"int64">>();
    expectTypeOf(matmul(tensor([[1]]), tensor([[2]], { dtype: "float64" }))).toEqualTypeOf<Tensor<"float64">>();
  });

  test("D14: a number never changes a dtype", () => {
    for (const dtype of ["float16", "bfloat16", "float32", "float64"] as const) {
      expect(mul(tensor([1], { dtype }), 1e-3).dtype).toBe(dtype);
      expect(add(2, tensor([1], { dtype })).dtype).toBe(dtype);
    }
    expect(add(small, 1).dtype).toBe("uint8");
  });

  test("what the operation is not for is judged by the result type", () => {
    const flags = tensor([true, false]);
    expect(add(flags, small).toArray()).toEqual([201, 100]);
    expect(() => add(flags, flags)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED", given: "bool" }),
    );
    expect(() => div(small, signed)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED", given: "int16" }),
    );
    expect(div(small, tensor([2, 4])).toArray()).toEqual([100, 25]);
  });

  test("matmul promotes, vectors and batches too", () => {
    const integers = tensor([[1, 2]], { dtype: "int16" });
    expect(matmul(integers, tensor([[0.5], [0.25]])).toArray()).toEqual([[1]]);
    expect(matmul(tensor([1, 2], { dtype: "float16" }), tensor([1, 2], { dtype: "bfloat16" })).dtype).toBe("float32");
    const batches = matmul(tensor([[[1]], [[2]]], { dtype: "uint8" }), tensor([[0.5]], { dtype: "float64" }));
    expect([batches.dtype, batches.toArray()]).toEqual(["float64", [[[0.5]], [[1]]]]);
    expect(() => matmul(integers, integers.T)).toThrow(expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED" }));
  });

  test("copyFrom and the rules of gradients want one dtype still: what differs there is a mistake", () => {
    const wide = zeros([2], { dtype: "float64" });
    expect(() => tensor([1, 2]).copyFrom(wide as never)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_DTYPE_MISMATCH" }),
    );
    expect(() => reluBackward(tensor([1, 2]) as Tensor, wide)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_DTYPE_MISMATCH" }),
    );
  });

  test("field case 10: the copies are returned, also when the operation throws", () => {
    const before = live();
    add(small, signed).dispose();
    matmul(tensor([[1]], { dtype: "int8" }), tensor([[1]])).dispose();
    // The two operands of the line above.
    expect(live()).toBe(before + 2);
    const broken = (): never => {
      throw new Error("broken kernel");
    };
    setKernels({ ...plainBackend(), kernels: { add: broken, matmul: broken } });
    try {
      const [x, y] = [tensor([[1]], { dtype: "int8" }), tensor([[1]])];
      const held = live();
      expect(() => add(x, y)).toThrow("broken kernel");
      expect(() => matmul(x, y)).toThrow("broken kernel");
      expect(() => add(small, tensor([1, 2, 3]))).toThrow(expect.objectContaining({ name: "LayoutError" }));
      expect(live()).toBe(held + 1);
    } finally {
      setKernels(backend());
    }
  });

  test("a result, or a copy, beyond the limit of a buffer is refused before anything is cast", () => {
    const many = zeros([1], { dtype: "int8" }).expand([2 ** 29]);
    const half = tensor([0.5], { dtype: "float64" });
    const empty = zeros([1, 0]);
    const before = live();
    expect(() => add(many, half)).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_LIMIT" }));
    // The result is empty, the copy of its operand is not.
    expect(() => add(many.unsqueeze(1), empty)).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_LIMIT" }));
    expect(() => matmul(many.unsqueeze(1), empty)).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_LIMIT" }));
    expect(live()).toBe(before);
  });

  test("a record saves the operand in the result's dtype, and owns it", () => {
    const w = withLeaf(tensor([2, 3]), "shape");
    const y = mul(w, tensor([5, 7], { dtype: "int32" }));
    const record = y.node!.record!;
    expect(record.inputs.map((edge) => edge.dtype)).toEqual(["float64", "float64"]);
    expect(record.saved[1]!.tensor.toArray()).toEqual([5, 7]);
    expect(record.saved[1]!.tensor.dtype).toBe("float64");
    expect(record.owned).toEqual([record.saved[1]!.tensor]);
    // The parameter's own copy is of no use to backward.
    expect(record.saved[0]).toBeUndefined();
    expect(add(w, tensor([5, 7], { dtype: "int32" })).node!.record!.owned).toEqual([]);
  });
});

test("exp and its like keep their dtype", () => {
  expectTypeOf(cast(tensor([1]), "float16")).toEqualTypeOf<Tensor<"float16">>();
  expect(() => exp(tensor([1n]))).toThrow(expect.objectContaining({ code: "SW_TENSOR_DTYPE_REFUSED" }));
});
