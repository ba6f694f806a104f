import { describe, expect, test } from "vitest";
import { MODELS, ofMemory, ofPool } from "./footprint.js";

// One seed: single runs scatter, see the long lane for what is usual.
const SEED = 2;

describe("fragmentation after 10^6 random operations, live around 512 MiB", () => {
  test.each(MODELS)("%s: the memory alone spans at most 1.25 of the peak", (_name, sizes) => {
    const ratio = ofMemory(sizes, SEED);
    expect(ratio).toBeGreaterThan(1);
    expect(ratio).toBeLessThanOrEqual(1.25);
  });

  test.each(MODELS)("%s: a pool that keeps 32 MiB waiting spans at most 1.5 of the peak", (_name, sizes) => {
    const ratio = ofPool(sizes, SEED);
    expect(ratio).toBeGreaterThan(1);
    expect(ratio).toBeLessThanOrEqual(1.5);
  });
});
