import { describe, expect, test } from "vitest";
import wabt from "wabt";
import { CORE_MODULE } from "../../src/generated/module.js";
import { assembleCore, buildCore } from "../../src/kernels/core.js";

describe("the core module", () => {
  test("what the package carries is what the emitters give, byte for byte", () => {
    const parts = buildCore().toParts();
    expect(parts.map((part) => btoa(String.fromCharCode(...part)))).toEqual(CORE_MODULE);
  });

  test("it keeps to its budget of 90 kB", () => {
    expect(assembleCore().length).toBeLessThan(90_000);
  });

  test("wabt validates it, and it needs vectors and bulk copies, and nothing newer", async () => {
    const read = (await wabt()).readWasm(assembleCore(), { simd: true, relaxed_simd: false, bulk_memory: true });
    read.validate();
    const text = read.toText({});
    expect(text).toContain('(import "env" "memory"');
    expect(text).toContain("f32x4.mul");
    read.destroy();
  });
});
