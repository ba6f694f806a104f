import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encodeHurray, type SaveOptions, type TensorRecord } from "@sw/hurray";
import { itemBytes, type StoredItem } from "@sw/hurray/stream";
import { afterEach } from "vitest";
import { main } from "../src/main.js";

/** What a run of the program wrote, and what it answered. */
export interface Run {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** Remembers what is written to it. */
export class Written {
  text = "";
  write(text: string): boolean {
    this.text += text;
    return true;
  }
}

/** A terminal that remembers what was written. */
export class Terminal extends Written {
  readonly isTTY = true;
  readonly columns = 100;
  cursorTo(): boolean {
    return true;
  }
  moveCursor(): boolean {
    return true;
  }
  clearLine(): boolean {
    return true;
  }
  clearScreenDown(): boolean {
    return true;
  }
  on(): this {
    return this;
  }
}

/** Runs the program in this process. */
export async function run(...args: string[]): Promise<Run> {
  return runWith({}, ...args);
}

export async function runWith(
  { stderr = new Written(), signal = new AbortController().signal }: { stderr?: Written; signal?: AbortSignal },
  ...args: string[]
): Promise<Run> {
  const stdout = new Written();
  const code = await main(args, { stdout, stderr, signal });
  return { code, out: stdout.text, err: stderr.text };
}

let folder: string | undefined;

afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  folder = undefined;
});

/** A path in a folder that lives as long as the test. */
export function pathOf(name: string): string {
  folder ??= mkdtempSync(join(tmpdir(), "sw-hurray-"));
  return join(folder, name);
}

/** Writes bytes into that folder, and gives their path. */
export function put(name: string, bytes: Uint8Array): string {
  const path = pathOf(name);
  writeFileSync(path, bytes);
  return path;
}

/** Writes a Hurray file. */
export function putTensors(name: string, tensors: TensorRecord, options: SaveOptions = {}): string {
  return put(name, encodeHurray(tensors, options));
}

/** Writes a raw stream. */
export async function putStream(name: string, ...items: StoredItem[]): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of itemBytes(items)) chunks.push(chunk);
  return put(name, Buffer.concat(chunks));
}

/** Text without the folder of the test, for comparing. */
export function plain(text: string): string {
  return folder === undefined ? text : text.replaceAll(`${folder}/`, "");
}
