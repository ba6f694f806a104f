import { readFile, writeFile as writeBytes } from "node:fs/promises";
import { join } from "node:path";
import { namedParameters } from "@sw/autograd";
import { readFile as readHurray, writeFile } from "@sw/hurray/node";
import { jsKernels } from "@sw/kernels-js";
import { setKernels, type Tensor, zeros } from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import { beforeAll, describe, expect, test } from "vitest";
import { loadTraining, saveTraining } from "../src/save.js";
import { disposeTraining, type Training } from "../src/training.js";
import { ALPHABET, smallTraining, withFolder } from "./support.js";

beforeAll(() => setKernels(jsKernels));

/** All numbers of a training. */
function numbersOf({ model, optimiser, generator, step }: Training): unknown {
  const tensors = Object.entries({ ...namedParameters(model), ...optimiser.state() });
  return { step, generator: generator.state(), tensors: tensors.map(([name, t]) => [name, t.dtype, t.toArray()]) };
}

describe("saving a training", () => {
  test("weights, moments, counts, generator, alphabet and sizes come back, bit for bit", () =>
    withFolder(async (folder) => {
      const file = join(folder, "t.hrry");
      const training = smallTraining();
      training.step = 7;
      training.optimiser.steps.fill(7);
      for (const t of Object.values(training.optimiser.state())) if (t.dtype === "float32") t.fill(0.1);
      training.generator.uniform();
      await saveTraining(file, training, ALPHABET);
      const saved = await loadTraining(file);
      expect(numbersOf(saved.training)).toEqual(numbersOf(training));
      expect(saved.training.model.sizes).toEqual(training.model.sizes);
      expect(saved.alphabet.characters).toEqual(ALPHABET.characters);
      const again = join(folder, "again.hrry");
      await saveTraining(again, saved.training, saved.alphabet);
      expect((await readFile(again)).equals(await readFile(file))).toBe(true);
    }));

  test("what was loaded is returned by disposeTraining", () =>
    withFolder(async (folder) => {
      const file = join(folder, "t.hrry");
      await saveTraining(file, smallTraining(), ALPHABET);
      const { live } = defaultPool().statistics();
      disposeTraining((await loadTraining(file)).training);
      expect(defaultPool().statistics().live).toBe(live);
    }));
});

describe("files that hold no training", () => {
  /** Saves a training with some tensors and metadata replaced or left out, and loads it. */
  function load(tensors: Record<string, Tensor | undefined>, metadata: Record<string, unknown>): Promise<unknown> {
    return withFolder(async (folder) => {
      const file = join(folder, "t.hrry");
      await saveTraining(file, smallTraining(), ALPHABET);
      const whole = await readHurray(file);
      const present = (given: object) => Object.fromEntries(Object.entries(given).filter(([, v]) => v !== undefined));
      await writeFile(
        file,
        present({ ...whole.tensors, ...tensors }) as Record<string, Tensor>,
        {
          metadata: present({ ...whole.metadata, ...metadata }),
        } as never,
      );
      const { live } = defaultPool().statistics();
      try {
        return await loadTraining(file);
      } finally {
        expect(defaultPool().statistics().live).toBe(live);
      }
    });
  }

  test.each(["characters", "step", "width"])("metadata without %s", async (name) => {
    await expect(load({}, { [name]: undefined })).rejects.toMatchObject({ code: "SW_CHAR_METADATA" });
  });
  test("tensors that are missing, unknown or of another shape", async () => {
    await expect(load({ generator: undefined }, {})).rejects.toMatchObject({ code: "SW_CHAR_METADATA" });
    await expect(load({ "head.bias": undefined }, {})).rejects.toMatchObject({ code: "SW_AUTOGRAD_NAME" });
    await expect(load({ more: zeros([1]) }, {})).rejects.toMatchObject({ code: "SW_AUTOGRAD_NAME" });
    await expect(load({ "head.bias": zeros([3]) }, {})).rejects.toMatchObject({ code: "SW_AUTOGRAD_STATE" });
    await expect(load({}, { layers: 3n })).rejects.toMatchObject({ code: "SW_AUTOGRAD_NAME" });
  });
  test("a file cut short", () =>
    withFolder(async (folder) => {
      const file = join(folder, "t.hrry");
      await saveTraining(file, smallTraining(), ALPHABET);
      await writeBytes(file, (await readFile(file)).subarray(0, 1000));
      await expect(loadTraining(file)).rejects.toMatchObject({ code: expect.stringMatching(/^SW_HURRAY_/) });
    }));
});
