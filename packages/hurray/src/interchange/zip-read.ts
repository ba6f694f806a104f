import { quote } from "../bytes/quote.js";
import { decodeText } from "../bytes/text.js";
import type { HurrayForeignError } from "../errors.js";
import { type HurraySource, readBytes } from "../source/source.js";
import { crc32 } from "./crc32.js";
import { invalid, type Task, unsupported } from "./errors.js";
import type { Pieces } from "./pieces.js";
import { rangePieces } from "./ranges.js";
import { through } from "./through.js";
import {
  DIRECTORY_END,
  DIRECTORY_HEADER,
  DIRECTORY_SIGNATURE,
  END_SIGNATURE,
  FLAG_ENCRYPTED,
  FLAG_MASKED,
  FLAG_STRONG,
  FLAG_UTF8,
  LOCAL_HEADER,
  LOCAL_SIGNATURE,
  METHOD_DEFLATE,
  METHOD_STORED,
  readRecord,
  recordLength,
  SATURATED_4,
  WIDE_END,
  WIDE_END_SIGNATURE,
  WIDE_EXTRA,
  WIDE_LOCATOR,
  WIDE_LOCATOR_SIGNATURE,
} from "./zip-records.js";

/** What the directory of an archive says of an entry. */
export interface ZipEntry {
  readonly name: string;
  /** Where the directory has it. */
  readonly at: number;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly headerOffset: number;
  /** Where the next entry starts, or the directory: its bytes end before. */
  readonly limit: number;
}

interface Directory {
  readonly start: number;
  readonly end: number;
  readonly count: number;
}

const END_LENGTH = /* @__PURE__ */ recordLength(DIRECTORY_END);
const HEADER_LENGTH = /* @__PURE__ */ recordLength(DIRECTORY_HEADER);
const LOCAL_LENGTH = /* @__PURE__ */ recordLength(LOCAL_HEADER);
const LOCATOR_LENGTH = /* @__PURE__ */ recordLength(WIDE_LOCATOR);
const WIDE_LENGTH = /* @__PURE__ */ recordLength(WIDE_END);

/**
 * Reads the directory of an archive, which is at its end. Entries that overlap, as those of archives that are made to
 * explode do, and names that are there twice are refused.
 */
export async function readDirectory(task: Task, source: HurraySource, maximumBytes: number): Promise<ZipEntry[]> {
  const { start, end, count } = await findDirectory(task, source);
  if (end - start > maximumBytes) {
    const problem = "the directory is longer than is accepted";
    throw invalid(task, "directory_length", start, problem, `${end - start} bytes`, `at most ${maximumBytes}`);
  }
  if (count * HEADER_LENGTH > end - start) {
    const problem = "the directory has no room for its entries";
    throw invalid(task, "entries", start, problem, count, `at most ${Math.floor((end - start) / HEADER_LENGTH)}`);
  }
  const bytes = await readBytes(source, task.operation, start, end);
  const entries: Omit<ZipEntry, "limit">[] = [];
  let at = 0;
  while (entries.length < count) {
    const { entry, length } = readEntry(task, bytes, at, start);
    entries.push(entry);
    at += length;
  }
  if (at !== bytes.byteLength) {
    const problem = "the directory has another length than its entries";
    throw invalid(task, "directory_length", start + at, problem, `${bytes.byteLength} bytes`, `${at}`);
  }
  checkNames(task, entries);
  return withLimits(task, entries, start);
}

/** Finds the record at the end of the archive, behind which a comment may be. */
async function findDirectory(task: Task, source: HurraySource): Promise<Directory> {
  const { byteLength } = source;
  const tailStart = Math.max(0, byteLength - END_LENGTH - 0xffff);
  const tail = await readBytes(source, task.operation, tailStart, byteLength);
  for (let at = tail.byteLength - END_LENGTH; at >= 0; at--) {
    if (tail[at] !== 0x50 || tail[at + 1] !== 0x4b) continue;
    const record = readRecord(DIRECTORY_END, tail, at);
    if (record.signature !== END_SIGNATURE || at + END_LENGTH + record.commentLength !== tail.byteLength) continue;
    return checkDirectory(task, tailStart + at, (await wideDirectory(task, source, tailStart + at)) ?? record);
  }
  const problem = "this is no zip archive: the record at its end is missing";
  throw invalid(task, "directory_end", byteLength, problem, `${byteLength} bytes`, "an archive");
}

