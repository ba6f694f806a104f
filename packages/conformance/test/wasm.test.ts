import { wasmKernelsSync } from "@sw/kernels-wasm";
import { expect, test } from "vitest";
import { exactKernelCases, kernelCases, run } from "../src/index.js";

test("the WebAssembly kernels pass the kit in their own memory, and give the memory back", { timeout: 60_000 }, () => {
  const backend = wasmKernelsSync({ initialBytes: 2 ** 22 });
  try {
    const inUse = backend.memory.inUse;
    const report = run(backend);
    expect(backend.memory.inUse).toBe(inUse);
    expect(report.failed.map(({ error }) => error.message)).toEqual([]);
    expect(report.unchecked).toEqual([]);
    for (const kernel of ["add", "matmul"]) {
      const all = kernelCases.filter(({ id }) => id.startsWith(`kernels/${kernel}/float32/`)).map(({ id }) => id);
      // Those whose operands lie elsewhere among them: they are copied in and out.
      expect(all.some((id) => /(foreign|mixed)-memory$/.test(id))).toBe(true);
      expect(report.passed).toEqual(expect.arrayContaining(all));
    }
    expect(report.skipped).toContainEqual({
      id: "kernels/relu/float32/contiguous",
      reason: "the candidate has no kernel relu",
    });
  } finally {
    backend.dispose();
  }
});

test("D8: products of matrices that are summed in float32 are conforming but not exact", () => {
  const backend = wasmKernelsSync({ initialBytes: 2 ** 22 });
  try {
    const report = run(backend, exactKernelCases);
    expect(report.failed.map(({ id }) => id)).toEqual(["exact/matmul/float32/sizes", "exact/matmul/float32/random"]);
  } finally {
    backend.dispose();
  }
});
