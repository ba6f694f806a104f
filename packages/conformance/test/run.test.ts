import { jsKernels } from "@sw/kernels-js";
import type { Backend } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";
import { type Case, ConformanceError, ConformanceRunError, kernelKit, run } from "../src/index.js";
import { backendOf, elementwise, kitOf } from "./support.js";

const NONE: Backend = { name: "none", seamVersion: 1, kernels: {} };

function caseOf(id: string, body: Case<Backend>["run"], needs: readonly string[] = []): Case<Backend> {
  return { id, since: "0.1.0", subject: "a", needs, run: body };
}

const passing = caseOf("a/passes", () => ({ checks: 2, declined: 0 }));
const failing = caseOf("a/fails", () => {
  throw new ConformanceError("SW_CONFORMANCE_VALUE", "a/fails", "wrong.");
});
const skipping = caseOf("a/skips", () => ({ skipped: "no such kernel", checks: 0, declined: 3 }));

describe("run", () => {
  test("sorts cases into passed, failed and skipped, and counts what was compared", async () => {
    const report = await run(kitOf([passing, failing, skipping]), NONE);
    expect(report).toMatchObject({
      candidate: "none",
      ok: false,
      passed: ["a/passes"],
      failed: [{ id: "a/fails" }],
      skipped: [{ id: "a/skips", reason: "no such kernel" }],
      checks: 2,
    });
  });

  test("a declared exception that fails is no failure", async () => {
    const report = await run(kitOf([passing, failing]), NONE, { expectFail: { "a/fails": "issue 9" } });
    expect(report).toMatchObject({ ok: true, failed: [], excepted: [{ id: "a/fails", reason: "issue 9" }], stale: [] });
  });

  test("a declared exception that passes is stale, and the run is not ok", async () => {
    const report = await run(kitOf([passing]), NONE, { expectFail: { "a/passes": "issue 9" } });
    expect(report.ok).toBe(false);
    expect(report.stale).toEqual([{ id: "a/passes", reason: "issue 9", because: "passed" }]);
  });

  test("an exception for a case that was skipped, or that there is not, is listed", async () => {
    const report = await run(kitOf([skipping]), NONE, { expectFail: { "a/skips": "x", "a/typo": "y" } });
    expect(report.ok).toBe(true);
    expect(report.stale.map(({ id, because }) => [id, because])).toEqual([
      ["a/skips", "skipped"],
      ["a/typo", "unknown"],
    ]);
  });

  test("exceptions match by the exact id, never by a part of it", async () => {
    const report = await run(kitOf([failing]), NONE, { expectFail: { "a/fail": "x", a: "y" } });
    expect(report.failed).toHaveLength(1);
  });

  test("tells after every case how far it is", async () => {
    const seen: unknown[] = [];
    await run(kitOf([passing, failing, skipping]), NONE, {
      expectFail: { "a/fails": "x" },
      onCase: (id, status, done, of) => seen.push([id, status, done, of]),
    });
    expect(seen).toEqual([
      ["a/passes", "passed", 1, 3],
      ["a/fails", "excepted", 2, 3],
      ["a/skips", "skipped", 3, 3],
    ]);
  });

  test("an error that no case looks for is a failure of the case, with its cause", async () => {
    const cause = new Error("no memory");
    const broken: Backend = {
      ...NONE,
      kernels: { relu: elementwise((x) => x) },
      supports: () => {
        throw cause;
      },
    };
    const report = await run(kernelKit, broken, { filter: (id) => id === "kernels/relu/float32/contiguous" });
    expect(report.failed[0]?.error).toMatchObject({ code: "SW_CONFORMANCE_THROWN", cause });
    expect(report.failed[0]?.error.message).toBe(
      "kernels/relu/float32/contiguous: an error that the case does not look for: got Error: no memory, expected none.",
    );
  });

  test("lists kernels that no case checked", async () => {
    const backend = backendOf("extra", { relu: elementwise((x) => x), conv9d: elementwise((x) => x) });
    const report = await run(kernelKit, backend, { filter: (id) => id.startsWith("kernels/relu/float32/") });
    expect(report.unchecked).toEqual(["conv9d"]);
  });

  test("does not list kernels whose cases the filter left out, but those whose cases were skipped", async () => {
    const backend = backendOf("part", { relu: elementwise((x) => x), exp: jsKernels.kernels["exp"] });
    const declines: Backend = { ...backend, supports: () => false };
    const report = await run(kernelKit, declines, { filter: (id) => id.startsWith("kernels/exp/float32/") });
    expect(report.unchecked).toEqual(["exp"]);
  });

  test("a kernel that is declared as undefined is missing", async () => {
    const report = await run(kernelKit, { ...NONE, kernels: { relu: undefined } });
    expect(report.passed).toEqual([]);
    expect(report.failed).toEqual([]);
    expect(report.unchecked).toEqual([]);
    expect(report.skipped[0]).toEqual({
      id: "kernels/add/float32/contiguous",
      reason: "the candidate has no kernel add",
    });
  });

  test("says where supports() takes a part of the operands of a case", async () => {
    const backend: Backend = {
      ...backendOf("short", { relu: jsKernels.kernels["relu"] }),
      supports: (_, [out]) => out!.shape.every((extent) => extent < 10),
    };
    const report = await run(kernelKit, backend, { filter: (id) => id === "kernels/relu/float32/sizes" });
    expect(report.partlyDeclined).toEqual([{ id: "kernels/relu/float32/sizes", checks: 15, declined: 68 }]);
  });

  test.each([undefined, null, 5, {}, { kernels: null }])("refuses %o as a candidate", async (candidate) => {
    await expect(run(kernelKit, candidate as unknown as Backend)).rejects.toThrow(TypeError);
  });

  test("refuses a candidate of another seam version", async () => {
    const running = run(kernelKit, { ...NONE, seamVersion: 2 as 1 });
    await expect(running).rejects.toThrow(ConformanceRunError);
    await expect(running).rejects.toMatchObject({
      code: "SW_CONFORMANCE_SEAM_VERSION",
      given: 2,
      message:
        "run: the candidate is of another seam version: got 2, expected 1. Use the version of this kit that knows it.",
    });
  });

  test("refuses two cases with one id", async () => {
    await expect(run(kitOf([passing, passing]), NONE)).rejects.toMatchObject({
      code: "SW_CONFORMANCE_CASE_ID",
      given: "a/passes",
    });
  });

  test("waits for cases that take their time", async () => {
    const late = caseOf("a/late", async () => {
      await Promise.resolve();
      throw new ConformanceError("SW_CONFORMANCE_VALUE", "a/late", "wrong.");
    });
    const report = await run(kitOf([late, passing]), NONE);
    expect(report).toMatchObject({ failed: [{ id: "a/late" }], passed: ["a/passes"] });
  });

  test("runs the cases that the filter lets pass, and ends at the first failure when asked", async () => {
    const kit = kitOf([failing, passing, skipping]);
    expect(await run(kit, NONE, { filter: (id) => id === "a/passes" })).toMatchObject({
      ok: true,
      passed: ["a/passes"],
    });
    const early = await run(kit, NONE, { until: "first failure" });
    expect(early).toMatchObject({ ok: false, passed: [], failed: [{ id: "a/fails" }], skipped: [] });
    const excepted = await run(kit, NONE, { until: "first failure", expectFail: { "a/fails": "issue 9" } });
    expect(excepted.passed).toEqual(["a/passes"]);
  });

  test("skips a case that needs a meter where none is handed in", async () => {
    const metered = caseOf("a/metered", (_, { meter }) => ({ checks: meter!(() => {}).heap, declined: 0 }), ["meter"]);
    expect((await run(kitOf([metered]), NONE)).skipped).toEqual([
      { id: "a/metered", reason: "no meter of the heap was handed in" },
    ]);
    const report = await run(kitOf([metered]), NONE, { tools: { meter: () => ({ heap: 7, buffers: 0 }) } });
    expect(report).toMatchObject({ passed: ["a/metered"], checks: 7 });
  });
});
