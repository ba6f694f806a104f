import { jsKernels } from "@sw/kernels-js";
import { createGenerator, setKernels } from "@sw/tensor";
import { expect, test } from "vitest";
import { createModel, examples, train } from "../src/model.js";

test("a gated layer learns a product, and the same one from the same seed", () => {
  setKernels(jsKernels);
  const run = (steps: number): number[] => {
    const generator = createGenerator(1);
    return train(createModel(8, generator), examples(128, generator), steps);
  };
  const losses = run(300);
  expect(losses[0]).toBeGreaterThan(0.1);
  expect(losses.at(-1)).toBeLessThan(0.002);
  expect(run(5)).toEqual(losses.slice(0, 5));
});