type DirectoryEnd = ReturnType<typeof readRecord<typeof WIDE_END>>;

/** Reads the wide record, where its locator stands before the other. */
async function wideDirectory(task: Task, source: HurraySource, endAt: number): Promise<DirectoryEnd | undefined> {
  const locatorAt = endAt - LOCATOR_LENGTH;
  if (locatorAt < 0) return undefined;
  const locator = readRecord(WIDE_LOCATOR, await readBytes(source, task.operation, locatorAt, endAt), 0);
  if (locator.signature !== WIDE_LOCATOR_SIGNATURE) return undefined;
  const { endOffset } = locator;
  if (endOffset + WIDE_LENGTH > locatorAt) {
    const problem = "the wide record at the end is not before its locator";
    throw invalid(task, "zip64_end", locatorAt + 8, problem, endOffset, `at most ${locatorAt - WIDE_LENGTH}`);
  }
  const record = readRecord(WIDE_END, await readBytes(source, task.operation, endOffset, endOffset + WIDE_LENGTH), 0);
  if (record.signature === WIDE_END_SIGNATURE) return record;
  throw wrongSignature(task, "zip64_end", endOffset, record.signature, WIDE_END_SIGNATURE);
}

function checkDirectory(
  task: Task,
  endAt: number,
  record: Pick<
    DirectoryEnd,
    "disk" | "directoryDisk" | "diskEntries" | "entries" | "directoryLength" | "directoryOffset"
  >,
): Directory {
  const { directoryOffset, directoryLength, entries } = record;
  if (record.disk !== 0 || record.directoryDisk !== 0 || record.diskEntries !== entries) {
    const advice = "Put the parts together first.";
    throw unsupported(task, "disk", endAt, "the archive has several parts", "one part", "all in one", advice);
  }
  if (directoryOffset + directoryLength > endAt) {
    const problem = "the directory does not lie before the record at the end";
    const given = `bytes ${directoryOffset} to ${directoryOffset + directoryLength}`;
    throw invalid(task, "directory_offset", endAt, problem, given, `at most ${endAt}`);
  }
  return { start: directoryOffset, end: directoryOffset + directoryLength, count: entries };
}

/** Reads one entry of the directory, and how long it is there. */
function readEntry(
  task: Task,
  bytes: Uint8Array,
  at: number,
  base: number,
): { readonly entry: Omit<ZipEntry, "limit">; readonly length: number } {
  const room = bytes.byteLength - at;
  const record = room < HEADER_LENGTH ? undefined : readRecord(DIRECTORY_HEADER, bytes, at);
  if (record !== undefined && record.signature !== DIRECTORY_SIGNATURE) {
    throw wrongSignature(task, "entry", base + at, record.signature, DIRECTORY_SIGNATURE);
  }
  const length =
    record === undefined
      ? HEADER_LENGTH
      : HEADER_LENGTH + record.nameLength + record.extraLength + record.commentLength;
  if (record === undefined || length > room) {
    const problem = "the directory ends within an entry";
    throw invalid(task, "entry", base + at, problem, `${room} bytes`, `at least ${length}`);
  }
  const nameEnd = at + HEADER_LENGTH + record.nameLength;
  const name = nameOf(task, bytes.subarray(at + HEADER_LENGTH, nameEnd), record.flags, base + at + HEADER_LENGTH);
  const named = { ...task, tensorName: name };
  const wide = wideSizes(named, bytes.subarray(nameEnd, nameEnd + record.extraLength), record, base + nameEnd);
  const { flags, method, crc } = record;
  return { entry: { name, at: base + at, flags, method, crc, ...wide }, length };
}

