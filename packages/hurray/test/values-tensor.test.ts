import { BufferPool, heapMemory } from "@sw/buffer";
import { DTYPES, type DType } from "@sw/tensor";
import { withScope } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";
import { valuesTensor } from "../src/compound/index.js";
import { ELEMENT_TYPES, type ElementTypeName } from "../src/descriptor/index.js";
import { fromNumbers, packElements, quantize, toNumbers, toSparse, valuesOf } from "../src/values/index.js";
import { thrown } from "./support.js";
import { raw, storedOf, tensorOf, valuesCases } from "./support-values.js";

const dense = (type: ElementTypeName, values: readonly number[], strides?: readonly bigint[]) => {
  const bytes = new Uint8Array(values.length * 16);
  const elements = type.endsWith("int64") ? BigInt64Array.from(values, BigInt) : fromNumbers(type, values);
  packElements(type, elements as never, bytes);
  const layout = strides === undefined ? ({ kind: "rowMajor" } as const) : ({ kind: "strided", strides } as const);
  return tensorOf(type, [2, 2], layout, [bytes]);
};

describe("every element type", () => {
  const real = ELEMENT_TYPES.map(({ name }) => name).filter((name) => !name.startsWith("complex"));
  test.each(real)("%s: the values, in its own dtype or the least that holds them", (type) => {
    const values = type === "float8_e8m0" ? [1, 2, 4, 0.5] : [1, 0, 0, 1];
    const { tensor, dequantized, expanded, converted } = valuesTensor(dense(type, values));
    expect([...tensor.data()].map(Number)).toEqual(
      type.endsWith("float16") ? [...fromNumbers(type, values)].map(Number) : values,
    );
    expect([dequantized, expanded]).toEqual([false, false]);
    expect(converted).toBe(Object.hasOwn(DTYPES, type) ? undefined : type);
    if (converted === undefined) expect(tensor.dtype).toBe(type);
  });

  test("complex numbers have no dtype", async () => {
    const t = tensorOf("complex64", [1], { kind: "rowMajor" }, [new Uint8Array(8)]);
    expect(await thrown(() => valuesTensor(t))).toMatchObject({ code: "SW_HURRAY_TYPE_UNSUPPORTED", typeTag: 0x50 });
  });

  test("bits are kept, NaN payloads too", () => {
    const bits = Uint32Array.of(0x7fa00001, 0xffc12345);
    const t = tensorOf("float32", [2], { kind: "rowMajor" }, [raw(bits)]);
    const { tensor } = valuesTensor(t);
    expect(raw(tensor.data())).toEqual(raw(bits));
  });
});

describe("what was done is said", () => {
  test("of vectors: values as the manifest has them", () => {
    for (const c of valuesCases("dequant")) {
      const { tensor, dequantized, converted } = valuesTensor(storedOf(c));
      expect([tensor.dtype, dequantized, converted]).toEqual(["float32", true, undefined]);
      expect([tensor.shape, [...tensor.data()]]).toEqual([c.expect.shape, c.values.map(Number)]);
    }
  });

  test("zeros of sparse tensors and repetitions are expanded", () => {
    const sparse = toSparse(dense("float32", [0, 2, 0, 0]), "coo");
    expect(valuesTensor(sparse)).toMatchObject({ expanded: true, dequantized: false });
    expect(valuesTensor(sparse).tensor.toArray()).toEqual([
      [0, 2],
      [0, 0],
    ]);
    expect(valuesTensor(dense("int8", [1, 2, 3, 4], [0n, 1n]))).toMatchObject({ expanded: true });
    expect(valuesTensor(dense("int8", [1, 2, 3, 4], [1n, 2n]))).toMatchObject({ expanded: false });
  });

  test("members of a composite: quantised where one is", () => {
    const member = quantize(Float32Array.of(1, 2), [2], { scheme: "perTensor", storage: "uint8" });
    const shard = { parentShape: [2n], offset: [0n] };
    const part = { ...member, descriptor: { ...member.descriptor, shard } };
    const layout = { kind: "composite", rule: "partition", combine: "none", memberCount: 1 } as const;
    const descriptor = {
      ...tensorOf("float32", [2], { kind: "rowMajor" }, [new Uint8Array(8)]).descriptor,
      layout,
      buffers: [],
    };
    const result = valuesTensor({ descriptor, members: [part] });
    expect(result).toMatchObject({ dequantized: true, expanded: false });
    expect([...result.tensor.data()].map((x) => Math.round(Number(x)))).toEqual([1, 2]);
  });

  test("another dtype is what cast makes of the values", () => {
    const t = dense("float4_e2m1", [0.5, 6, -1.5, 0]);
    const { tensor, converted } = valuesTensor(t, { dtype: "int16" });
    expect([tensor.dtype, converted, tensor.toArray()]).toEqual([
      "int16",
      "float4_e2m1",
      [
        [0, 6],
        [-1, 0],
      ],
    ]);
    expect(valuesTensor(dense("float32", [1, 2, 3, 4]), { dtype: "float64" }).converted).toBe("float32");
    expect(valuesTensor(dense("int4", [-8, 7, 1, 0])).tensor.toArray()).toEqual([
      [-8, 7],
      [1, 0],
    ]);
  });
});

describe("memory", () => {
  test("comes from the pool given or in force; what was on the way is returned, also when it fails", async () => {
    const pool = new BufferPool({ source: heapMemory() });
    const t = dense("float32", [1, 2, 3, 4]);
    const { tensor } = valuesTensor(t, { memory: pool, dtype: "float64" });
    expect([tensor.buffer.owner, pool.statistics().live]).toEqual([pool, 1]);
    tensor.dispose();
    withScope({ memory: pool }, () => valuesTensor(t)).tensor.dispose();
    expect(pool.statistics().live).toBe(0);
    expect(await thrown(() => valuesTensor(t, { memory: pool, dtype: "float7" as DType }))).toMatchObject({
      name: "TypeError",
    });
    const deep = tensorOf("int8", Array(9).fill(1), { kind: "rowMajor" }, [new Uint8Array(1)]);
    expect(await thrown(() => valuesTensor(deep, { memory: pool }))).toMatchObject({ name: "TensorShapeError" });
    expect(pool.statistics().live).toBe(0);
  });

  test("is bounded before anything is allocated", async () => {
    const far = tensorOf("int8", [2 ** 20, 2 ** 20], { kind: "coo", nnz: 0n, isSorted: true }, [new Uint8Array(0), []]);
    expect(await thrown(() => valuesTensor(far))).toMatchObject({ code: "SW_HURRAY_LIMIT" });
    const few = await thrown(() => valuesTensor(dense("int8", [1, 2, 3, 4]), { maximumBytes: 3 }));
    expect(few).toMatchObject({ code: "SW_HURRAY_LIMIT", given: 4n });
    expect([...toNumbers("int8", valuesOf(dense("int8", [1, 2, 3, 4])).elements)]).toEqual([1, 2, 3, 4]);
  });
});
