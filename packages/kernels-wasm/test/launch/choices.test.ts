import { jsKernels } from "@sw/kernels-js";
import { wasmKernelsSync } from "@sw/kernels-wasm";
import type { Operand } from "@sw/tensor/seam";
import { expect, test, vi } from "vitest";
import { indices, noise, type Placed, place, values } from "../operands.js";

const backend = wasmKernelsSync({ initialBytes: 2 ** 22 });
const { memory } = backend;
const SPECIAL = [0, -0, 1, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 2 ** -149, -3e38];
const every = (by: number) => (i: number) => SPECIAL[Math.floor(i / by) % SPECIAL.length]!;

/** What both kernels give. */
function both(kind: "clamp" | "leakyRelu", inputs: readonly Placed[], floats: readonly number[]): [number[], number[]] {
  const { shape } = inputs[0]!;
  const out = place(memory, shape, () => 7);
  const reference = { ...out, data: Float32Array.from(out.data) };
  expect(backend.objection(kind, [out], inputs, [], floats)).toBeUndefined();
  backend.kernels[kind]([out], inputs, [], floats);
  jsKernels.kernels[kind]!([reference], inputs, [], floats);
  return [values(out), values(reference)];
}

test("clamp is that of the kernels in JavaScript, to the bit, on every triple of special values", () => {
  const inputs = [1, 10, 100].map((by) => place(memory, [1000], every(by)));
  const [got, wanted] = both("clamp", inputs, []);
  expect(got).toEqual(wanted);
  const strided = [
    place(memory, [5, 40], noise(1), { order: [1, 0] }),
    place(memory, [5, 40], noise(2), { broadcast: [0] }),
  ];
  const [mine, reference] = both("clamp", [...strided, place(memory, [5, 40], () => 0.5, { broadcast: [0, 1] })], []);
  expect(mine).toEqual(reference);
});

/** An operand of bool, of bytes that are 0, 1, and others that count as true. */
function bools(shape: readonly number[], value: (i: number) => number, order = shape.map((_, axis) => axis)): Operand {
  const strides = new Array<number>(shape.length).fill(0);
  let step = 1;
  for (const axis of [...order].reverse()) {
    strides[axis] = step;
    step *= shape[axis]!;
  }
  const block = memory.allocate(step);
  const data = new Uint8Array(memory.bytes(block), block.address, step);
  const operand: Operand = { dtype: "bool", data, offset: 0, shape, strides };
  indices(operand).forEach((at, i) => {
    data[at] = value(i);
  });
  return operand;
}

test("comparisons and questions are those of the kernels in JavaScript, on every pair of special values", () => {
  for (const kind of ["eq", "ne", "lt", "le", "gt", "ge", "isNaN", "isFinite", "isInfinite"] as const) {
    const inputs = [place(memory, [10, 10], every(1)), place(memory, [10, 10], every(10), { order: [1, 0] })];
    const given = kind.startsWith("is") ? inputs.slice(0, 1) : inputs;
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      const out = bools([10, 10], () => 7, order);
      const reference = { ...out, data: new Uint8Array(out.data.length) };
      const { inUse } = memory;
      expect(backend.objection(kind, [out], given)).toBeUndefined();
      backend.kernels[kind]([out], given, [], []);
      expect(memory.inUse).toBe(inUse);
      jsKernels.kernels[kind]!([reference], given, [], []);
      expect([...(out.data as Uint8Array)]).toEqual([...reference.data]);
    }
  }
});

test("where chooses by masks of any strides and lengths, here and on the heap, and what is not chosen has no influence", () => {
  for (const shape of [[0], [1], [3], [67], [5, 40], [40, 5]]) {
    for (const heap of [false, true]) {
      for (const broadcast of [false, true]) {
        const given = bools(shape, (i) => [0, 1, 1, 0, 255][i % 5]!, shape.map((_, axis) => axis).reverse());
        const still = { ...given, strides: shape.map(() => 0) };
        const mask = broadcast && !shape.includes(0) ? still : given;
        const condition = heap ? { ...mask, data: Uint8Array.from(mask.data as Uint8Array) } : mask;
        const inputs = [condition, place(memory, shape, every(1)), place(memory, shape, every(3))];
        const out = place(memory, shape, () => 7);
        const reference = { ...out, data: Float32Array.from(out.data) };
        backend.kernels.where([out], inputs, [], []);
        jsKernels.kernels["where"]!([reference], inputs, [], []);
        expect(values(out)).toEqual(values(reference));
      }
    }
  }
});

test("other dtypes are declined", () => {
  const x = place(memory, [4], noise(1));
  expect(backend.objection("where", [x], [x, x, x])).toBe("dtype");
  expect(backend.objection("lt", [x], [x, x])).toBe("dtype");
  expect(backend.objection("lt", [bools([4], () => 0)], [x, x])).toBeUndefined();
});

test("leakyRelu is within 1.5 ulp for any slope, of which none is a program of its own", () => {
  const compiled = vi.spyOn(WebAssembly, "Module");
  try {
    for (const slope of [0.01, 0.25, 0, -2, 1e-30]) {
      const inputs = [place(memory, [777], (i) => (i < 10 ? SPECIAL[i]! : noise(3)(i)))];
      const [got, wanted] = both("leakyRelu", inputs, [slope]);
      got.forEach((x, i) => {
        if (!Number.isFinite(wanted[i]!)) expect(x).toBe(wanted[i]);
        else expect(Math.abs(x - wanted[i]!)).toBeLessThanOrEqual(Math.abs(wanted[i]!) * 2 ** -22 + 2 ** -149);
      });
    }
    expect(compiled).toHaveBeenCalledTimes(1);
  } finally {
    compiled.mockRestore();
  }
});