type Sizes = Pick<ZipEntry, "size" | "compressedSize" | "headerOffset">;

/** The sizes of an entry, those that are saturated from its wide extra field, which has them and no others, in this order. */
function wideSizes(task: Task, extra: Uint8Array, record: Sizes, base: number): Sizes {
  const { size, compressedSize, headerOffset } = record;
  const sizes = { size, compressedSize, headerOffset };
  const missing = (["size", "compressedSize", "headerOffset"] as const).filter((field) => sizes[field] === SATURATED_4);
  if (missing.length === 0) return sizes;
  const view = new DataView(extra.buffer, extra.byteOffset, extra.byteLength);
  for (let at = 0; at + 4 <= extra.byteLength; ) {
    const length = view.getUint16(at + 2, true);
    const end = at + 4 + length;
    if (view.getUint16(at, true) === WIDE_EXTRA && end <= extra.byteLength && length >= missing.length * 8) {
      for (const [k, field] of missing.entries()) sizes[field] = Number(view.getBigUint64(at + 4 + k * 8, true));
      return sizes;
    }
    at = end;
  }
  throw invalid(task, "extra", base, "the wide sizes are missing", `${extra.byteLength} bytes`, missing.join(", "));
}

function nameOf(task: Task, bytes: Uint8Array, flags: number, at: number): string {
  const name = decodeText(bytes);
  if ((flags & FLAG_UTF8) === 0 && bytes.some((byte) => byte > 0x7f)) {
    const advice = "Make the archive anew with names in UTF-8.";
    throw unsupported(
      task,
      "name",
      at,
      "nothing says how the name is encoded",
      quote(name ?? "bytes"),
      "UTF-8",
      advice,
    );
  }
  if (name === undefined) throw invalid(task, "name", at, "the name is no text", "bytes", "UTF-8");
  return name;
}

function checkNames(task: Task, entries: readonly Omit<ZipEntry, "limit">[]): void {
  const names = new Set<string>();
  for (const { name, at } of entries) {
    if (names.has(name)) {
      throw invalid({ ...task, tensorName: name }, "name", at, "two entries have the same name", quote(name), "one");
    }
    names.add(name);
  }
}

/** Adds where the bytes of each entry have to end, and refuses entries that reach into the next one. */
function withLimits(task: Task, entries: readonly Omit<ZipEntry, "limit">[], directoryStart: number): ZipEntry[] {
  const limits = new Map<number, number>();
  const ordered = [...entries].sort((a, b) => a.headerOffset - b.headerOffset);
  ordered.forEach((entry, k) => {
    const limit = ordered[k + 1]?.headerOffset ?? directoryStart;
    const end = entry.headerOffset + LOCAL_LENGTH + entry.compressedSize;
    if (end > limit) {
      const problem = "the entry reaches into the next one, or into the directory";
      const named = { ...task, tensorName: entry.name };
      throw invalid(named, "compressed_size", entry.at, problem, `its end at ${end}`, `at most ${limit}`);
    }
    limits.set(entry.at, limit);
  });
  return entries.map((entry) => ({ ...entry, limit: limits.get(entry.at)! }));
}

/**
 * Gives the bytes of an entry, expanded. Never more of them come than were declared, and where the checksum is wrong the end
 * is an error: whoever takes all of them knows that they are right.
 *
 * @throws HurrayForeignError before a byte is read for what is encrypted, of another method, or declares more than `maximumRatio`
 * times its bytes.
 */
