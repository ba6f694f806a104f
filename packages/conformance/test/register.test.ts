import { heapMemory } from "@sw/buffer";
import { jsKernels } from "@sw/kernels-js";
import type { Backend } from "@sw/tensor/seam";
import { describe, expect, expectTypeOf, test } from "vitest";
import { type Case, ConformanceError, formatKit, kernelKit, layoutKit, memoryKit } from "../src/index.js";
import * as nodeTest from "../src/node-test.js";
import { registerCases, type TestContext, type TestRunner } from "../src/vitest.js";
import { refuser } from "./candidates/codec.js";
import { layouts } from "./candidates/layouts.js";
import { kitOf } from "./support.js";

// The real thing: these tests are named by the kit.
const RELU = /^kernels\/relu\/float32\/(?!foreign|mixed|no-allocation)/;
registerCases({ describe, test }, kernelKit, jsKernels, { filter: (id) => RELU.test(id) });
registerCases({ describe, test }, memoryKit, heapMemory, { filter: (id) => !/(exhausted|churn)/.test(id) });
registerCases({ describe, test }, layoutKit, layouts, { filter: (id) => id.startsWith("layout/complement/") });
registerCases({ describe, test }, formatKit, refuser, { filter: (id) => id.startsWith("format/truncation/") });

/** A runner that only collects. */
function collect(
  candidate: Backend,
  cases: readonly Case<Backend>[],
  expectFail: { readonly [id: string]: string } = {},
) {
  const groups: string[] = [];
  const tests = new Map<string, (context: TestContext) => Promise<void>>();
  const runner = {
    describe(name: string, body: () => void): void {
      groups.push(name);
      body();
    },
    test(name: string, body: (context: TestContext) => Promise<void>): void {
      tests.set(name, body);
    },
  };
  registerCases(runner, kitOf(cases), candidate, { expectFail });
  return { groups, tests };
}

const passing: Case<Backend> = {
  id: "a",
  since: "0.1.0",
  subject: "a",
  needs: [],
  run: () => ({ checks: 1, declined: 0 }),
};
const failing: Case<Backend> = {
  ...passing,
  id: "b",
  run() {
    throw new ConformanceError("SW_CONFORMANCE_VALUE", "b", "wrong.");
  },
};
const skipping: Case<Backend> = { ...passing, id: "c", run: () => ({ skipped: "no kernel", checks: 0, declined: 0 }) };

describe("registerCases", () => {
  test("registers a test for each case, named by its id", async () => {
    const { groups, tests } = collect(jsKernels, [passing, failing]);
    expect(groups).toEqual(["conformance of js"]);
    expect([...tests.keys()]).toEqual(["a", "b"]);
    await tests.get("a")!({});
    await expect(tests.get("b")!({})).rejects.toThrow("b: wrong.");
  });

  test("skips through the runner, with the reason", async () => {
    const reasons: string[] = [];
    await collect(jsKernels, [skipping]).tests.get("c")!({ skip: (reason) => reasons.push(reason) });
    expect(reasons).toEqual(["no kernel"]);
  });

  test("lets a declared exception fail, and fails where it passes", async () => {
    const { tests } = collect(jsKernels, [passing, failing], { a: "issue 9", b: "issue 9" });
    await tests.get("b")!({});
    await expect(tests.get("a")!({})).rejects.toMatchObject({ code: "SW_CONFORMANCE_STALE", caseId: "a" });
  });

  test("takes the functions of node:test as they are", () => {
    expect(nodeTest.registerCases).toBe(registerCases);
    expectTypeOf<Pick<typeof import("node:test"), "describe" | "test">>().toExtend<TestRunner>();
  });

  test("refuses what is no backend, and two cases with one id", () => {
    expect(() => collect({} as Backend, [])).toThrow(TypeError);
    expect(() => collect(jsKernels, [passing, passing])).toThrow(
      expect.objectContaining({ code: "SW_CONFORMANCE_CASE_ID" }),
    );
  });
});
