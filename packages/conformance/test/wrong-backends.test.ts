import { wasmMemory } from "@sw/buffer/wasm";
import type { Backend, Operand } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";
import { exactKernelKit, kernelKit, run } from "../src/index.js";
import { backendOf, codesOf, reference } from "./support.js";
import { BACKEND_DEFECTS } from "./wrong/backends.js";
import { LOOP_DEFECTS } from "./wrong/loops.js";
import { ROW_DEFECTS } from "./wrong/rows.js";
import { float32Product, STRUCTURAL_DEFECTS } from "./wrong/structural.js";

// Every backend here has a defect that backends have had. The kit is only worth its name if it finds each of them.

describe("a backend that", () => {
  test.each([...LOOP_DEFECTS, ...ROW_DEFECTS, ...STRUCTURAL_DEFECTS, ...BACKEND_DEFECTS])(
    "$what is caught",
    async ({ what, kernels, caughtBy, code }) => {
      // The cases of the same kernel and dtype: the others only take time.
      const prefix = caughtBy.slice(0, caughtBy.lastIndexOf("/") + 1);
      const report = await run(kernelKit, backendOf(what, kernels), { filter: (id) => id.startsWith(prefix) });
      expect(codesOf(report)).toMatchObject({ [caughtBy]: code ?? "SW_CONFORMANCE_VALUE" });
      expect(report.ok).toBe(false);
    },
  );

  test("D8: adds products in float32 is conforming, and caught where it calls itself exact", async () => {
    const backend = backendOf("float32 products", { matmul: float32Product });
    const report = await run(kernelKit, backend, { filter: (id) => id.startsWith("kernels/matmul/float32/") });
    expect(report.failed.map(({ error }) => error.message)).toEqual([]);
    const exact = await run(exactKernelKit, backend);
    expect(codesOf(exact)).toMatchObject({ "exact/matmul/float32/sizes": "SW_CONFORMANCE_VALUE" });
  });

  test("takes every address for one of its own memory is caught by operands that lie elsewhere", async () => {
    const memory = wasmMemory({ initialBytes: 2 ** 20 });
    const at = (o: Operand): Operand => ({
      ...o,
      data: new Float32Array(memory.memory.buffer, o.data.byteOffset, o.data.length),
    });
    const backend: Backend = {
      name: "blind",
      seamVersion: 1,
      memory,
      kernels: { add: (outputs, inputs) => reference("add")(outputs.map(at), inputs.map(at), [], []) },
      supports: (kernel, outputs) => kernel === "add" && outputs[0]!.dtype === "float32",
    };
    const report = await run(kernelKit, backend, {
      filter: (id) => /^(kernels\/add\/float32|tensors\/add)\//.test(id),
    });
    expect(Object.keys(codesOf(report))).toEqual([
      "kernels/add/float32/foreign-memory",
      "kernels/add/float32/mixed-memory",
      "tensors/add/foreign-operand",
      "tensors/add/no-leak",
    ]);
    expect(memory.inUse).toBe(0);
  });

  test("S-60: leaves the tail to nobody in a direct kernel, or writes beyond it, is caught", async () => {
    const memory = wasmMemory({ initialBytes: 2 ** 20 });
    const rounding = (round: (quarter: number) => number): Backend => ({
      name: "by fours",
      seamVersion: 1,
      memory,
      kernels: { neg: reference("neg") },
      direct: (kernel, dtype) => {
        if (kernel !== "neg" || dtype !== "float32") return undefined;
        return (count, out, a) => {
          const all = 4 * round(count / 4);
          const x = new Float32Array(memory.memory.buffer, a >>> 0, all);
          new Float32Array(memory.memory.buffer, out >>> 0, all).set(x.map((value) => -value));
        };
      },
    });
    const filter = (id: string): boolean => id.startsWith("kernels/neg/") && id.endsWith("/direct");
    const short = await run(kernelKit, rounding(Math.floor), { filter });
    expect(codesOf(short)).toEqual({ "kernels/neg/float32/direct": "SW_CONFORMANCE_VALUE" });
    const long = await run(kernelKit, rounding(Math.ceil), { filter });
    expect(codesOf(long)).toEqual({ "kernels/neg/float32/direct": "SW_CONFORMANCE_CANARY" });
    const right = await run(
      kernelKit,
      rounding((quarter) => quarter),
      { filter },
    );
    expect(right).toMatchObject({ ok: true, passed: ["kernels/neg/float32/direct"] });
    expect(right.skipped).toContainEqual({
      id: "kernels/neg/float64/direct",
      reason: "it has no direct kernel neg of float64",
    });
  });

  test("does nothing at all fails every case", async () => {
    const idle = Object.fromEntries(kernelKit.cases().map(({ subject }) => [subject, (): void => {}]));
    const backend: Backend = {
      name: "idle",
      seamVersion: 1,
      memory: wasmMemory({ initialBytes: 2 ** 21 }),
      kernels: idle,
      compile: () => () => {},
      direct: () => () => {},
    };
    // Of one dtype: what an idle kernel does is the same for all. It takes nothing of the heap, and nobody sees it refuse.
    const filter = (id: string): boolean =>
      /\/(float32|bool)\/.*(?<!no-allocation)$|^tensors\/.*nested-layout$/.test(id);
    const report = await run(kernelKit, backend, { filter });
    // A gradient of no rows is right when nothing is written; a write beside it is what that case is about.
    expect(report.passed.filter((id) => !/^kernels\/nllLossBackward\/\w+\/empty$/.test(id))).toEqual([]);
    expect(report.skipped).toEqual([]);
    expect(report.failed).toHaveLength(kernelKit.cases(filter).length - report.passed.length);
  });

  test("writes a gradient of no rows is caught", async () => {
    const kernels: Backend["kernels"] = {
      nllLossBackward: ([out]) => {
        out!.data[out!.offset] = 0;
      },
    };
    const id = "kernels/nllLossBackward/float32/empty";
    const report = await run(kernelKit, backendOf("eager", kernels), { filter: (one) => one === id });
    expect(codesOf(report)).toEqual({ [id]: "SW_CONFORMANCE_CANARY" });
  });
});
