import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FILES, installedFolder } from "../src/data.js";
import type { TextSink } from "../src/progress.js";

/** The bytes of one of the original files. */
export function originalBytes(file: keyof typeof FILES): Uint8Array {
  return readFileSync(join(installedFolder(), FILES[file]));
}

/** A copy of the first `count` entries of an original file, its header telling so. */
export function firstEntries(file: keyof typeof FILES, count: number): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(file.endsWith("Images") ? 16 + count * 784 : 8 + count);
  const handle = openSync(join(installedFolder(), FILES[file]), "r");
  try {
    readSync(handle, copy, 0, copy.length, 0);
  } finally {
    closeSync(handle);
  }
  new DataView(copy.buffer).setUint32(4, count);
  return copy;
}

/** Writes a small data set of the first entries of the original files. */
export async function writeSmallSet(folder: string, train: number, test: number): Promise<void> {
  for (const key of Object.keys(FILES) as (keyof typeof FILES)[]) {
    await writeFile(join(folder, FILES[key]), firstEntries(key, key.startsWith("train") ? train : test));
  }
}

/** Runs a function with a folder of its own, which is removed afterwards. */
export async function withFolder<T>(fn: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "mnist-"));
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

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<Error & Record<string, unknown>> {
  try {
    await promise;
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error("expected a rejection");
}

/** What a function throws. */
export function thrown(fn: () => unknown): Error & Record<string, unknown> {
  try {
    fn();
  } catch (error) {
    return error as Error & Record<string, unknown>;
  }
  throw new Error("expected a throw");
}
