import { describe, expect, test } from "vitest";
import { MODELS, ofMemory, ofPool } from "./footprint.js";

/** The usual of many runs. One of them depends on where the few largest tensors met: an embedding of 154 MB in 512 MiB. */
function median(measure: (seed: number) => number): number {
  const ratios = Array.from({ length: 15 }, (_, index) => measure(index + 1)).sort((a, b) => a - b);
  return ratios[7]!;
}

describe("fragmentation after 10^6 random operations, live around 512 MiB, the median of 15 runs", () => {
  test.each(MODELS)("%s: the memory alone spans at most 1.25 of the peak", (_name, sizes) => {
    expect(median((seed) => ofMemory(sizes, seed))).toBeLessThanOrEqual(1.25);
  });

  test.each(MODELS)("%s: a pool that keeps 32 MiB waiting spans at most 1.5 of the peak", (_name, sizes) => {
    expect(median((seed) => ofPool(sizes, seed))).toBeLessThanOrEqual(1.5);
  });
});
