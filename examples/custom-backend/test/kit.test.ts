import { formatReport, kernelKit, run } from "@sw/conformance";
import { expect, test } from "vitest";
import { handmade } from "../src/backend.js";

test("the handmade backend passes the kit, and none of its kernels goes unchecked", { timeout: 60_000 }, async () => {
  const report = await run(kernelKit, handmade());
  expect(report.failed.map(({ error }) => error.message)).toEqual([]);
  expect(report.unchecked).toEqual([]);
  for (const kernel of ["add", "matmul", "relu"]) {
    expect(report.passed.filter((id) => id.startsWith(`kernels/${kernel}/float32/`)).length).toBeGreaterThanOrEqual(10);
  }
  // relu declines what lives elsewhere, add and matmul take it.
  expect(report.skipped.map(({ id }) => id)).toContain("kernels/relu/float32/foreign-memory");
  expect(report.passed).toContain("kernels/add/float32/foreign-memory");
  expect(formatReport(report)).toMatch(/ passed, 0 failed, /);
});
