import { wasmMemory } from "@sw/buffer/wasm";
import { jsKernels } from "@sw/kernels-js";
import { type WasmBackend, wasmKernelsSync } from "@sw/kernels-wasm";
import type { Operand } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";
import { indices, noise, type Placed, type Placing, place, strayWrites } from "../operands.js";

const backend = wasmKernelsSync({ initialBytes: 2 ** 26 });
const { memory } = backend;
const U = 2 ** -24;

/** The larger size of two, of those that are finite. */
const finiteMost = (most: number, x: number): number => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most);

interface Call {
  readonly q: Operand;
  readonly k: Operand;
  readonly v: Operand;
  readonly mask?: Operand;
  readonly causal?: boolean;
  readonly scale?: number;
}

/** Runs both, and checks every element within the bound of the seam, of which the reference has all in float64. */
function check({ q, k, v, mask, causal = false, scale = 0.25 }: Call, out?: Placed): number[] {
  const axes = q.shape.length - 2;
  const result = out ?? place(memory, [...q.shape.slice(0, -1), v.shape.at(-1)!], () => 0);
  const inputs = mask === undefined ? [q, k, v] : [q, k, v, mask];
  expect(backend.objection("attention", [result], inputs, [Number(causal)], [scale])).toBeUndefined();
  const { inUse } = memory;
  backend.kernels.attention([result], inputs, [Number(causal)], [scale]);
  expect(memory.inUse).toBe(inUse);
  expect(strayWrites(result)).toBe(0);
  const wide = (operand: Operand): Operand =>
    operand.dtype === "bool"
      ? operand
      : { ...operand, dtype: "float64", data: Float64Array.from(operand.data as Float32Array) };
  const reference = { ...wide(result), data: new Float64Array(result.data.length) };
  jsKernels.kernels["attention"]!([reference], inputs.map(wide), [Number(causal)], [scale]);
  const largest = (operand: Operand): number =>
    indices(operand).reduce((most, at) => finiteMost(most, Number(operand.data[at])), 0);
  const [m, e] = k.shape.slice(axes) as [number, number];
  const size = e * Math.abs(scale) * largest(q) * largest(k);
  const distance = 2 * size + (e + 2) * size + (mask === undefined || mask.dtype === "bool" ? 0 : 2 * largest(mask));
  const bound = (16 + 2 * m + 4 * distance) * U * largest(v);
  const got = indices(result).map((at) => result.data[at]!);
  indices(reference).forEach((at, i) => {
    const wanted = reference.data[at]!;
    if (!Number.isFinite(wanted)) expect(got[i]).toBe(wanted);
    else expect(Math.abs(got[i]! - wanted), `element ${i}`).toBeLessThanOrEqual(bound);
  });
  return got;
}

const operands = (
  batch: readonly number[],
  n: number,
  m: number,
  e: number,
  f: number,
  placing: Placing = {},
): Call => ({
  q: place(memory, [...batch, n, e], noise(1), placing),
  k: place(memory, [...batch, m, e], noise(2), placing),
  v: place(memory, [...batch, m, f], noise(3), placing),
});

const bools = (shape: readonly number[], value: (i: number) => boolean): Operand => {
  const block = memory.allocate(shape.reduce((a, b) => a * b, 1));
  const data = new Uint8Array(memory.bytes(block), block.address, block.byteLength);
  const strides = shape.map((_, axis) => shape.slice(axis + 1).reduce((a, b) => a * b, 1));
  const operand: Operand = { dtype: "bool", data, offset: 0, shape, strides };
  indices(operand).forEach((at, i) => {
    data[at] = Number(value(i));
  });
  return operand;
};

