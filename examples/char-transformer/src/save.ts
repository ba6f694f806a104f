import { loadParameters, namedParameters } from "@sw/autograd";
import { openFile, writeFile } from "@sw/hurray/node";
import { createGenerator, type Generator, type Tensor, tensor } from "@sw/tensor";
import { type Sizes, Transformer } from "./model.js";
import { ProgramError } from "./program-error.js";
import { Alphabet } from "./text.js";
import { createTraining, disposeTraining, type Training } from "./training.js";

/** A training that was read from a file. */
export interface Saved {
  readonly training: Training;
  readonly alphabet: Alphabet;
}

/** Writes all that a next step depends on to a Hurray file, as a whole or not at all. */
export async function saveTraining(file: string, training: Training, alphabet: Alphabet): Promise<void> {
  const { model, optimiser, generator, step } = training;
  const drawn = tensor([...generator.state()], { dtype: "uint32" });
  const tensors = { ...namedParameters(model), ...optimiser.state(), generator: drawn };
  const { context, width, heads, layers } = model.sizes;
  const counts = Object.entries({ step, context, width, heads, layers }).map(([name, n]) => [name, BigInt(n)]);
  const metadata = { characters: alphabet.characters.join(""), ...Object.fromEntries(counts) };
  try {
    await writeFile(file, tensors, { metadata });
  } finally {
    drawn.dispose();
  }
}

/**
 * Reads a training back: the next step gives the bits that it would have given without the file.
 *
 * @throws ProgramError `SW_CHAR_METADATA`; GradientError for tensors that are not those of a model of its sizes; errors of
 * `@sw/hurray` for a damaged file.
 */
export async function loadTraining(file: string): Promise<Saved> {
  const opened = await openFile(file);
  const tensors: Record<string, Tensor> = {};
  try {
    const metadata = opened.metadata as { readonly [name: string]: unknown };
    const { characters } = metadata;
    if (typeof characters !== "string") throw refused(file, "characters", characters, "text");
    const alphabet = new Alphabet(characters);
    const count = (name: string): number => countIn(file, metadata, name);
    const sizes: Sizes = {
      alphabet: alphabet.size,
      context: count("context"),
      width: count("width"),
      heads: count("heads"),
      layers: count("layers"),
    };
    const step = count("step");
    for (const name of opened.names()) tensors[name] = await opened.tensor(name);
    return { training: { ...rebuilt(file, sizes, tensors), step }, alphabet };
  } finally {
    for (const t of Object.values(tensors)) t.dispose();
    await opened.close();
  }
}

/** Builds a training of named tensors, which are copied. */
function rebuilt(file: string, sizes: Sizes, { generator: drawn, ...named }: Record<string, Tensor>): Training {
  if (drawn === undefined) throw refused(file, "generator", drawn, "a tensor of this name");
  // The numbers that the model begins with, and the state of the generator, are all written over.
  const generator = createGenerator(0);
  const training = createTraining(new Transformer(sizes, generator), generator);
  try {
    const own = namedParameters(training.model);
    const [parameters, state] = [true, false].map((belongs) =>
      Object.fromEntries(Object.entries(named).filter(([name]) => Object.hasOwn(own, name) === belongs)),
    ) as [Record<string, Tensor>, Record<string, Tensor>];
    loadParameters(training.model, parameters);
    training.optimiser.load(state);
    generator.restore(Array.from(drawn.data(), Number) as unknown as ReturnType<Generator["state"]>);
    return training;
  } catch (error) {
    disposeTraining(training);
    throw error;
  }
}

function countIn(file: string, metadata: { readonly [name: string]: unknown }, name: string): number {
  const value = metadata[name];
  if (typeof value === "bigint" && value >= 0n && value <= 1_000_000_000n) return Number(value);
  throw refused(file, name, value, "a count");
}

function refused(file: string, name: string, given: unknown, expected: string): ProgramError {
  return new ProgramError(
    "SW_CHAR_METADATA",
    `loadTraining: ${file} holds no training of this program: got ${String(given)} for "${name}", expected ${expected}.`,
  );
}
