import { wasmMemory } from "@sw/buffer/wasm";
import { wasmKernelsSync } from "@sw/kernels-wasm";
import { expect, test } from "vitest";
import { exactKernelKit, kernelKit, run } from "../src/index.js";

const memories = typeof SharedArrayBuffer === "undefined" ? ["unshared"] : ["unshared", "shared"];

test.each(memories)(
  "the WebAssembly kernels pass the kit in their own memory, %s, and give it back",
  {
    timeout: 300_000,
  },
  async (kind) => {
    const backend = wasmKernelsSync({ memory: wasmMemory({ initialBytes: 2 ** 22, shared: kind === "shared" }) });
    try {
      const inUse = backend.memory.inUse;
      const report = await run(kernelKit, backend);
      expect(backend.memory.inUse).toBe(inUse);
      expect(report.failed.map(({ error }) => error.message)).toEqual([]);
      // What every chain has at its end has no cases; the package's own tests compare with that, to the bit.
      expect(report.unchecked).toEqual(["cast", "copy"]);
      for (const kernel of Object.keys(backend.kernels)) {
        if (report.unchecked.includes(kernel)) continue;
        const cases = kernelKit.cases((id) => id.startsWith(`kernels/${kernel}/float32/`));
        const all = cases.filter(({ needs }) => !needs.includes("meter")).map(({ id }) => id);
        // Those whose operands lie elsewhere among them: they are copied in and out.
        expect(all.some((id) => /(foreign|mixed)-memory$/.test(id))).toBe(true);
        expect(report.passed).toEqual(expect.arrayContaining(all));
      }
      const programs = kernelKit.cases((id) => /^programs\/.*\/float32\//.test(id));
      const unmetered = programs.filter(({ needs }) => !needs.includes("meter")).map(({ id }) => id);
      expect(unmetered.length).toBeGreaterThan(0);
      expect(report.passed).toEqual(expect.arrayContaining(unmetered));
      expect(report.skipped).toContainEqual({
        id: "kernels/pow/float32/contiguous",
        reason: "the candidate has no kernel pow",
      });
    } finally {
      backend.dispose();
    }
  },
);

test("D8: what is summed or approximated in float32 is conforming but not exact", { timeout: 300_000 }, async () => {
  const backend = wasmKernelsSync({ initialBytes: 2 ** 22 });
  try {
    const report = await run(exactKernelKit, backend);
    // Of ids as "exact/exp/float32/random".
    const kernels = new Set(report.failed.map(({ id }) => id.split("/")[1]));
    expect([...kernels].sort()).toEqual([
      "attention",
      "conv2d",
      "conv2dInputBackward",
      "conv2dWeightBackward",
      "erf",
      "exp",
      "expm1",
      "gelu",
      "geluTanh",
      "layerNorm",
      "leakyRelu",
      "log",
      "log1p",
      "logSoftmax",
      "matmul",
      "mean",
      "rmsNorm",
      "sigmoid",
      "silu",
      "softmax",
      "sum",
      "tanh",
    ]);
  } finally {
    backend.dispose();
  }
});