describe("attention", () => {
  test("of lengths around the blocks of queries, causal and not", () => {
    for (const [n, m] of [
      [1, 1],
      [1, 300],
      [63, 64],
      [64, 65],
      [65, 63],
      [130, 130],
    ] as const) {
      for (const causal of [false, true]) check({ ...operands([2], n, m, 16, 8), causal });
    }
  });

  test("operands of any strides, broadcast batches, and an output of any", () => {
    for (const order of [
      [0, 1, 2, 3],
      [0, 2, 1, 3],
      [3, 2, 1, 0],
    ]) {
      const out = place(memory, [2, 3, 20, 6], () => 0, { order: [1, 3, 0, 2] });
      check({ ...operands([2, 3], 20, 24, 5, 6, { order, reversed: [2] }), causal: true }, out);
    }
    const [q, k, v] = [
      place(memory, [2, 3, 20, 5], noise(1)),
      place(memory, [2, 3, 24, 5], noise(2), { broadcast: [1] }),
      place(memory, [2, 3, 24, 6], noise(3), { broadcast: [0, 1] }),
    ];
    check({ q, k, v });
  });

  test("masks that are added, or of bool, of any strides", () => {
    const given = operands([2], 70, 33, 8, 4);
    check({ ...given, mask: place(memory, [2, 70, 33], noise(4)) });
    check({ ...given, mask: place(memory, [2, 70, 33], noise(4), { order: [0, 2, 1] }) });
    check({ ...given, mask: place(memory, [2, 70, 33], noise(4), { broadcast: [0, 1] }), causal: true });
    check({ ...given, mask: bools([2, 70, 33], (i) => i % 3 !== 0) });
    const nothing = check({ ...given, mask: bools([2, 70, 33], (i) => i >= 33) });
    expect(nothing.slice(0, 4)).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
  });

  test("causal: what is beyond is not read", () => {
    const { q, k } = operands([], 70, 70, 4, 3);
    const v = place(memory, [70, 3], (i) => (i >= 66 * 3 ? Number.NaN : noise(3)(i)));
    const turned = place(memory, [70, 3], (i) => (i >= 66 * 3 ? Number.POSITIVE_INFINITY : noise(3)(i)), {
      order: [1, 0],
    });
    const far = place(memory, [70, 4], (i) => (i >= 66 * 4 ? Number.NaN : noise(2)(i)));
    for (const [keys, values] of [
      [k, v],
      [k, turned],
      [far, v],
    ] as const) {
      const got = check({ q, k: keys, v: values, causal: true });
      expect(got.slice(0, 66 * 3).every(Number.isFinite)).toBe(true);
      expect(Number.isFinite(got.at(-1))).toBe(false);
    }
  });

  test("without keys all is NaN, without queries nothing is written", () => {
    expect(check(operands([2], 3, 0, 4, 2))).toEqual(new Array(12).fill(Number.NaN));
    expect(check(operands([2], 0, 3, 4, 2))).toEqual([]);
    check({ ...operands([], 3, 4, 0, 2) });
  });

  test("operands on the heap are copied in and out", () => {
    const heap = (operand: Operand): Operand => ({ ...operand, data: Float32Array.from(operand.data as Float32Array) });
    const { q, k, v } = operands([2], 9, 11, 4, 3);
    const before = backend.staged["attention"] ?? 0;
    const out = place(memory, [2, 9, 3], () => 0);
    check({ q: heap(q), k, v: heap(v) }, { ...out, data: Float32Array.from(out.data) });
    expect(backend.staged["attention"]).toBe(before + 3);
  });

  test("it has never all queries by all keys in memory", () => {
    const small: WasmBackend = wasmKernelsSync({
      memory: wasmMemory({ initialBytes: 2 ** 23, maximumBytes: 2 ** 23 }),
    });
    const n = 6000;
    const [q, k, v] = [1, 2, 3].map((seed) => place(small.memory, [n, 4], noise(seed))) as [Placed, Placed, Placed];
    const out = place(small.memory, [n, 4], () => 0);
    small.kernels.attention([out], [q, k, v], [0], [1]);
    // Weights of one query, which sum to 1: a mean of the values.
    const row = Array.from({ length: n }, (_, j) =>
      [0, 1, 2, 3].reduce((s, c) => s + q.data[q.offset + c]! * k.data[k.offset + 4 * j + c]!, 0),
    );
    const weights = row.map((s) => Math.exp(s - Math.max(...row)));
    const total = weights.reduce((a, b) => a + b, 0);
    const wanted = weights.reduce((sum, w, j) => sum + w * v.data[v.offset + 4 * j]!, 0) / total;
    expect(out.data[out.offset]).toBeCloseTo(wanted, 5);
  });

  test("other dtypes are declined", () => {
    const { q, k, v } = operands([], 3, 4, 2, 2);
    const out = place(memory, [3, 2], () => 0);
    const wide = { ...q, dtype: "float64" as const, data: new Float64Array(100) };
    expect(backend.objection("attention", [out], [wide, k, v], [0], [1])).toBe("dtype");
    expect(backend.objection("attention", [out], [q, k, v, wide], [0], [1])).toBe("dtype");
  });
});
