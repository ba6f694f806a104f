import { crc32c } from "../src/file/crc32c.js";
import { FILE_HEADER_LENGTH, writeFileHeader, writeTrailer } from "../src/file/frame.js";
import { appendEntry, beginIndex, indexBytes } from "../src/file/index-section.js";

/** What a file is made of that holds no data. */
export interface FileParts {
  readonly names: readonly (string | Uint8Array)[];
  readonly sorted?: boolean;
  readonly kv?: Uint8Array;
}

/** A file whose entries all name the same place, which is allowed (A41): as small as a file of so many can be. */
export function fileOf({ names, sorted = false, kv }: FileParts): Uint8Array {
  const draft = beginIndex("test");
  for (const name of names) {
    const bytes = typeof name === "string" ? new TextEncoder().encode(name) : name;
    appendEntry(draft, bytes, { descriptorOffset: 64n, descriptorLength: 40, dataOffset: 0n, dataLength: 0n });
  }
  const index = indexBytes(draft, sorted);
  const header = writeFileHeader("test", {
    versionMinor: 0,
    hasMetadata: kv !== undefined,
    sortedIndex: sorted,
    hasIndexChecksum: true,
    dataBufferAlignment: 4096,
    firstDescriptorOffset: BigInt(FILE_HEADER_LENGTH),
    tensorCountHint: BigInt(names.length),
  });
  const kvOffset = 128;
  const indexOffset = kvOffset + Math.ceil((kv?.byteLength ?? 0) / 8) * 8;
  const file = new Uint8Array(indexOffset + index.byteLength + 40);
  file.set(header);
  file.set(kv ?? [], kvOffset);
  file.set(index, indexOffset);
  const trailer = writeTrailer("test", {
    indexOffset: BigInt(indexOffset),
    indexLength: BigInt(index.byteLength),
    kvOffset: kv === undefined ? 0n : BigInt(kvOffset),
    kvLength: kv?.byteLength ?? 0,
    indexChecksum: crc32c(index),
  });
  file.set(trailer, indexOffset + index.byteLength);
  return file;
}

const TEXT = 1;
const ARRAY = 7;

/** Metadata of one array of as many values, each of the same bytes. */
export function arrayMetadata(tag: number, count: number, value: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(13 + count * value.length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 1, true);
  bytes.set([1, 0, 0x61, ARRAY, tag], 4);
  view.setUint32(9, count, true);
  for (let k = 0; k < count; k++) bytes.set(value, 13 + k * value.length);
  return bytes;
}

/** Metadata of as many entries, each of a key of its own of some length and of the same value, its tag first. */
export function entryMetadata(
  count: number,
  keyLength: number,
  value: readonly number[] = [TEXT, 0, 0, 0, 0],
): Uint8Array {
  const length = 2 + keyLength + value.length;
  const bytes = new Uint8Array(4 + count * length).fill(0x61);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, count, true);
  for (let k = 0; k < count; k++) {
    const at = 4 + k * length;
    view.setUint16(at, keyLength, true);
    bytes.set([k & 127, (k >> 7) & 127, (k >> 14) & 127], at + 2);
    bytes.set(value, at + 2 + keyLength);
  }
  return bytes;
}
