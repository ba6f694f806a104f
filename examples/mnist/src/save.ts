import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { loadParameters } from "@sw/autograd";
import { openFile, writeFile } from "@sw/hurray/node";
import { createGenerator, type Tensor } from "@sw/tensor";
import { createModel, describeModel, disposeModel, type Model, PIXELS, tensorsOf } from "./model.js";

/** The codes of a {@link ModelFileError}. */
export type ModelFileErrorCode = "SW_MNIST_MODEL_TENSOR" | "SW_MNIST_MODEL_METADATA";

/** A Hurray file that holds no model of this example. */
export class ModelFileError extends Error {
  readonly code: ModelFileErrorCode;
  readonly file: string;
  readonly given: unknown;
  readonly expected: unknown;
  constructor(code: ModelFileErrorCode, message: string, file: string, given: unknown, expected: unknown) {
    super(message);
    this.name = "ModelFileError";
    this.code = code;
    this.file = file;
    this.given = given;
    this.expected = expected;
  }
}

/** What a saved model says of itself. */
export interface ModelFacts {
  /** The share of the test images that it predicts right. */
  readonly accuracy: number;
  readonly seed: number;
  readonly epochs: number;
  readonly batch: number;
  /** The name of the backend that it was trained on. */
  readonly backend: string;
}

/** A model that was read from a file. */
export interface SavedModel {
  readonly model: Model;
  readonly accuracy: number;
  readonly names: readonly string[];
}

/** The versions of the packages that made a model. */
export function packageVersions(): Record<string, string> {
  const require = createRequire(import.meta.url);
  const manifests = [
    require.resolve("@sw/layout/package.json"),
    require.resolve("@sw/buffer/package.json"),
    require.resolve("@sw/tensor/package.json"),
    require.resolve("@sw/autograd/package.json"),
    require.resolve("@sw/kernels-js/package.json"),
    require.resolve("@sw/kernels-wasm/package.json"),
    require.resolve("@sw/hurray/package.json"),
  ].map((file) => JSON.parse(readFileSync(file, "utf8")) as { name: string; version: string });
  return Object.fromEntries(manifests.map(({ name, version }) => [name, version]));
}

/** Writes weights, biases and metadata to a Hurray file, as a whole or not at all. */
export async function saveModel(file: string, model: Model, facts: ModelFacts): Promise<void> {
  const versions = Object.entries(packageVersions()).map(([name, version]) => [`version.${name}`, version] as const);
  const metadata = {
    model: `${describeModel(model)}, relu`,
    accuracy: facts.accuracy,
    seed: BigInt(facts.seed),
    epochs: BigInt(facts.epochs),
    batch: BigInt(facts.batch),
    hidden: BigInt(tensorsOf(model)["hidden.bias"]?.size ?? 0),
    backend: facts.backend,
    ...Object.fromEntries(versions),
  };
  await writeFile(file, tensorsOf(model), { metadata });
}

/**
 * Opens a Hurray file, looks the tensors up by name and builds the model again.
 *
 * @throws ModelFileError for tensors that do not fit together, or without an accuracy; errors of `@sw/hurray` for a
 * file that is damaged or has no such tensor.
 */
export async function loadModel(file: string): Promise<SavedModel> {
  const opened = await openFile(file);
  const held: Tensor[] = [];
  try {
    const { accuracy } = opened.metadata as { readonly accuracy?: unknown };
    if (typeof accuracy !== "number") {
      throw new ModelFileError(
        "SW_MNIST_MODEL_METADATA",
        `loadModel: ${file} does not say how accurate the model is: got ${typeof accuracy} for metadata "accuracy", expected a number.`,
        file,
        accuracy,
        "a number",
      );
    }
    const read = async (name: string, shape: readonly (number | undefined)[]): Promise<Tensor<"float32">> => {
      const t = await opened.tensor(name);
      held.push(t);
      return checkTensor(file, name, t, shape);
    };
    const names = [...opened.names()];
    const hidden = (await read("hidden.weight", [PIXELS, undefined])).shape[1] as number;
    // The numbers that it begins with are all written over.
    const name = names.includes("first.weight") ? "cnn" : "mlp";
    const model = createModel({ hidden, generator: createGenerator(0) }, name);
    try {
      const named: Record<string, Tensor> = {};
      for (const [key, own] of Object.entries(tensorsOf(model))) named[key] = await read(key, own.shape);
      loadParameters(model, named);
    } catch (error) {
      disposeModel(model);
      throw error;
    }
    return { model, accuracy, names };
  } finally {
    for (const t of held) t.dispose();
    await opened.close();
  }
}

function checkTensor(file: string, name: string, t: Tensor, shape: readonly (number | undefined)[]): Tensor<"float32"> {
  const fits =
    t.rank === shape.length && shape.every((extent, axis) => extent === undefined || extent === t.shape[axis]);
  if (fits && t.dtype === "float32") return t as Tensor<"float32">;
  const given = `${t.dtype} [${t.shape.join(",")}]`;
  const expected = `float32 [${shape.map((extent) => extent ?? "any").join(",")}]`;
  throw new ModelFileError(
    "SW_MNIST_MODEL_TENSOR",
    `loadModel: tensor "${name}" of ${file} does not fit the model: got ${given}, expected ${expected}.`,
    file,
    given,
    expected,
  );
}
