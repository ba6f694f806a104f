import { openHurray } from "@sw/hurray";
import { decodeDescriptor } from "@sw/hurray/descriptor";
import { readItem } from "@sw/hurray/stream";
import type { Collection } from "../collection.js";
import { type OpenSource, piecesOf } from "../source.js";

/** The tensors of a Hurray file. */
export async function openHurrayCollection(source: OpenSource, signal: AbortSignal): Promise<Collection> {
  const file = await openHurray(source, { signal });
  const { header, kv } = file;
  const inOrder = [...file.entries.values()].sort((a, b) => Number(a.descriptorOffset - b.descriptorOffset));
  const descriptorBytes = async (name: string): Promise<{ start: number; bytes: Uint8Array }> => {
    const entry = file.entry(name);
    const start = Number(entry.descriptorOffset);
    return { start, bytes: await source.slice(start, start + entry.descriptorLength) };
  };
  return {
    format: "hrry",
    summary: `Hurray file 1.${header.versionMinor}${header.sortedIndex ? ", sorted index" : ""}${
      header.hasIndexChecksum ? ", index checksum" : ""
    }, buffers aligned to ${header.dataBufferAlignment}`,
    byteLength: source.byteLength,
    names: file.names(),
    metadata: kv,
    descriptor: async (name) => {
      const { start, bytes } = await descriptorBytes(name);
      return decodeDescriptor(bytes, { operation: `read ${JSON.stringify(name)}`, base: start, ...INSPECTION });
    },
    descriptorBytes,
    order: inOrder.map(({ name }) => name),
    part: async (name, partSignal) => {
      const { descriptor, starts } = await file.locate(name, { signal: partSignal });
      return {
        descriptor,
        pieces: (k) => piecesOf(source, starts[k]!, starts[k]! + Number(descriptor.buffers[k]!.byteSize)),
      };
    },
    item: (name, itemSignal) => readItem(file, name, { signal: itemSignal }),
    close: () => file.close(),
  };
}

/** Descriptors are shown whatever parties agreed on. */
export const INSPECTION = { mode: "permissive", accept: () => true } as const;
