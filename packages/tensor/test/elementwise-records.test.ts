import {
  abs,
  add,
  ceil,
  clamp,
  cos,
  elu,
  eq,
  erf,
  expm1,
  fromBuffer,
  gelu,
  leakyRelu,
  log1p,
  logicalNot,
  lt,
  maskedFill,
  maximum,
  minimum,
  pow,
  reciprocal,
  remainder,
  round,
  rsqrt,
  type Synchronous,
  sigmoid,
  sign,
  sin,
  sqrt,
  type Tensor,
  tanh,
  tensor,
  triu,
  where,
  withKernels,
  zeros,
} from "@sw/tensor";
import { type Backend, defaultPool, OPERATIONS, unpack, withLeaf } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";

// What the records of element-wise operations keep. The kernels here compute nothing.

const nothing = (): void => {};
const idle: Backend = {
  name: "idle",
  seamVersion: 1,
  kernels: Object.fromEntries(Object.keys(OPERATIONS).map((kind) => [kind, nothing])),
};
const running = <T>(fn: Synchronous<T>): T => withKernels([idle], fn);
const without = <T>(fn: Synchronous<T>): T => withKernels([], fn);

const leaf = withLeaf(tensor([1, -2]), "shape");
const other = tensor([3, 4]);
const yes = tensor([true, false], { dtype: "bool" });
const saved = (t: Tensor) => t.node?.record?.saved.map((slot) => slot?.tensor);

describe("OneModel section 8: the saved slots of element-wise operations", () => {
  test("functions that are told by their result keep it, the others their operand", () => {
    running(() => {
      for (const of of [sqrt, rsqrt, reciprocal, expm1, tanh, sigmoid]) {
        const out = of(leaf);
        expect(saved(out)).toEqual([out]);
      }
      for (const of of [abs, log1p, sin, cos, erf, gelu]) expect(saved(of(leaf))).toEqual([leaf]);
      for (const of of [sign, ceil, round]) expect(of(leaf).node?.record).toMatchObject({ kind: of.name, saved: [] });
    });
  });

  test("numbers of a function are in the record", () => {
    running(() => {
      expect(leakyRelu(leaf, { slope: 0.5 }).node?.record).toMatchObject({ saved: [{ tensor: leaf }], floats: [0.5] });
      expect(elu(leaf).node?.record).toMatchObject({ kind: "elu", floats: [1] });
      expect(abs(leaf).node?.record?.floats).toEqual([]);
    });
  });

  test("arithmetic keeps an operand where the other one needs it", () => {
    running(() => {
      const power = pow(leaf, other);
      expect(saved(power)).toEqual([leaf, other, undefined]);
      const exponent = pow(other, leaf);
      expect(saved(exponent)).toEqual([other, undefined, exponent]);
      expect(saved(remainder(leaf, other))).toEqual([undefined, undefined]);
      expect(saved(remainder(other, leaf))).toEqual([other, leaf]);
      for (const of of [minimum, maximum]) expect(saved(of(leaf, other))).toEqual([leaf, other]);
      expect(pow(leaf, 3).node?.record).toMatchObject({ saved: [{}, undefined, undefined], floats: [3], owned: [] });
      expect(maximum(leaf, 0).node?.record).toMatchObject({ saved: [{ tensor: leaf }, undefined], floats: [0] });
    });
  });

  test("where keeps its condition alone, and clamp its limits, as tensors that the record owns", () => {
    running(() => {
      expect(saved(where(yes, leaf, other))).toEqual([yes]);
      expect(saved(maskedFill(leaf, yes, 0))).toEqual([yes]);
      const limited = clamp(leaf, 0).node?.record;
      expect(limited?.owned.map((t) => t.shape)).toEqual([[], []]);
      expect(limited?.owned.map((t) => t.item())).toEqual([0, Number.POSITIVE_INFINITY]);
      const kept = [leaf, ...(limited?.owned ?? [])];
      expect(limited?.saved.map((slot, i) => slot?.tensor === kept[i])).toEqual([true, true, true]);
      const mask = triu(leaf.reshape([1, 2]), 1).node?.record?.owned;
      expect(mask?.map((t) => t.toArray())).toEqual([[[false, true]]]);
    });
  });

  test("what meets in another dtype is kept in it, and the record owns the cast", () => {
    running(() => {
      const out = minimum(leaf, tensor([1, 2], { dtype: "float64" }));
      const [a, b] = out.node?.record?.saved ?? [];
      expect([out.dtype, a?.tensor.dtype, b?.tensor.dtype]).toEqual(["float64", "float64", "float64"]);
      expect(out.node?.record?.owned).toEqual([a?.tensor]);
    });
  });

  test("comparisons and logic have no history", () => {
    running(() => {
      expect([eq(leaf, 1), lt(leaf, other), logicalNot(leaf)].map((t) => t.node)).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
    });
  });

  test("an operand that was written since is noticed", () => {
    running(() => {
      const x = tensor([1, 2]);
      const { record } = minimum(leaf, x).node ?? {};
      x.fill(0);
      expect(() => record && unpack(record, 1)).toThrow(expect.objectContaining({ code: "SW_TENSOR_VERSION" }));
    });
  });
});

