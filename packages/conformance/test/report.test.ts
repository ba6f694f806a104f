import { expect, test } from "vitest";
import { ConformanceError, formatReport, type Report } from "../src/index.js";

const error = new ConformanceError("SW_CONFORMANCE_VALUE", "kernels/add/float32/x", "wrong.", {
  operands: "  kernel add",
});

const EMPTY: Report = {
  candidate: "mine",
  ok: true,
  passed: [],
  failed: [],
  skipped: [],
  excepted: [],
  stale: [],
  partlyDeclined: [],
  unchecked: [],
  checks: 0,
};

test("a report of nothing is two lines", () => {
  expect(formatReport(EMPTY)).toBe(
    "Conformance of mine\n\n0 passed, 0 failed, 0 skipped, 0 excepted, 0 stale; 0 calls compared",
  );
});

test("a report shows failures in full and groups skips by kernel and reason", () => {
  const text = formatReport({
    ...EMPTY,
    ok: false,
    passed: ["kernels/add/float32/a", "kernels/add/float32/b"],
    failed: [{ id: "kernels/add/float32/x", error }],
    skipped: [
      { id: "kernels/mul/float32/a", reason: "the candidate has no kernel mul" },
      { id: "kernels/mul/float32/b", reason: "the candidate has no kernel mul" },
      { id: "kernels/div/float32/a", reason: "the candidate has no kernel div" },
    ],
    excepted: [{ id: "kernels/add/float32/y", reason: "issue 9", error }],
    stale: [{ id: "kernels/add/float32/b", reason: "issue 8", because: "passed" }],
    partlyDeclined: [{ id: "kernels/add/float32/a", checks: 3, declined: 4 }],
    unchecked: ["fill"],
    checks: 12,
  });
  expect(text).toBe(`Conformance of mine

Failed:
  kernels/add (1 case)
    kernels/add/float32/x: wrong.
      kernel add

Declared exceptions that fail as declared:
  kernels/add/float32/y: issue 9

Stale exceptions:
  kernels/add/float32/b (passed): issue 8

Skipped:
  kernels/mul (2 cases): the candidate has no kernel mul
  kernels/div (1 case): the candidate has no kernel div

Passed on a part of their operands:
  kernels/add/float32/a: supports() declines 4 of 7

Checked by no case:
  fill

2 passed, 1 failed, 3 skipped, 1 excepted, 1 stale; 12 calls compared`);
});

test("the first failures of a kernel are shown in full, and the others by id", () => {
  const failed = ["a", "b", "c", "d", "e"].map((name) => {
    const id = `kernels/add/float32/${name}`;
    return { id, error: new ConformanceError("SW_CONFORMANCE_VALUE", id, "wrong.") };
  });
  expect(formatReport({ ...EMPTY, ok: false, failed })).toContain(`Failed:
  kernels/add (5 cases)
    kernels/add/float32/a: wrong.
    kernels/add/float32/b: wrong.
    kernels/add/float32/c: wrong.
    and kernels/add/float32/d, kernels/add/float32/e
`);
});
