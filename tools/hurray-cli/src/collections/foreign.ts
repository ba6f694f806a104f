import { basename } from "node:path";
import type { KvEntry } from "@sw/hurray";
import type { Descriptor } from "@sw/hurray/descriptor";
import { openNpz, openSafetensors, readNpy, type StreamedTensor, toStored } from "@sw/hurray/interchange";
import type { Collection, Format } from "../collection.js";
import type { OpenSource } from "../source.js";

/** The one tensor of an npy file, by the name of the file. */
export async function openNpyCollection(source: OpenSource, path: string, signal: AbortSignal): Promise<Collection> {
  const name = basename(path).replace(/\.npy$/i, "") || "array";
  const { descriptor } = await readNpy(source, { signal });
  return collectionOf("npy", "NumPy array", source, [name], [], {
    descriptor: async () => descriptor,
    // Bytes come once; the header is read anew for each reader of them.
    tensor: (_name, options) => readNpy(source, options),
  });
}

/** The tensors of an npz file. */
export async function openNpzCollection(source: OpenSource, signal: AbortSignal): Promise<Collection> {
  const file = await openNpz(source, { signal });
  const others = file.others.length === 0 ? "" : `, ${file.others.length} other entries`;
  return collectionOf("npz", `NumPy archive${others}`, source, file.names(), [], file);
}

/** The tensors of a safetensors file. */
export async function openSafetensorsCollection(source: OpenSource, signal: AbortSignal): Promise<Collection> {
  const file = await openSafetensors(source, { signal });
  const metadata = [...file.metadata].map(([key, value]): KvEntry => ({ key, type: "string", value }));
  return collectionOf("safetensors", "safetensors file", source, file.names(), metadata, {
    descriptor: async (name) => file.descriptor(name),
    tensor: async (name, options) => file.tensor(name, options),
  });
}

/** What all of these formats have. */
interface ForeignFile {
  descriptor(name: string): Promise<Descriptor>;
  tensor(name: string, options: { readonly signal: AbortSignal }): Promise<StreamedTensor>;
}

function collectionOf(
  format: Format,
  summary: string,
  source: OpenSource,
  names: readonly string[],
  metadata: readonly KvEntry[],
  file: ForeignFile,
): Collection {
  return {
    format,
    summary,
    byteLength: source.byteLength,
    names,
    metadata,
    descriptor: (name) => file.descriptor(name),
    item: async (name, signal) => toStored(await file.tensor(name, { signal }), { signal }),
    part: (name, signal) => file.tensor(name, { signal }),
    close: () => source.close(),
  };
}