describe("the memory of element-wise operations", () => {
  const [a, b, half] = [zeros([2, 3]), zeros([2, 3]), zeros([3], { dtype: "float16" })];
  const mask = zeros([2, 3], { dtype: "bool" });

  test("is returned where no kernel takes the operands", () => {
    const { live } = defaultPool().statistics();
    const attempts: readonly (() => Tensor)[] = [
      () => add(a, b),
      () => add(a, half),
      () => eq(a, 1),
      () => clamp(a, 0, 1),
      () => where(mask, a, half),
      () => triu(a),
      () => logicalNot(half),
      () => sqrt(a),
    ];
    for (const attempt of attempts) {
      expect(() => without(attempt)).toThrow(expect.objectContaining({ code: "SW_TENSOR_KERNEL_MISSING" }));
    }
    expect(defaultPool().statistics().live).toBe(live);
  });

  test("is returned where a number does not fit", () => {
    const bytes = zeros([2], { dtype: "uint8" });
    const { live } = defaultPool().statistics();
    for (const attempt of [() => clamp(bytes, 0, 256), () => minimum(bytes, -1), () => eq(bytes, 0.5)]) {
      expect(attempt).toThrow(expect.objectContaining({ code: "SW_TENSOR_VALUE" }));
    }
    expect(defaultPool().statistics().live).toBe(live);
  });

  test("of scalars that stand for numbers goes with the call where nothing is recorded", () => {
    running(() => {
      const { live } = defaultPool().statistics();
      for (const out of [clamp(a, 0, 1), where(mask, a, 0), maskedFill(a, mask, 1), triu(a)]) out.dispose();
      expect(defaultPool().statistics().live).toBe(live);
    });
  });
});

describe("two tensors that lie alike", () => {
  test("are one loop, whatever their shape; of one element there is none", () => {
    const seen: (readonly number[])[] = [];
    const kernels: Backend["kernels"] = { add: ([out], [x]) => void seen.push(out?.shape ?? [], x?.strides ?? []) };
    withKernels([{ name: "seeing", seamVersion: 1, kernels }], () => {
      add(zeros([2, 3]), zeros([2, 3]));
      add(zeros([1, 1]), zeros([1, 1]));
      add(zeros([2, 0]), zeros([2, 0]));
    });
    expect(seen).toEqual([[6], [1], [], []]);
  });

  test("are refused where they are padded", () => {
    const padded = fromBuffer("float32", zeros([4]).buffer, zeros([2, 2]).layout, 0, [2, 1]);
    expect(() => running(() => add(padded, padded))).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_UNSUPPORTED" }),
    );
  });
});
