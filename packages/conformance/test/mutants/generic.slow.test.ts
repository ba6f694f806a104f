import { expect, test } from "vitest";
import { exactKernelKit } from "../../src/index.js";
import { EQUIVALENT } from "./equivalent.js";
import { survivesExactly, survivorsOf, testedSpecs } from "./run.js";

// Every defect of every kernel: those that no case catches change nothing, and are listed with the reason.

for (const spec of testedSpecs()) {
  test(`the defects of ${spec.kind} are caught`, async () => {
    const listed = EQUIVALENT.filter(([name]) => name.startsWith(`${spec.kind} `)).map(([name]) => name);
    expect([...(await survivorsOf(spec))].sort()).toEqual([...listed].sort());
  });
}

test("D8: one unit in the last place of float32 beside the exact result is caught where it has to be exact", async () => {
  const bounded = new Set(exactKernelKit.cases().map(({ subject }) => subject));
  const survivors: string[] = [];
  for (const spec of testedSpecs()) {
    if (bounded.has(spec.kind) && (await survivesExactly(spec))) survivors.push(spec.kind);
  }
  expect(survivors).toEqual([]);
});
