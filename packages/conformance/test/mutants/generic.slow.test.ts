import { expect, test } from "vitest";
import { EQUIVALENT } from "./equivalent.js";
import { survivorsOf, testedSpecs } from "./run.js";

// Every defect of every kernel: those that no case catches change nothing, and are listed with the reason.

for (const spec of testedSpecs()) {
  test(`the defects of ${spec.kind} are caught`, async () => {
    const listed = EQUIVALENT.filter(([name]) => name.startsWith(`${spec.kind} `)).map(([name]) => name);
    expect(await survivorsOf(spec)).toEqual(listed);
  });
}
