import { expect, test } from "vitest";
import { defaultPool } from "../src/scope.js";

// A lane whose variable nobody reads would be green and empty.

test("SW_TEST_MEMORY chooses the memory that tensors live in", () => {
  const lane = process.env["SW_TEST_KERNELS"] ?? process.env["SW_TEST_MEMORY"];
  expect(defaultPool().source.name).toBe(lane === "wasm" ? "wasm" : "heap");
});

test("SW_CHECKED puts the pool that tensors live in into checked mode", () => {
  const buffer = defaultPool().allocate(8);
  const filled = buffer.view(Uint8Array).every((byte) => byte === 0xff);
  buffer.release(buffer.generation);
  expect(defaultPool().checked).toBe(process.env["SW_CHECKED"] === "1");
  if (defaultPool().checked) expect(filled).toBe(true);
});
