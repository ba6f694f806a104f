import { concatenate } from "./concatenate.js";
import { crc32 } from "./crc32.js";
import { type NpyPlan, npyPieces } from "./npy.js";
import type { Pieces } from "./pieces.js";
import { deflated } from "./through.js";
import {
  DESCRIPTOR_SIGNATURE,
  DIRECTORY_END,
  DIRECTORY_HEADER,
  DIRECTORY_SIGNATURE,
  END_SIGNATURE,
  FLAG_DESCRIPTOR,
  FLAG_UTF8,
  LOCAL_HEADER,
  LOCAL_SIGNATURE,
  METHOD_DEFLATE,
  METHOD_STORED,
  recordLength,
  SATURATED_2,
  SATURATED_4,
  WIDE_END,
  WIDE_END_SIGNATURE,
  WIDE_EXTRA,
  WIDE_LOCATOR,
  WIDE_LOCATOR_SIGNATURE,
  writeRecord,
} from "./zip-records.js";

/** A file on its way into an archive. */
interface ZipFile extends NpyPlan {
  readonly name: string;
}

/** What the directory says of a file that has been written. */
interface Written {
  readonly common: CommonFields;
  readonly name: Uint8Array;
  readonly size: number;
  readonly compressedSize: number;
  readonly headerOffset: number;
}

interface CommonFields {
  readonly versionNeeded: number;
  readonly flags: number;
  readonly method: number;
  readonly date: number;
  readonly crc: number;
}

/** 4.5 of the specification has wide sizes. */
const VERSION_WIDE = 45;
const VERSION = 20;
/** The first day that there is: archives of the same tensors are the same. */
const DATE = 0x21;
const DESCRIPTOR = [
  ["signature", 4],
  ["crc", 4],
  ["compressedSize", 4],
  ["size", 4],
] as const;
const WIDE_DESCRIPTOR = [
  ["signature", 4],
  ["crc", 4],
  ["compressedSize", 8],
  ["size", 8],
] as const;

/**
 * Writes an archive front to back: sizes and checksums follow the bytes of each file, and are in the directory. Sizes from
 * `wideFrom` on are wide; a file whose size comes near it is written as if it reached it, as compression may add to it.
 */
export async function* zipBytes(
  files: Iterable<ZipFile>,
  compress: boolean,
  wideFrom: number = SATURATED_4,
): AsyncGenerator<Uint8Array, void, void> {
  const directory: Written[] = [];
  let position = 0;
  const counted = (bytes: Uint8Array): Uint8Array => {
    position += bytes.byteLength;
    return bytes;
  };
  for (const file of files) {
    const headerOffset = position;
    const name = new TextEncoder().encode(file.name);
    const isWide = file.byteLength >= wideFrom - wideFrom / 16;
    const fields = {
      versionNeeded: isWide ? VERSION_WIDE : VERSION,
      flags: FLAG_DESCRIPTOR | (name.byteLength === file.name.length ? 0 : FLAG_UTF8),
      method: compress ? METHOD_DEFLATE : METHOD_STORED,
      date: DATE,
    };
    yield counted(localHeader(fields, name, isWide));
    const start = position;
    let crc = 0;
    let size = 0;
    const plain = watched(npyPieces(file), (piece) => {
      crc = crc32(piece, crc);
      size += piece.byteLength;
    });
    const pieces: Pieces = compress ? deflated("deflate-raw", plain) : plain;
    for await (const piece of pieces) yield counted(piece);
    const compressedSize = position - start;
    const sizes = { signature: DESCRIPTOR_SIGNATURE, crc, compressedSize, size };
    yield counted(isWide ? writeRecord(WIDE_DESCRIPTOR, sizes) : writeRecord(DESCRIPTOR, sizes));
    directory.push({ common: { ...fields, crc }, name, size, compressedSize, headerOffset });
  }
  const directoryOffset = position;
  for (const entry of directory) yield counted(directoryEntry(entry, wideFrom));
  yield directoryEnd(directory.length, directoryOffset, position - directoryOffset, wideFrom);
}

/** Gives pieces on, each after it has been looked at. */
async function* watched(pieces: Pieces, look: (piece: Uint8Array) => void): AsyncGenerator<Uint8Array, void, void> {
  for await (const piece of pieces) {
    look(piece);
    yield piece;
  }
}

/** The header of a file whose sizes come later; where they will be wide, room for them says so. */
function localHeader(fields: Omit<CommonFields, "crc">, name: Uint8Array, isWide: boolean): Uint8Array {
  const extra = isWide ? wideExtra([0, 0]) : new Uint8Array();
  const size = isWide ? SATURATED_4 : 0;
  const header = writeRecord(LOCAL_HEADER, {
    ...fields,
    signature: LOCAL_SIGNATURE,
    size,
    compressedSize: size,
    nameLength: name.byteLength,
    extraLength: extra.byteLength,
  });
  return concatenate([header, name, extra]);
}

function directoryEntry({ common, name, size, compressedSize, headerOffset }: Written, wideFrom: number): Uint8Array {
  const sizes = [size, compressedSize, headerOffset];
  const wide = sizes.filter((value) => value >= wideFrom);
  const [narrowSize, narrowCompressed, narrowOffset] = sizes.map((value) => (value >= wideFrom ? SATURATED_4 : value));
  const extra = wide.length === 0 ? new Uint8Array() : wideExtra(wide);
  const header = writeRecord(DIRECTORY_HEADER, {
    ...common,
    versionNeeded: wide.length === 0 ? common.versionNeeded : VERSION_WIDE,
    signature: DIRECTORY_SIGNATURE,
    versionMade: VERSION_WIDE,
    size: narrowSize!,
    compressedSize: narrowCompressed!,
    headerOffset: narrowOffset!,
    nameLength: name.byteLength,
    extraLength: extra.byteLength,
  });
  return concatenate([header, name, extra]);
}

function directoryEnd(entries: number, directoryOffset: number, directoryLength: number, wideFrom: number): Uint8Array {
  const isWide = entries >= SATURATED_2 || directoryOffset >= wideFrom || directoryLength >= wideFrom;
  const narrow = writeRecord(DIRECTORY_END, {
    signature: END_SIGNATURE,
    diskEntries: isWide ? SATURATED_2 : entries,
    entries: isWide ? SATURATED_2 : entries,
    directoryLength: isWide ? SATURATED_4 : directoryLength,
    directoryOffset: isWide ? SATURATED_4 : directoryOffset,
  });
  if (!isWide) return narrow;
  const wide = writeRecord(WIDE_END, {
    signature: WIDE_END_SIGNATURE,
    // The bytes after this field.
    recordLength: recordLength(WIDE_END) - 12,
    versionMade: VERSION_WIDE,
    versionNeeded: VERSION_WIDE,
    diskEntries: entries,
    entries,
    directoryLength,
    directoryOffset,
  });
  const locator = writeRecord(WIDE_LOCATOR, {
    signature: WIDE_LOCATOR_SIGNATURE,
    endOffset: directoryOffset + directoryLength,
    disks: 1,
  });
  return concatenate([wide, locator, narrow]);
}

/** The extra field with wide sizes. */
function wideExtra(sizes: readonly number[]): Uint8Array {
  const extra = new Uint8Array(4 + sizes.length * 8);
  const view = new DataView(extra.buffer);
  view.setUint16(0, WIDE_EXTRA, true);
  view.setUint16(2, sizes.length * 8, true);
  for (const [k, size] of sizes.entries()) view.setBigUint64(4 + k * 8, BigInt(size), true);
  return extra;
}