export function entryPieces(
  task: Task,
  source: HurraySource,
  entry: ZipEntry,
  maximumRatio: number,
  signal: AbortSignal | undefined,
): AsyncIterable<Uint8Array> {
  const { flags, method, size, compressedSize, at } = entry;
  if ((flags & (FLAG_ENCRYPTED | FLAG_STRONG | FLAG_MASKED)) !== 0) {
    const advice = "Decrypt the archive first.";
    throw unsupported(task, "flags", at + 8, "the entry is encrypted", `flags ${flags}`, "none", advice);
  }
  if (method !== METHOD_STORED && method !== METHOD_DEFLATE) {
    const advice = "Save it with numpy.savez or numpy.savez_compressed.";
    throw unsupported(task, "method", at + 10, "the method is not known", method, "0, stored, or 8, deflate", advice);
  }
  if (method === METHOD_STORED && size !== compressedSize) {
    throw invalid(task, "size", at + 24, "a stored entry has two sizes", size, `${compressedSize}`);
  }
  if (method === METHOD_DEFLATE && size > compressedSize * maximumRatio) {
    const expected = `at most ${maximumRatio} times its ${compressedSize} bytes`;
    const advice = maximumRatio < DEFLATE_RATIO ? "Set maximumRatio for more." : "No compression gives so much.";
    throw invalid(task, "size", at + 24, "the entry expands too much", size, expected, { advice });
  }
  return checkedPieces(task, source, entry, signal);
}

/** What deflate reaches at most. */
export const DEFLATE_RATIO = 1032;

async function* checkedPieces(
  task: Task,
  source: HurraySource,
  entry: ZipEntry,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  const start = await findData(task, source, entry);
  const stored = rangePieces(source, task.operation, start, start + entry.compressedSize, signal);
  const pieces: Pieces =
    entry.method === METHOD_STORED
      ? stored
      : through(new DecompressionStream("deflate-raw"), stored, (cause) =>
          invalid(task, "data", start, "the compressed bytes are damaged", "bytes of no meaning", "deflate", { cause }),
        );
  let size = 0;
  let crc = 0;
  for await (const piece of pieces) {
    size += piece.byteLength;
    if (size > entry.size) throw anotherSize(task, entry, `more than ${entry.size}`);
    crc = crc32(piece, crc);
    yield piece;
  }
  if (size !== entry.size) throw anotherSize(task, entry, size);
  if (crc === entry.crc) return;
  throw invalid(task, "crc", entry.at + 16, "the entry is damaged: its checksum differs", hex(crc), hex(entry.crc));
}

/** Finds where the bytes of an entry start: after its own header, which has to be that of the directory. */
async function findData(task: Task, source: HurraySource, entry: ZipEntry): Promise<number> {
  const { headerOffset, limit, method, name, compressedSize } = entry;
  const header = await readBytes(source, task.operation, headerOffset, headerOffset + LOCAL_LENGTH);
  const record = readRecord(LOCAL_HEADER, header, 0);
  if (record.signature !== LOCAL_SIGNATURE) {
    throw wrongSignature(task, "header", headerOffset, record.signature, LOCAL_SIGNATURE);
  }
  if (record.method !== method) {
    const problem = "the header and the directory differ about the method";
    throw invalid(task, "method", headerOffset + 8, problem, record.method, `${method}`);
  }
  const nameAt = headerOffset + LOCAL_LENGTH;
  const start = nameAt + record.nameLength + record.extraLength;
  if (start + compressedSize > limit) {
    const problem = "the entry reaches into the next one, or into the directory";
    throw invalid(
      task,
      "compressed_size",
      headerOffset,
      problem,
      `its end at ${start + compressedSize}`,
      `at most ${limit}`,
    );
  }
  const local = decodeText(await readBytes(source, task.operation, nameAt, nameAt + record.nameLength));
  if (local === name) return start;
  const problem = "the header and the directory differ about the name";
  throw invalid(task, "name", nameAt, problem, local === undefined ? "bytes" : quote(local), quote(name));
}

function anotherSize(task: Task, { at, size }: ZipEntry, given: number | string): HurrayForeignError {
  return invalid(task, "size", at + 24, "the entry has another size than it declares", given, `${size}`);
}

function wrongSignature(task: Task, field: string, at: number, given: number, expected: number): HurrayForeignError {
  const hex = (value: number): string => `0x${value.toString(16).padStart(8, "0")}`;
  return invalid(task, field, at, "the signature of a record is missing", hex(given), hex(expected));
}

function hex(value: number): string {
  return `0x${value.toString(16).padStart(8, "0")}`;
}
