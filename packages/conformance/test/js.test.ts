import { jsKernels } from "@sw/kernels-js";
import { expect, test } from "vitest";
import { exactKernelKit, formatReport, kernelKit, run } from "../src/index.js";

test("the JS kernels pass the kit, without an exception", { timeout: 120_000 }, async () => {
  const report = await run(kernelKit, jsKernels);
  expect(report.failed.map(({ error }) => error.message)).toEqual([]);
  expect(report.ok).toBe(true);
  expect(report.unchecked).toEqual([]);
  // What they skip: 16-bit floats, and the cases about a memory of their own.
  const skipped = report.skipped.filter(({ id }) => !/float16/.test(id) && !/(foreign|mixed)-memory$/.test(id));
  expect(skipped).toEqual([]);
  expect(report.partlyDeclined).toEqual([]);
  expect(report.passed.length).toBeGreaterThan(1000);
  expect(formatReport(report)).toMatch(/\d+ passed, 0 failed, \d+ skipped, 0 excepted, 0 stale; \d+ calls compared$/);
});

test("D8: the JS kernels are exact", { timeout: 60_000 }, async () => {
  const report = await run(exactKernelKit, jsKernels);
  expect(report.failed.map(({ error }) => error.message)).toEqual([]);
  expect(report.skipped.filter(({ id }) => !/float16/.test(id))).toEqual([]);
  expect(report.passed.length).toBeGreaterThan(20);
});
