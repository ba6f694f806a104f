import { jsKernels } from "@sw/kernels-js";
import { expect, test } from "vitest";
import { kernelKit } from "../../src/index.js";
import { type KernelFamily, kernelsOf } from "./family.js";

const FAMILIES: readonly KernelFamily[] = ["arithmetic", "functions", "reductions", "rows", "images", "structural"];

test("every kernel of the kit is in one of the files of this folder, and in no two", () => {
  const kernels = FAMILIES.flatMap((family) => [...kernelsOf(family)]);
  expect(new Set(kernels).size).toBe(kernels.length);
  const subjects = new Set(kernelKit.cases((id) => !id.startsWith("programs/")).map(({ subject }) => subject));
  expect([...subjects].filter((subject) => !kernels.includes(subject))).toEqual([]);
  expect(Object.keys(jsKernels.kernels).filter((kernel) => !kernels.includes(kernel))).toEqual([]);
});
