import { jsKernels } from "@sw/kernels-js";
import { wasmKernels } from "@sw/kernels-wasm";
import { type Arena, type Backend, createArena, createGenerator, setKernels } from "@sw/tensor";
import { type BackendName, type CliOptions, dataFolder, isCliError, parseOptions } from "./cli.js";
import { confusionTable } from "./confusion.js";
import { lossCurve } from "./curve.js";
import { type Digits, type Mnist, readMnist } from "./data.js";
import { countDifferentBits, type Evaluation, evaluate, predict, worstMistakes } from "./evaluate.js";
import { checkOutputs, writeText } from "./files.js";
import { countParameters, createModel, describeModel, disposeModel, type Model } from "./model.js";
import { createProgress, type TextSink } from "./progress.js";
import { renderReport } from "./report.js";
import { loadModel, saveModel } from "./save.js";
import { RECIPES, trainSteps } from "./train.js";

/** What a run uses of the process it runs in. */
export interface Host {
  readonly stdout: TextSink;
  readonly stderr: TextSink;
  /** Milliseconds of a clock that does not go back. */
  readonly now: () => number;
}

/** A saved model that does not answer as the one in memory did. */
export class ReloadError extends Error {
  readonly code = "SW_MNIST_RELOAD";
  readonly file: string;
  readonly differentLogits: number;
  readonly accuracy: number;
  readonly storedAccuracy: number;
  constructor(file: string, differentLogits: number, accuracy: number, storedAccuracy: number) {
    super(
      `reload: ${file} does not answer as the trained model: got ${differentLogits} different logits and accuracy ${accuracy}, expected 0 and ${storedAccuracy}.`,
    );
    this.name = "ReloadError";
    this.file = file;
    this.differentLogits = differentLogits;
    this.accuracy = accuracy;
    this.storedAccuracy = storedAccuracy;
  }
}

/**
 * Runs the program and returns its exit code. A bad option, a missing or a malformed file gives one line on stderr.
 */
export async function main(args: readonly string[], host: Host): Promise<number> {
  const out = (text: string): unknown => host.stdout.write(text);
  const error = (text: string): unknown => host.stderr.write(text);
  try {
    await run(parseOptions(args, { out, error }), host);
    return 0;
  } catch (thrown) {
    if (isCliError(thrown)) return thrown.exitCode;
    error(`${describe(thrown)}\n`);
    return 1;
  }
}

/** One line for errors that name what is wrong; a stack for what should not happen. */
function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return `error: ${String(thrown)}`;
  if (!("code" in thrown)) return thrown.stack ?? thrown.message;
  return `error: ${thrown.message.replace(/\s*\n\s*/g, " ")}`;
}

/** Trains, saves, reopens, compares, reports. */
async function run(options: CliOptions, host: Host): Promise<void> {
  const print = (text: string): unknown => host.stdout.write(`${text}\n`);
  await checkOutputs([options.out, options.report]);
  const folder = dataFolder(options);
  const data = await readMnist(folder);
  setKernels(...(await backends(options.backend)));
  print(`data: ${count(rowsOf(data.train))} training and ${count(rowsOf(data.test))} test images from ${folder}`);

  const arena = createArena();
  const generator = createGenerator(options.seed);
  const model = createModel({ hidden: options.hidden, generator }, options.model);
  try {
    print(`model: ${describeModel(model)}, ${count(countParameters(model))} parameters`);
    print(`training: ${epochs(options)}, batch ${options.batch}, seed ${options.seed}, backend ${options.backend}`);
    const began = host.now();
    const losses = fit(model, data.train, { options, generator, arena, host });
    const seconds = (host.now() - began) / 1000;

    const logits = predict(model, data.test.images, arena);
    const evaluation = evaluate(logits, data.test.labels);
    print(`\n${lossCurve(losses)}\n`);
    print(`${confusionTable(evaluation.confusion)}\n`);
    print(`training took ${seconds.toFixed(1)} s`);
    print(`test accuracy: ${percent(evaluation)} (${count(evaluation.correct)} of ${count(evaluation.count)})`);

    await saveModel(options.out, model, { ...options, accuracy: evaluation.accuracy });
    const names = await compareReloaded(options.out, data, logits, arena);
    print(`saved ${options.out}: ${names.join(", ")}`);
    print(
      `identical after reload: ${count(logits.length)} logits bit for bit, accuracy ${percent(evaluation)} as stored`,
    );

    await writeText(options.report, reportOf(options, describeModel(model), data, losses, logits, evaluation));
    print(`report: ${options.report}`);
  } finally {
    disposeModel(model);
    arena.dispose();
  }
}

async function backends(name: BackendName): Promise<Backend[]> {
  return name === "wasm" ? [await wasmKernels(), jsKernels] : [jsKernels];
}

interface FitContext {
  readonly options: CliOptions;
  readonly generator: ReturnType<typeof createGenerator>;
  readonly arena: Arena;
  readonly host: Host;
}

/** Trains under a progress bar, and returns the loss of every step. */
function fit(model: Model, digits: Digits, { options, generator, arena, host }: FitContext): number[] {
  const { learningRate, momentum } = RECIPES[options.model];
  const { epochs, batch } = options;
  const progress = createProgress(host.stdout, host.now);
  const losses: number[] = [];
  try {
    for (const step of trainSteps(model, digits, { epochs, batch, learningRate, momentum, generator, arena })) {
      losses.push(step.loss);
      progress.update(step);
    }
  } finally {
    progress.stop();
  }
  return losses;
}

/**
 * Reopens a saved model, predicts all test images again, and returns the names of its tensors.
 *
 * @throws ReloadError when a bit of a logit, or the stored accuracy, is not reproduced.
 */
export async function compareReloaded(
  file: string,
  data: Pick<Mnist, "test">,
  logits: Float32Array,
  arena: Arena,
): Promise<readonly string[]> {
  const saved = await loadModel(file);
  try {
    const again = predict(saved.model, data.test.images, arena);
    const { accuracy } = evaluate(again, data.test.labels);
    const different = countDifferentBits(logits, again);
    if (different > 0 || accuracy !== saved.accuracy) throw new ReloadError(file, different, accuracy, saved.accuracy);
    return saved.names;
  } finally {
    disposeModel(saved.model);
  }
}

function reportOf(
  options: CliOptions,
  model: string,
  data: Mnist,
  losses: readonly number[],
  logits: Float32Array,
  evaluation: Evaluation,
): string {
  const { images, labels } = data.test;
  return renderReport({
    subtitle: `${model}, ${epochs(options)} of batches of ${options.batch}, seed ${options.seed}, backend ${options.backend}`,
    losses,
    evaluation,
    mistakes: worstMistakes(evaluation, logits, labels, 16).map((mistake) => ({
      ...mistake,
      pixels: images.select(0, mistake.index).data(),
    })),
  });
}

function rowsOf(digits: Digits): number {
  return digits.labels.size;
}

function epochs(options: CliOptions): string {
  return options.epochs === 1 ? "1 epoch" : `${options.epochs} epochs`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

function percent({ accuracy }: Pick<Evaluation, "accuracy">): string {
  return `${(100 * accuracy).toFixed(2)} %`;
}
