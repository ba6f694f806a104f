import { type Descriptor, decodeDescriptor, descriptorLength } from "@sw/hurray/descriptor";
import { readItems } from "@sw/hurray/stream";
import type { Collection } from "../collection.js";
import { CliError, EXIT } from "../failure.js";
import { type OpenSource, piecesOf } from "../source.js";
import { INSPECTION } from "./hurray-file.js";

/** A descriptor of a stream, and where what follows it begins. */
interface Place {
  readonly start: number;
  readonly bytes: Uint8Array;
}

const PREFIX = 10;
const MAXIMUM_DESCRIPTOR = 16 * 1024 * 1024;

/** The tensors and heads of a raw stream that is a file, by their numbers: `#0`, `#1` and so on. */
export async function openStreamCollection(source: OpenSource, signal: AbortSignal): Promise<Collection> {
  const places: Place[] = [];
  const descriptors: Descriptor[] = [];
  for (let at = 0; at < source.byteLength; ) {
    signal.throwIfAborted();
    const place = await readPlace(source, at);
    const descriptor = decodeDescriptor(place.bytes, { operation: `read #${places.length}`, base: at, ...INSPECTION });
    places.push(place);
    descriptors.push(descriptor);
    at += place.bytes.byteLength;
    for (const { byteSize } of descriptor.buffers) at += Number(byteSize);
    if (at > source.byteLength) {
      const message = `the stream ends within #${places.length - 1}: got ${source.byteLength} bytes, expected ${at}.`;
      throw new CliError(EXIT.unreadable, message);
    }
    if (descriptor.layout.kind === "unknown") break;
  }
  const numberOf = (name: string): number => Number(name.slice(1));
  return {
    format: "stream",
    summary: "raw Hurray stream",
    byteLength: source.byteLength,
    names: places.map((_, k) => `#${k}`),
    metadata: [],
    descriptor: async (name) => descriptors[numberOf(name)]!,
    descriptorBytes: async (name) => places[numberOf(name)]!,
    item: async (name, itemSignal) => {
      const { start } = places[numberOf(name)]!;
      const options = { operation: `read ${name}`, base: start, signal: itemSignal };
      for await (const item of readItems(piecesOf(source, start, source.byteLength), options)) return item;
      throw new CliError(EXIT.unreadable, `read ${name}: the stream ends before it.`);
    },
    part: async (name) => {
      const { start, bytes } = places[numberOf(name)]!;
      // Only what a strict reader takes is passed on.
      const descriptor = decodeDescriptor(bytes, { operation: `read ${name}`, base: start });
      const starts: number[] = [];
      let at = start + bytes.byteLength;
      for (const { byteSize } of descriptor.buffers) {
        starts.push(at);
        at += Number(byteSize);
      }
      return {
        descriptor,
        pieces: (k) => piecesOf(source, starts[k]!, starts[k]! + Number(descriptor.buffers[k]!.byteSize)),
      };
    },
    close: () => source.close(),
  };
}

async function readPlace(source: OpenSource, start: number): Promise<Place> {
  const left = source.byteLength - start;
  const length = descriptorLength(await source.slice(start, start + Math.min(left, PREFIX)), "read the stream", start);
  // What is longer than there is, or than is sane, is refused by the decoder for want of bytes.
  const bytes = await source.slice(start, start + Math.min(left, length, MAXIMUM_DESCRIPTOR));
  return { start, bytes };
}
