import { setFlagsFromString } from "node:v8";
import { wasmKernelsSync } from "@sw/kernels-wasm";
import { expect, test } from "vitest";
import { kernelKit, run } from "../src/index.js";

test("products by fused multiply-add pass the kit", { timeout: 300_000 }, async () => {
  // Node 20 has the instruction behind a flag, which counts from the next module on.
  setFlagsFromString("--experimental-wasm-relaxed-simd");
  const backend = wasmKernelsSync({ initialBytes: 2 ** 22 });
  expect(backend.relaxed).toBe(true);
  const report = await run(kernelKit, backend, { filter: (id) => /^kernels\/(matmul|conv2d\w*)\//.test(id) });
  expect(report.failed.map(({ error }) => error.message)).toEqual([]);
  expect(report.passed).toContain("kernels/matmul/float32/blocks");
  backend.dispose();
});
