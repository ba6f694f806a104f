import type { KvEntry } from "@sw/hurray";
import type { Descriptor } from "@sw/hurray/descriptor";
import type { StoredItem, StoredTensor, StreamedTensor } from "@sw/hurray/stream";
import { openNpyCollection, openNpzCollection, openSafetensorsCollection } from "./collections/foreign.js";
import { openHurrayCollection } from "./collections/hurray-file.js";
import { openStreamCollection } from "./collections/raw-stream.js";
import { CliError, EXIT } from "./failure.js";
import type { Shell } from "./shell.js";
import { type OpenSource, openSource } from "./source.js";

/** The formats that are read. */
export type Format = "hrry" | "stream" | "npy" | "npz" | "safetensors";

/** Tensors by name, whatever the format of their file. */
export interface Collection {
  readonly format: Format;
  /** In a line: the format, its version, what is special about this file. */
  readonly summary: string;
  readonly byteLength: number;
  /** In the order of the file's list of them. */
  readonly names: readonly string[];
  /** In the order in which they are stored, each head of a composite before its members; that of `names` when absent. */
  readonly order?: readonly string[];
  readonly metadata: readonly KvEntry[];
  /** What describes a tensor, read for inspection: private layouts and unknown tags pass. */
  descriptor(name: string): Promise<Descriptor>;
  /** Where the descriptor is, and its bytes; absent for formats that have none. */
  descriptorBytes?(name: string): Promise<{ readonly start: number; readonly bytes: Uint8Array }>;
  /** A tensor, or a composite whole. */
  item(name: string, signal: AbortSignal): Promise<StoredItem>;
  /** A tensor as a writer takes it, in pieces where it may be large; the head of a composite alone, without members. */
  part(name: string, signal: AbortSignal): Promise<StoredTensor | StreamedTensor>;
  close(): Promise<void>;
}

/** Opens a file of any format, told by its first bytes, from the disk or the web. */
export async function openCollection(path: string, shell: Shell): Promise<Collection> {
  const source = await openSource(path, shell);
  try {
    return await openAs(source, path, shell.io.signal);
  } catch (error) {
    await source.close();
    throw error;
  }
}

async function openAs(source: OpenSource, path: string, signal: AbortSignal): Promise<Collection> {
  const start = await source.slice(0, Math.min(16, source.byteLength));
  const text = Buffer.from(start).toString("latin1");
  if (text.startsWith("HRRYFILE")) return openHurrayCollection(source, signal);
  if (text.startsWith("HRRY")) return openStreamCollection(source, signal);
  if (text.startsWith("\x93NUMPY")) return openNpyCollection(source, path, signal);
  if (text.startsWith("PK")) return openNpzCollection(source, signal);
  // A length of eight bytes, then JSON.
  if (text[8] === "{") return openSafetensorsCollection(source, signal);
  throw new CliError(
    EXIT.unreadable,
    `${path}: the format is not known: got a file that begins with ${JSON.stringify(text.slice(0, 8))}, expected a Hurray file or stream, npy, npz or safetensors.`,
  );
}

/** Opens a file for as long as a function takes. */
export async function withCollection<T>(
  path: string,
  shell: Shell,
  use: (collection: Collection) => Promise<T>,
): Promise<T> {
  const collection = await openCollection(path, shell);
  try {
    return await use(collection);
  } finally {
    await collection.close();
  }
}

/** The name that was asked for, or the only one that there is. */
export function chosenName({ names }: Collection, path: string, name: string | undefined): string {
  if (name !== undefined) {
    if (names.includes(name)) return name;
    throw new CliError(
      EXIT.unreadable,
      `${path}: no tensor of this name: got ${JSON.stringify(name)}, expected ${someNames(names)}.`,
    );
  }
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  throw new CliError(EXIT.usage, `${path}: which tensor: got no name, expected ${someNames(names)}.`);
}

function someNames(names: readonly string[]): string {
  if (names.length === 0) return "nothing: there is no tensor";
  const shown = names.slice(0, 8).map((name) => JSON.stringify(name));
  return `one of ${shown.join(", ")}${names.length > 8 ? `, … (${names.length} in all)` : ""}`;
}
