import { readdir, readFile, writeFile as writeBytes } from "node:fs/promises";
import { join } from "node:path";
import { openFile, writeFile } from "@sw/hurray/node";
import { jsKernels } from "@sw/kernels-js";
import { createGenerator, setKernels, type Tensor, zeros } from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { countDifferentBits } from "../src/evaluate.js";
import { createModel, disposeModel, tensorsOf } from "../src/model.js";
import { loadModel, ModelFileError, packageVersions, saveModel } from "../src/save.js";
import { rejection, withFolder } from "./support.js";

beforeAll(() => setKernels(jsKernels));

const FACTS = { accuracy: 0.9731, seed: 7, epochs: 4, batch: 60, backend: "js" };

/** Runs a function with the path of a saved model of 16 hidden units. */
function withSaved<T>(fn: (file: string, tensors: Record<string, Tensor<"float32">>) => Promise<T>): Promise<T> {
  return withFolder(async (folder) => {
    const model = createModel({ hidden: 16, generator: createGenerator(7) });
    const file = join(folder, "model.hrry");
    try {
      await saveModel(file, model, FACTS);
      return await fn(file, tensorsOf(model));
    } finally {
      disposeModel(model);
    }
  });
}

describe("saving and loading a model", () => {
  test("weights and biases come back by name, bit for bit", () =>
    withSaved(async (file, tensors) => {
      const saved = await loadModel(file);
      expect(saved.accuracy).toBe(0.9731);
      expect([...saved.names].sort()).toEqual(Object.keys(tensors).sort());
      for (const [name, t] of Object.entries(tensorsOf(saved.model))) {
        expect(t.shape).toEqual(tensors[name]?.shape);
        expect(countDifferentBits(t.data(), (tensors[name] as Tensor<"float32">).data())).toBe(0);
      }
      disposeModel(saved.model);
    }));

  test("the metadata says how the model was made, and by what versions", () =>
    withSaved(async (file) => {
      const opened = await openFile(file);
      expect(opened.metadata).toMatchObject({
        model: "MLP 784-16-10, relu",
        accuracy: 0.9731,
        seed: 7n,
        epochs: 4n,
        batch: 60n,
        hidden: 16n,
        backend: "js",
      });
      for (const [name, version] of Object.entries(packageVersions())) {
        expect(opened.metadata[`version.${name}`]).toBe(version);
      }
      await opened.close();
    }));

  test("only the file itself is left in the folder", () =>
    withSaved(async (file) => expect(await readdir(join(file, ".."))).toEqual(["model.hrry"])));

  test("versions are those of seven packages", () => {
    expect(Object.keys(packageVersions())).toHaveLength(7);
    expect(packageVersions()["@sw/tensor"]).toMatch(/^\d+\.\d+\.\d+/);
  });
});

describe("files that hold no model", () => {
  /** Saves the model's tensors with some replaced or left out. */
  function withTensors<T>(change: Record<string, Tensor | undefined>, fn: (file: string) => Promise<T>): Promise<T> {
    return withSaved(async (file, tensors) => {
      const entries = Object.entries({ ...tensors, ...change }).filter(([, t]) => t !== undefined);
      await writeFile(file, Object.fromEntries(entries) as Record<string, Tensor>, { metadata: { accuracy: 0.5 } });
      return fn(file);
    });
  }

  test("a tensor that is missing is named by the reader", () =>
    withTensors({ "output.bias": undefined }, async (file) => {
      const live = defaultPool().statistics().live;
      const error = await rejection(loadModel(file));
      expect(error).toMatchObject({ code: "SW_HURRAY_NAME_UNKNOWN" });
      expect(error.message).toContain("output.bias");
      expect(defaultPool().statistics().live).toBe(live);
    }));

  test("a tensor of another shape", () =>
    withTensors({ "output.weight": zeros([15, 10]) }, async (file) => {
      const live = defaultPool().statistics().live;
      const error = await rejection(loadModel(file));
      expect(error).toBeInstanceOf(ModelFileError);
      expect(error).toMatchObject({
        code: "SW_MNIST_MODEL_TENSOR",
        file,
        given: "float32 [15,10]",
        expected: "float32 [16,10]",
      });
      expect(error.message).toBe(
        `loadModel: tensor "output.weight" of ${file} does not fit the model: got float32 [15,10], expected float32 [16,10].`,
      );
      expect(defaultPool().statistics().live).toBe(live);
    }));

  test("a tensor of another dtype", () =>
    withTensors({ "hidden.weight": zeros([784, 16], { dtype: "float64" }) }, async (file) => {
      expect(await rejection(loadModel(file))).toMatchObject({
        code: "SW_MNIST_MODEL_TENSOR",
        given: "float64 [784,16]",
        expected: "float32 [784,any]",
      });
    }));

  test("no accuracy", () =>
    withSaved(async (file, tensors) => {
      await writeFile(file, tensors, { metadata: {} });
      const error = await rejection(loadModel(file));
      expect(error).toMatchObject({ code: "SW_MNIST_MODEL_METADATA", given: undefined, expected: "a number" });
      expect(error.message).toBe(
        `loadModel: ${file} does not say how accurate the model is: got undefined for metadata "accuracy", expected a number.`,
      );
    }));

  test("a file cut at any byte is refused with a code", () =>
    withSaved(async (file) => {
      const bytes = await readFile(file);
      await fc.assert(
        fc.asyncProperty(fc.nat(bytes.length - 1), async (length) => {
          await writeBytes(file, bytes.subarray(0, length));
          expect((await rejection(loadModel(file)))["code"]).toMatch(/^SW_HURRAY_/);
        }),
        { numRuns: 40 },
      );
    }));
});
