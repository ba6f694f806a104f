import { wasmMemory } from "@sw/buffer/wasm";
import type { Backend, Operand } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";
import { exactKernelCases, kernelCases, run } from "../src/index.js";
import { backendOf, codesOf, reference } from "./support.js";
import { LOOP_DEFECTS } from "./wrong/loops.js";
import { float32Product, STRUCTURAL_DEFECTS } from "./wrong/structural.js";

// Every backend here has a defect that backends have had. The kit is only worth its name if it finds each of them.

describe("a backend that", () => {
  test.each([...LOOP_DEFECTS, ...STRUCTURAL_DEFECTS])("$what is caught", ({ what, kernels, caughtBy, code }) => {
    // The cases of the same kernel and dtype: the others only take time.
    const prefix = caughtBy.slice(0, caughtBy.lastIndexOf("/") + 1);
    const own = kernelCases.filter(({ id }) => id.startsWith(prefix));
    const report = run(backendOf(what, kernels), own);
    expect(codesOf(report)).toMatchObject({ [caughtBy]: code ?? "SW_CONFORMANCE_VALUE" });
    expect(report.ok).toBe(false);
  });

  test("D8: adds products in float32 is conforming, and caught where it calls itself exact", () => {
    const backend = backendOf("float32 products", { matmul: float32Product });
    const own = kernelCases.filter(({ id }) => id.startsWith("kernels/matmul/float32/"));
    expect(run(backend, own).failed.map(({ error }) => error.message)).toEqual([]);
    const exact = run(backend, exactKernelCases);
    expect(codesOf(exact)).toMatchObject({ "exact/matmul/float32/sizes": "SW_CONFORMANCE_VALUE" });
  });

  test("takes every address for one of its own memory is caught by operands that lie elsewhere", () => {
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
    const own = kernelCases.filter(({ id }) => id.startsWith("kernels/add/float32/"));
    expect(Object.keys(codesOf(run(backend, own)))).toEqual([
      "kernels/add/float32/foreign-memory",
      "kernels/add/float32/mixed-memory",
    ]);
    expect(memory.inUse).toBe(0);
  });

  test("does nothing at all fails every case", () => {
    const idle = Object.fromEntries(kernelCases.map(({ needs }) => [needs.kernel!, (): void => {}]));
    const backend: Backend = {
      name: "idle",
      seamVersion: 1,
      memory: wasmMemory({ initialBytes: 2 ** 21 }),
      kernels: idle,
    };
    const report = run(backend);
    // A gradient of no rows is right when nothing is written; a write beside it is what that case is about.
    expect(report.passed.filter((id) => !/^kernels\/nllLossBackward\/\w+\/empty$/.test(id))).toEqual([]);
    expect(report.skipped).toEqual([]);
    expect(report.failed).toHaveLength(kernelCases.length - report.passed.length);
  });

  test("writes a gradient of no rows is caught", () => {
    const kernels: Backend["kernels"] = {
      nllLossBackward: ([out]) => {
        out!.data[out!.offset] = 0;
      },
    };
    const empty = kernelCases.filter(({ id }) => id === "kernels/nllLossBackward/float32/empty");
    expect(codesOf(run(backendOf("eager", kernels), empty))).toEqual({ [empty[0]!.id]: "SW_CONFORMANCE_CANARY" });
  });
});
