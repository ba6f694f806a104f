import type { Descriptor } from "../descriptor/types.js";
import { HurrayLookupError } from "../errors.js";
import { countOption } from "../number-option.js";
import { type HurrayInput, sourceOf } from "../source/input.js";
import type { StoredTensor, StreamedTensor } from "../stored.js";
import { type CollectOptions, collect } from "./collect.js";
import type { Task } from "./errors.js";
import { type NamedTensors, takeNamed } from "./named.js";
import { type NpyOptions, planNpy, readNpyPieces } from "./npy.js";
import { DEFLATE_RATIO, entryPieces, readDirectory } from "./zip-read.js";
import { zipBytes } from "./zip-write.js";

/** What the name of a tensor has behind it in the archive. */
const EXTENSION = ".npy";
const MAXIMUM_DIRECTORY = 64 * 1024 * 1024;
const MAXIMUM_NAME = 0xffff - EXTENSION.length;

/** What opening npz is told. @since 0.1.0 */
export interface NpzOptions extends NpyOptions {
  /** Bytes that the directory of the archive may take; 64 MiB when absent. */
  readonly maximumDirectoryBytes?: number;
  /** How many times its compressed bytes an entry may be; 1032 when absent, which is what its compression reaches. */
  readonly maximumRatio?: number;
}

/** An open npz file. Tensors are read when they are asked for; asking for one touches no other. @since 0.1.0 */
export interface NpzFile {
  /** Entries of the archive that are no tensors: their names do not end in `.npy`. */
  readonly others: readonly string[];
  /** The names of the tensors, without `.npy`, in the order of the archive. They are names only, whatever path they look like. */
  names(): string[];
  /** Reads what describes a tensor. @throws as `tensor`. */
  descriptor(name: string, options?: { readonly signal?: AbortSignal }): Promise<Descriptor>;
  /**
   * Reads the header of a tensor, and its data when it is asked for, once.
   *
   * @throws HurrayLookupError `SW_HURRAY_NAME_UNKNOWN`; HurrayForeignError as `readNpy`, and for entries that are damaged,
   * encrypted, compressed by another method, or larger than they may be; HurraySourceError.
   */
  tensor(name: string, options?: { readonly signal?: AbortSignal }): Promise<StreamedTensor>;
  /** Reads a tensor. @throws as `tensor`; HurrayLimitError `SW_HURRAY_LIMIT` beyond `maximumBytes`. */
  stored(name: string, options?: CollectOptions): Promise<StoredTensor>;
  /** Lets go of the source. */
  close(): Promise<void>;
}

/**
 * Opens an npz file, which is a zip archive of npy files, compressed or not: reads its directory and no tensor.
 *
 * @throws HurrayForeignError `SW_HURRAY_FOREIGN_INVALID` for what is no archive, or one whose entries overlap or share a name;
 * `SW_HURRAY_FOREIGN_UNSUPPORTED` for an archive in several parts, and for names in an unknown encoding.
 * @throws HurraySourceError `SW_HURRAY_SOURCE_SHORT` when the source gives fewer bytes than it promised.
 * @example
 * ```ts
 * import { npzBytes, openNpz } from "@sw/hurray/interchange";
 * import { load, store } from "@sw/hurray";
 * import { arange } from "@sw/tensor";
 *
 * const pieces: Uint8Array[] = [];
 * for await (const piece of npzBytes([["w", store(arange(4))]], { compress: true })) pieces.push(piece);
 * const file = await openNpz(await new Blob(pieces as BlobPart[]).arrayBuffer());
 * console.log(load(await file.stored("w")).tensor.data()); // Float32Array(4) [ 0, 1, 2, 3 ]
 * ```
 * @since 0.1.0
 */
export async function openNpz(input: HurrayInput, options: NpzOptions = {}): Promise<NpzFile> {
  const task: Task = { operation: "openNpz", format: "npz" };
  const limit = (field: "maximumDirectoryBytes" | "maximumRatio", usual: number): number =>
    countOption(task.operation, field, options[field], 0, usual);
  const maximumDirectoryBytes = limit("maximumDirectoryBytes", MAXIMUM_DIRECTORY);
  const maximumRatio = limit("maximumRatio", DEFLATE_RATIO);
  const source = sourceOf(input, task.operation);
  options.signal?.throwIfAborted();
  const all = await readDirectory(task, source, maximumDirectoryBytes);
  const tensors = all.filter(({ name }) => name.endsWith(EXTENSION));
  const entries = new Map(tensors.map((entry) => [entry.name.slice(0, -EXTENSION.length), entry]));
  const names = (): string[] => [...entries.keys()];
  const open = async (name: string, { signal }: { readonly signal?: AbortSignal } = {}) => {
    const entry = entries.get(name);
    if (entry === undefined) throw new HurrayLookupError("read", name, names().slice(0, 8), entries.size);
    signal?.throwIfAborted();
    const within: Task = { operation: "read", format: "npz", tensorName: name };
    const pieces = entryPieces(within, source, entry, maximumRatio, signal);
    const { maximumHeaderBytes } = options;
    return readNpyPieces({ ...within, format: "npy" }, pieces, entry.size, {
      ...(maximumHeaderBytes !== undefined && { maximumHeaderBytes }),
      ...(signal !== undefined && { signal }),
    });
  };
  return {
    others: all.filter((entry) => !tensors.includes(entry)).map(({ name }) => name),
    names,
    tensor: open,
    descriptor: async (name, asked) => {
      const { descriptor, close } = await open(name, asked);
      await close();
      return descriptor;
    },
    stored: async (name, asked = {}) => collect("read", await open(name, asked), asked),
    close: async () => source.close?.(),
  };
}

/** What writing npz is told. @since 0.1.0 */
export interface NpzWriteOptions {
  /** Whether the tensors are compressed; they are not when absent. */
  readonly compress?: boolean;
}

/**
 * Writes an npz file, piece by piece, each tensor's bytes once. Wide records (ZIP64) are written where sizes ask for them.
 *
 * @throws TypeError for what is no tensor.
 * @throws HurrayForeignError `SW_HURRAY_FOREIGN_UNSUPPORTED` for a tensor without a counterpart.
 * @throws HurrayValueError `SW_HURRAY_VALUE` for names that are taken, too long or no text. All of these before the first byte.
 * @throws HurraySourceError `SW_HURRAY_SOURCE_SHORT` later, when a tensor gives fewer bytes than it declares.
 * @since 0.1.0
 */
export function npzBytes(entries: NamedTensors, options: NpzWriteOptions = {}): AsyncIterable<Uint8Array> {
  const operation = "npzBytes";
  const files = takeNamed(operation, entries, { maximumBytes: MAXIMUM_NAME }).map(({ name, item }) => ({
    name: `${name}${EXTENSION}`,
    ...planNpy({ operation, format: "npz", tensorName: name }, item),
  }));
  return zipBytes(files, options.compress === true);
}
