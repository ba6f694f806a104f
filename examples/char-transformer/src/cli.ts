import { Command, type CommanderError, InvalidArgumentError, Option } from "commander";

/** What the command line asks for. */
export interface CliOptions {
  readonly steps: number;
  readonly seed: number;
  readonly backend: "js" | "wasm";
  readonly out: string;
  /** A file to go on from. */
  readonly resume?: string;
  readonly prompt: string;
  readonly sample: number;
  readonly temperature: number;
}

/** Where the command line's own messages go. */
export interface CliSinks {
  readonly out: (text: string) => void;
  readonly error: (text: string) => void;
}

function number(integer: boolean, least: number, most: number): (text: string) => number {
  return (text) => {
    const value = text.trim() === "" ? Number.NaN : Number(text);
    if (value >= least && value <= most && (!integer || Number.isInteger(value))) return value;
    const kind = integer ? "an integer" : "a number";
    throw new InvalidArgumentError(`Got ${JSON.stringify(text)}, expected ${kind} from ${least} to ${most}.`);
  };
}

function text(given: string): string {
  if (given !== "") return given;
  throw new InvalidArgumentError('Got "", expected some text.');
}

/**
 * Reads the options of a command line.
 *
 * @param args - what follows the name of the program; a leading `--`, which some runners pass on, is dropped.
 * @throws CommanderError when an option is bad (`exitCode` 1, its message written) or only help was asked for (0).
 */
export function parseOptions(args: readonly string[], sinks: CliSinks): CliOptions {
  const seed = "where weights, batches and samples come from";
  const program = new Command("char-transformer")
    .description("Trains a character transformer on Moby Dick, lets it write, and keeps all of it in a Hurray file.")
    .addOption(new Option("--steps <n>", "steps to make").default(500).argParser(number(true, 0, 1_000_000)))
    .addOption(new Option("--seed <n>", seed).default(1).argParser(number(true, 0, 2 ** 32 - 1)))
    .addOption(new Option("--backend <name>", "the kernels that compute").default("wasm").choices(["js", "wasm"]))
    .addOption(new Option("--out <file>", "where the training goes").default("char-transformer.hrry").argParser(text))
    .addOption(new Option("--resume <file>", "a file to go on from, with its weights and its batches").argParser(text))
    .addOption(new Option("--prompt <text>", "what the sample begins with").default("Call me ").argParser(text))
    .addOption(new Option("--sample <n>", "characters to write").default(300).argParser(number(true, 0, 100_000)))
    .addOption(new Option("--temperature <t>", "how freely it writes").default(0.8).argParser(number(false, 0.01, 10)))
    .allowExcessArguments(false)
    .exitOverride()
    .configureOutput({
      writeOut: sinks.out,
      writeErr: sinks.error,
      // A suggestion comes on a line of its own; errors here are one line.
      outputError: (message, write) => write(`${message.trim().replace(/\s*\n\s*/g, " ")}\n`),
    });
  program.parse(args[0] === "--" ? args.slice(1) : args, { from: "user" });
  return program.opts<CliOptions>();
}

/** Tells an error of the command line, whose message is written already. */
export function isCliError(error: unknown): error is CommanderError {
  return error instanceof Error && "exitCode" in error && error.name === "CommanderError";
}
