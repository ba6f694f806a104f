import { wasmKernelsSync } from "@sw/kernels-wasm";
import { describe, expect, test } from "vitest";
import { UNARY_KINDS } from "../../src/kernels/kinds.js";
import { MEASURED } from "./functions.js";
import { Measure, patternOf, type Worst } from "./measure.js";

const measure = new Measure(wasmKernelsSync());
/** A prime, so that every low bit comes up. */
const STEP = 4099;

describe("errors of the functions of one input, in units in the last place", () => {
  test.each(UNARY_KINDS)("%s stays below its bound at every 4099th float32", (kind) => {
    const { exact, ulp } = MEASURED[kind];
    const worst = measure.run(kind, exact, 0, Math.ceil(2 ** 32 / STEP), STEP);
    expect(worst.ulp, `at ${worst.at}`).toBeLessThanOrEqual(ulp);
  });

  test.each(UNARY_KINDS)("%s, at all of 129 around each place where something changes", (kind) => {
    const { exact, ulp, breakpoints } = MEASURED[kind];
    for (const place of breakpoints) {
      const worst: Worst = measure.run(kind, exact, patternOf(place) - 64, 129);
      expect(worst.ulp, `at ${worst.at}`).toBeLessThanOrEqual(ulp);
    }
  });
});
