import { jsKernels } from "@sw/kernels-js";
import { wasmKernelsSync } from "@sw/kernels-wasm";
import { expect, test, vi } from "vitest";
import { noise, type Placed, place, values } from "../operands.js";

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
