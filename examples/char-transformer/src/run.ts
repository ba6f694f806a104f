import { access, constants } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { parametersOf } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { wasmKernels } from "@sw/kernels-wasm";
import { createArena, createGenerator, setKernels } from "@sw/tensor";
import { type CliOptions, isCliError, parseOptions } from "./cli.js";
import { SIZES, Transformer } from "./model.js";
import { createProgress, type TextSink } from "./progress.js";
import { sampleText } from "./sample.js";
import { loadTraining, type Saved, saveTraining } from "./save.js";
import { Alphabet, readBook } from "./text.js";
import { createTraining, disposeTraining, makeStep } from "./training.js";

/** What a run uses of the process it runs in. */
export interface Host {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
}

/** Runs the program and returns its exit code. What can go wrong gives one line on stderr. */
export async function main(args: readonly string[], host: Host): Promise<number> {
  const error = (text: string): unknown => host.stderr.write(text);
  try {
    await run(parseOptions(args, { out: (text) => host.stdout.write(text), error }), host);
    return 0;
  } catch (thrown) {
    if (isCliError(thrown)) return thrown.exitCode;
    const coded = thrown instanceof Error && "code" in thrown;
    error(coded ? `error: ${thrown.message.replace(/\s*\n\s*/g, " ")}\n` : `${(thrown as Error).stack ?? thrown}\n`);
    return 1;
  }
}

/** Trains, saves, writes a sample. */
async function run(options: CliOptions, host: Host): Promise<void> {
  const print = (text: string): unknown => host.stdout.write(`${text}\n`);
  const book = await readBook();
  setKernels(...(options.backend === "wasm" ? [await wasmKernels(), jsKernels] : [jsKernels]));
  const { training, alphabet } =
    options.resume === undefined ? begin(options, book) : await loadTraining(options.resume);
  const arena = createArena();
  try {
    const text = alphabet.encode(book);
    // What could fail after the training fails before it.
    alphabet.encode(options.prompt);
    await access(dirname(resolve(options.out)), constants.W_OK);
    const { layers, width } = training.model.sizes;
    const count = parametersOf(training.model).reduce((sum, p) => sum + p.size, 0);
    print(`text: ${text.length.toLocaleString("en-US")} characters, ${alphabet.size} of them different`);
    print(`model: ${layers} layers, ${width} wide, ${count.toLocaleString("en-US")} parameters`);
    const last = training.step + options.steps;
    const progress = createProgress(host.stdout, training.step, last);
    try {
      while (training.step < last) {
        const loss = makeStep(training, text, arena);
        progress.update(training.step, loss);
      }
    } finally {
      progress.stop();
    }
    await saveTraining(options.out, training, alphabet);
    print(`saved ${options.out} at step ${training.step}`);
    const { prompt, sample: length, temperature } = options;
    const generator = createGenerator(options.seed);
    print(`\n${sampleText(training.model, alphabet, prompt, { length, temperature, generator, arena })}`);
  } finally {
    disposeTraining(training);
    arena.dispose();
  }
}

function begin({ seed }: CliOptions, book: string): Saved {
  const alphabet = new Alphabet(book);
  const generator = createGenerator(seed);
  const model = new Transformer({ ...SIZES, alphabet: alphabet.size }, generator);
  return { training: createTraining(model, generator), alphabet };
}
