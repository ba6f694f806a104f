import { jsKernels } from "@sw/kernels-js";
import type { Backend, Kernel, Operand } from "@sw/tensor/seam";
import { expect, test } from "vitest";
import { kernelKit, run } from "../src/index.js";
import { readElement, writeElement } from "../src/values.js";
import { positions, reference } from "./support.js";

const isHalf = (o: Operand): boolean => o.dtype === "float16" || o.dtype === "bfloat16";

/** The same layout over float32, where the elements are 16-bit floats. */
function widened(o: Operand): Operand {
  if (!isHalf(o)) return o;
  const data = new Float32Array(o.data.length);
  for (let at = 0; at < data.length; at++) data[at] = readElement(o.dtype, o.data, at) as number;
  return { ...o, dtype: "float32", data };
}

/** Computes in float32 and rounds once more: how 16-bit floats are meant. */
function halves(name: string): Kernel {
  return (outputs, inputs, ints, floats) => {
    const wide = outputs.map(widened);
    reference(name)(wide, inputs.map(widened), ints, floats);
    outputs.forEach((out, i) => {
      if (!isHalf(out)) return;
      // Where a reduction's output does not move, there is one element, however long the loop.
      const shape = out.shape.map((extent, axis) => (out.strides[axis] === 0 ? 1 : extent));
      for (const at of positions({ ...out, shape })) writeElement(out.dtype, out.data, at, wide[i]!.data[at]!);
    });
  };
}

const KERNELS = ["add", "mul", "div", "relu", "exp", "log", "sum", "mean", "matmul", "softmax", "argmax"];

test("a backend that computes 16-bit floats in float32 and rounds once passes", { timeout: 60_000 }, async () => {
  const backend: Backend = {
    name: "halves",
    seamVersion: 1,
    kernels: Object.fromEntries(KERNELS.map((name) => [name, halves(name)])),
    supports: (kernel, outputs, inputs, ints, floats) =>
      jsKernels.supports!(kernel, outputs.map(widened), inputs.map(widened), ints, floats),
  };
  const report = await run(kernelKit, backend, {
    filter: (id) => /float16/.test(id) && KERNELS.includes(id.split("/")[1]!),
  });
  expect(report.failed.map(({ error }) => error.message)).toEqual([]);
  expect(report.skipped.filter(({ id }) => !/(foreign-memory|mixed-memory|direct)$/.test(id))).toEqual([]);
});
