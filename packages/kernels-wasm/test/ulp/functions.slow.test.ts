import { wasmKernelsSync } from "@sw/kernels-wasm";
import { describe, expect, test } from "vitest";
import { UNARY_KINDS } from "../../src/kernels/kinds.js";
import { MEASURED } from "./functions.js";
import { Measure } from "./measure.js";

// All 2³² numbers, 1 to 5 minutes a function. `SW_ULP_SHARD=2/8` measures the second of eight parts.
const [part, parts] = (process.env["SW_ULP_SHARD"] ?? "1/1").split("/").map(Number) as [number, number];
const measure = new Measure(wasmKernelsSync());

describe("errors of the functions of one input, over all of float32", () => {
  test.each(UNARY_KINDS)("%s", { timeout: 3_600_000 }, (kind) => {
    const { exact, ulp } = MEASURED[kind];
    const count = 2 ** 32 / parts;
    const worst = measure.run(kind, exact, (part - 1) * count, count);
    console.log(`${kind}: ${worst.ulp.toFixed(3)} ulp at ${worst.at}`);
    expect(worst.ulp, `at ${worst.at}`).toBeLessThanOrEqual(ulp);
  });
});
