import { jsKernels } from "@sw/kernels-js";
import { wasmKernels } from "@sw/kernels-wasm";
import { type Backend, createArena, createGenerator, setKernels } from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import { beforeAll, describe, expect, test } from "vitest";
import { type Digits, FILES } from "../src/data.js";
import { countDifferentBits } from "../src/evaluate.js";
import { parseIdx } from "../src/idx.js";
import { countParameters, createModel, disposeModel, tensorsOf } from "../src/model.js";
import { batchStarts, RECIPE, type Step, trainSteps } from "../src/train.js";
import { firstEntries } from "./support.js";

function firstDigits(count: number): Digits {
  return {
    images: parseIdx(firstEntries("trainImages", count), { file: FILES.trainImages, extents: [undefined, 28, 28] })
      .tensor,
    labels: parseIdx(firstEntries("trainLabels", count), { file: FILES.trainLabels, extents: [undefined] }).tensor,
  };
}

describe("batchStarts", () => {
  test("every batch once, in an order that the generator draws", () => {
    const starts = batchStarts(60000, 60, createGenerator(1));
    expect(starts).not.toEqual(batchStarts(60000, 60, createGenerator(2)));
    expect(starts).toEqual(batchStarts(60000, 60, createGenerator(1)));
    expect(starts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 1000 }, (_, i) => 60 * i));
  });

  test("a short batch stays last", () => {
    expect(batchStarts(70, 30, createGenerator(3)).at(-1)).toBe(60);
    expect(batchStarts(20, 30, createGenerator(3))).toEqual([0]);
  });
});

describe("createModel", () => {
  beforeAll(() => setKernels(jsKernels));

  test("the same seed gives the same weights, of He's variance", () => {
    const model = createModel({ hidden: 128, generator: createGenerator(5) });
    const again = createModel({ hidden: 128, generator: createGenerator(5) });
    const weights = model.hidden.weight.data();
    expect(countDifferentBits(again.hidden.weight.data(), weights)).toBe(0);
    const variance = weights.reduce((sum, w) => sum + w * w, 0) / weights.length;
    expect(variance * 392).toBeCloseTo(1, 1);
    expect(countParameters(model)).toBe(784 * 128 + 128 + 128 * 10 + 10);
    expect(Object.keys(tensorsOf(model))).toEqual(["hidden.weight", "hidden.bias", "output.weight", "output.bias"]);
    disposeModel(model);
    disposeModel(again);
  });
});

describe.each<[string, () => Promise<Backend[]>]>([
  ["js", async () => [jsKernels]],
  ["wasm", async () => [await wasmKernels(), jsKernels]],
])("training on the %s backend", (_, chain) => {
  beforeAll(async () => setKernels(...(await chain())));

  const recipe = { epochs: 2, batch: 60, learningRate: RECIPE.learningRate, momentum: RECIPE.momentum };

  test("a step allocates no memory once one of as many images has been made", () => {
    const digits = firstDigits(330);
    const arena = createArena();
    const generator = createGenerator(1);
    const model = createModel({ hidden: 128, generator });
    const seen: object[] = [];
    for (const _step of trainSteps(model, digits, { ...recipe, generator, arena })) {
      const { misses, created, live, liveBytes, peakBytes } = defaultPool().statistics();
      const { created: handles, chunks } = arena.statistics();
      expect(arena.statistics().live).toBe(0);
      seen.push({ misses, created, live, liveBytes, peakBytes, handles, chunks });
    }
    expect(seen).toHaveLength(12);
    // Five batches of 60, then the first of 30.
    for (const statistics of seen.slice(0, 5)) expect(statistics).toEqual(seen[0]);
    for (const statistics of seen.slice(5)) expect(statistics).toEqual(seen[5]);
    disposeModel(model);
    arena.dispose();
  });

  test("the loss falls, and steps tell where they are", () => {
    const digits = firstDigits(300);
    const arena = createArena();
    const generator = createGenerator(1);
    const model = createModel({ hidden: 32, generator });
    const steps: Step[] = [...trainSteps(model, digits, { ...recipe, epochs: 6, generator, arena })];
    expect(steps).toHaveLength(30);
    expect(steps[5]).toMatchObject({ step: 6, steps: 30, epoch: 2, epochs: 6, images: 60, endsEpoch: false });
    expect(steps.filter((step) => step.endsEpoch).map((step) => step.step)).toEqual([5, 10, 15, 20, 25, 30]);
    expect(steps[0]?.loss).toBeGreaterThan(2);
    expect(steps[29]?.loss).toBeLessThan(1);
    disposeModel(model);
    arena.dispose();
  });

  test("everything is returned in the end, also when training is broken off", () => {
    const before = defaultPool().statistics().live;
    const digits = firstDigits(300);
    const arena = createArena();
    const generator = createGenerator(1);
    const model = createModel({ hidden: 32, generator });
    for (const { step } of trainSteps(model, digits, { ...recipe, generator, arena })) if (step === 3) break;
    disposeModel(model);
    arena.dispose();
    expect(defaultPool().statistics().live).toBe(before);
  });
});
