import { expect, test } from "vitest";
import { kernelKit, run } from "../src/index.js";
import { backendOf, codesOf } from "./support.js";
import { INDEXING_DEFECTS } from "./wrong/indexing.js";

test.each(INDEXING_DEFECTS)("a backend that $what is caught", async ({ what, kernels, caughtBy, code }) => {
  const report = await run(kernelKit, backendOf(what, kernels), { filter: (id) => id === caughtBy });
  expect(codesOf(report)).toEqual({ [caughtBy]: code ?? "SW_CONFORMANCE_VALUE" });
});
