import { jsKernels } from "@sw/kernels-js";
import { add, setKernels, tensor } from "@sw/tensor";
import { expect, test } from "vitest";

// A lane whose variable nobody reads would be green and empty.

test("SW_TEST_KERNELS chooses the kernels that run what they take", () => {
  setKernels(jsKernels);
  const x = tensor([1, 2]);
  expect(add(x, x).toArray()).toEqual([2, 4]);
  const calls = (globalThis as { [key: symbol]: unknown })[Symbol.for("@sw/kernels-wasm/test/calls")];
  expect(calls).toEqual(process.env["SW_TEST_KERNELS"] === "wasm" ? { count: 1 } : undefined);
});
