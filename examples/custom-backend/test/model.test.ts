import { jsKernels } from "@sw/kernels-js";
import { createGenerator, relu, setKernels, zeros } from "@sw/tensor";
import type { Backend } from "@sw/tensor/seam";
import { afterAll, beforeAll, expect, test } from "vitest";
import { handmade } from "../src/backend.js";
import { accuracy, createModel, spiral, train } from "../src/model.js";

const counts: { [kernel: string]: number } = {};

/** A backend whose kernels count their calls. */
function counted(backend: Backend): Backend {
  const kernels = Object.entries(backend.kernels).map(([name, kernel]) => [
    name,
    (...call: Parameters<NonNullable<typeof kernel>>) => {
      counts[name] = (counts[name] ?? 0) + 1;
      kernel?.(...call);
    },
  ]);
  return { ...backend, kernels: Object.fromEntries(kernels) };
}

beforeAll(() => setKernels(counted(handmade()), jsKernels));
afterAll(() => setKernels(jsKernels));

test("a model of the three kernels learns to tell the arms of a spiral", () => {
  const generator = createGenerator(1);
  const points = spiral(3, 100, generator);
  const model = createModel(32, 3, generator);
  expect(accuracy(model, points)).toBeLessThan(0.6);
  expect(train(model, points, 400)).toBeLessThan(0.1);
  expect(accuracy(model, points)).toBeGreaterThan(0.97);
  // Forward passes of 400 steps and 2 of the accuracy; the gradients of the products are products too.
  expect(counts["relu"]).toBe(402);
  expect(counts["add"]).toBe(804);
  expect(counts["matmul"]).toBeGreaterThan(2 * 804 - 10);
});

test("what it declines runs on the next backend", () => {
  const before = counts["relu"];
  expect(relu(zeros([2], { dtype: "float64" })).toArray()).toEqual([0, 0]);
  expect(counts["relu"]).toBe(before);
});
