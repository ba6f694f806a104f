import { jsKernels } from "@sw/kernels-js";
import type { Backend } from "@sw/tensor/seam";
import { describe, expect, test } from "vitest";
import { type Case, ConformanceError, ConformanceRunError, kernelCases, run } from "../src/index.js";
import { backendOf, elementwise } from "./support.js";

const NONE: Backend = { name: "none", seamVersion: 1, kernels: {} };

function caseOf(id: string, body: Case["run"]): Case {
  return { id, since: "0.1.0", needs: {}, run: body };
}

const passing = caseOf("a/passes", () => ({ checks: 2, declined: 0 }));
const failing = caseOf("a/fails", () => {
  throw new ConformanceError("SW_CONFORMANCE_VALUE", "a/fails", "wrong.");
});
const skipping = caseOf("a/skips", () => ({ skipped: "no such kernel", checks: 0, declined: 3 }));

describe("run", () => {
  test("sorts cases into passed, failed and skipped, and counts what was compared", () => {
    const report = run(NONE, [passing, failing, skipping]);
    expect(report).toMatchObject({
      candidate: "none",
      ok: false,
      passed: ["a/passes"],
      failed: [{ id: "a/fails" }],
      skipped: [{ id: "a/skips", reason: "no such kernel" }],
      checks: 2,
    });
  });

  test("a declared exception that fails is no failure", () => {
    const report = run(NONE, [passing, failing], { expectFail: { "a/fails": "issue 9" } });
    expect(report).toMatchObject({ ok: true, failed: [], excepted: [{ id: "a/fails", reason: "issue 9" }], stale: [] });
  });

  test("a declared exception that passes is stale, and the run is not ok", () => {
    const report = run(NONE, [passing], { expectFail: { "a/passes": "issue 9" } });
    expect(report.ok).toBe(false);
    expect(report.stale).toEqual([{ id: "a/passes", reason: "issue 9", because: "passed" }]);
  });

  test("an exception for a case that was skipped, or that there is not, is listed", () => {
    const report = run(NONE, [skipping], { expectFail: { "a/skips": "x", "a/typo": "y" } });
    expect(report.ok).toBe(true);
    expect(report.stale.map(({ id, because }) => [id, because])).toEqual([
      ["a/skips", "skipped"],
      ["a/typo", "unknown"],
    ]);
  });

  test("exceptions match by the exact id, never by a part of it", () => {
    expect(run(NONE, [failing], { expectFail: { "a/fail": "x", a: "y" } }).failed).toHaveLength(1);
  });

  test("tells after every case how far it is", () => {
    const seen: unknown[] = [];
    run(NONE, [passing, failing, skipping], {
      expectFail: { "a/fails": "x" },
      onCase: (id, status, done, of) => seen.push([id, status, done, of]),
    });
    expect(seen).toEqual([
      ["a/passes", "passed", 1, 3],
      ["a/fails", "excepted", 2, 3],
      ["a/skips", "skipped", 3, 3],
    ]);
  });

  test("an error outside of a kernel is a failure of the case, with its cause", () => {
    const cause = new Error("no memory");
    const broken: Backend = {
      ...NONE,
      kernels: { relu: elementwise((x) => x) },
      supports: () => {
        throw cause;
      },
    };
    const report = run(
      broken,
      kernelCases.filter(({ id }) => id === "kernels/relu/float32/contiguous"),
    );
    expect(report.failed[0]?.error).toMatchObject({ code: "SW_CONFORMANCE_THROWN", cause });
    expect(report.failed[0]?.error.message).toBe(
      "kernels/relu/float32/contiguous: the candidate threw outside of a kernel: got Error: no memory, expected no error.",
    );
  });

  test("lists kernels that no case checked", () => {
    const backend = backendOf("extra", { relu: elementwise((x) => x), conv9d: elementwise((x) => x) });
    const report = run(
      backend,
      kernelCases.filter(({ id }) => id.startsWith("kernels/relu/float32/")),
    );
    expect(report.unchecked).toEqual(["conv9d"]);
  });

  test("a kernel that is declared as undefined is missing", () => {
    const report = run({ ...NONE, kernels: { relu: undefined } });
    expect(report.passed).toEqual([]);
    expect(report.failed).toEqual([]);
    expect(report.unchecked).toEqual([]);
    expect(report.skipped[0]).toEqual({
      id: "kernels/add/float32/contiguous",
      reason: "the candidate has no kernel add",
    });
  });

  test("says where supports() takes a part of the operands of a case", () => {
    const backend: Backend = {
      ...backendOf("short", { relu: jsKernels.kernels["relu"] }),
      supports: (_, [out]) => out!.shape.every((extent) => extent < 10),
    };
    const report = run(
      backend,
      kernelCases.filter(({ id }) => id === "kernels/relu/float32/sizes"),
    );
    expect(report.partlyDeclined).toEqual([{ id: "kernels/relu/float32/sizes", checks: 15, declined: 68 }]);
  });

  test.each([undefined, null, 5, {}, { kernels: null }])("refuses %o as a candidate", (candidate) => {
    expect(() => run(candidate as unknown as Backend)).toThrow(TypeError);
  });

  test("refuses a candidate of another seam version", () => {
    const run2 = () => run({ ...NONE, seamVersion: 2 as 1 });
    expect(run2).toThrow(ConformanceRunError);
    expect(run2).toThrow(
      "run: the candidate is of another seam version: got 2, expected 1. Use the version of this kit that knows it.",
    );
    expect(run2).toThrow(expect.objectContaining({ code: "SW_CONFORMANCE_SEAM_VERSION", given: 2 }));
  });

  test("refuses two cases with one id", () => {
    expect(() => run(NONE, [passing, passing])).toThrow(
      expect.objectContaining({ code: "SW_CONFORMANCE_CASE_ID", given: "a/passes" }),
    );
  });
});
