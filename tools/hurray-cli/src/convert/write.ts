import type { KvEntry } from "@sw/hurray";
import { npyBytes, npzBytes, safetensorsBytes } from "@sw/hurray/interchange";
import { atomicFile, createFile } from "@sw/hurray/node";
import type { StoredTensor, StreamedTensor } from "@sw/hurray/stream";
import { CliError, EXIT } from "../failure.js";
import { toJson } from "../json.js";

/** The formats that are written. */
export const TARGETS = ["hrry", "npy", "npz", "safetensors"] as const;

/** One of them. */
export type Target = (typeof TARGETS)[number];

/** A tensor on its way into a file; a head of a composite goes alone, before its members. */
export interface Outgoing {
  readonly name: string;
  /** What it takes to have it is done when its turn comes. */
  open(): Promise<StoredTensor | StreamedTensor>;
}

/** What writing is told. */
export interface WriteOptions {
  readonly metadata: readonly KvEntry[];
  readonly compress: boolean;
  readonly signal: AbortSignal;
  /** Told of each stretch of bytes that was written. */
  readonly onBytes: (bytes: number, name: string) => void;
}

/** Writes tensors into a file of a format, whole or not at all. */
export async function writeTensors(
  path: string,
  format: Target,
  tensors: readonly Outgoing[],
  options: WriteOptions,
): Promise<void> {
  if (format === "hrry") return writeHurray(path, tensors, options);
  const file = atomicFile(path);
  try {
    // Nothing stays behind of what is refused before its first byte.
    for await (const bytes of await foreignBytes(format, tensors, options)) {
      options.signal.throwIfAborted();
      await file.write(bytes);
      options.onBytes(bytes.byteLength, "");
    }
    options.signal.throwIfAborted();
    await file.close();
  } catch (error) {
    await file.abort();
    throw error;
  }
}

async function writeHurray(
  path: string,
  tensors: readonly Outgoing[],
  { metadata, signal, onBytes }: WriteOptions,
): Promise<void> {
  let done = 0;
  const writer = await createFile(path, {
    ...(metadata.length > 0 && { metadata }),
    tensorCountHint: BigInt(tensors.length),
    onProgress: ({ name, bytes }) => {
      onBytes(bytes - done, name);
      done = bytes;
    },
  });
  try {
    for (const { name, open } of tensors) {
      done = 0;
      await writer.add(name, await open(), { signal });
    }
    signal.throwIfAborted();
    await writer.finish();
  } catch (error) {
    await writer.abort(error);
    throw error;
  }
}

/** The bytes of a file of another format. Its header speaks of all tensors, so that all of them are opened first. */
async function foreignBytes(
  format: Exclude<Target, "hrry">,
  tensors: readonly Outgoing[],
  { metadata, compress }: WriteOptions,
): Promise<AsyncIterable<Uint8Array>> {
  const opened: [string, StoredTensor | StreamedTensor][] = [];
  for (const { name, open } of tensors) opened.push([name, await open()]);
  if (format === "npz") return npzBytes(opened, { compress });
  if (format === "safetensors") return safetensorsBytes(opened, { metadata: textMetadata(metadata) });
  const [first] = opened;
  if (first !== undefined && opened.length === 1) return npyBytes(first[1]);
  const message = `convert: an npy file holds one tensor: got ${opened.length}, expected 1. Name it with --only, or write npz.`;
  throw new CliError(EXIT.refused, message);
}

/** Metadata as safetensors have it: text. What is no text is written as JSON. */
function textMetadata(entries: readonly KvEntry[]): { readonly [key: string]: string } {
  return Object.fromEntries(
    entries.map(({ key, type, value }) => [key, type === "string" ? value : toJson(value, 0)] as [string, string]),
  );
}
