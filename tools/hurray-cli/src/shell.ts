import { InvalidArgumentError } from "commander";
import type { Io } from "./io.js";

/** What commands are given, and what they leave. */
export interface Shell {
  readonly io: Io;
  /** What the program answers with when nothing is thrown. */
  exitCode: number;
  /** Whether errors come with their stacks. */
  debug: boolean;
  /** How many seconds a server may be silent. */
  timeout: number;
  /** The exit code of what the library cannot do with sound input: 3 where it cannot be read, 4 where it cannot be converted. */
  refused: number;
}

/** Seconds that a server may be silent where nothing else is said. */
export const DEFAULT_TIMEOUT = 30;

/** What commands say of the files that they read. */
export const FILE_HELP = "a Hurray file or raw stream, npy, npz or safetensors, or its http(s) address";

/** Reads an option that is a number of at least 0. */
export function number(text: string): number {
  const value = Number(text);
  if (text.trim() !== "" && Number.isFinite(value) && value >= 0) return value;
  throw new InvalidArgumentError(`Got ${JSON.stringify(text)}, expected a number of at least 0.`);
}

/** Reads an option that is an integer of at least `least`. */
export function integer(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`Got ${JSON.stringify(text)}, expected an integer of at least ${least}.`);
  };
}

/** Reads an option that is a list of integers, between commas. */
export function integers(text: string): number[] {
  if (/^\d+(,\d+)*$/.test(text)) return text.split(",").map(Number);
  throw new InvalidArgumentError(`Got ${JSON.stringify(text)}, expected integers between commas.`);
}
