import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGenerator } from "@sw/tensor";
import { Transformer } from "../src/model.js";
import type { TextSink } from "../src/progress.js";
import { Alphabet } from "../src/text.js";
import { createTraining, type Training } from "../src/training.js";

/** A text that is learnt within seconds. */
export const RHYME = "row, row, row your boat, gently down the stream. ".repeat(20);

export const ALPHABET: Alphabet = new Alphabet(RHYME);

/** A training of a model that is small enough for tests. */
export function smallTraining(seed = 1): Training {
  const generator = createGenerator(seed);
  const sizes = { alphabet: ALPHABET.size, context: 16, width: 16, heads: 2, layers: 2 };
  return createTraining(new Transformer(sizes, generator), generator);
}

/** Runs a function with a folder of its own, which is removed afterwards. */
export async function withFolder<T>(fn: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "char-transformer-"));
  try {
    return await fn(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Text that was written, as a program's stdout or stderr. */
export class Written implements TextSink {
  text = "";
  write(text: string): boolean {
    this.text += text;
    return true;
  }
}
