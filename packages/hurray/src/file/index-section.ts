import { ByteReader } from "../bytes/reader.js";
import { ByteWriter } from "../bytes/writer.js";
import { compareKeys, type Keyed, type KeyRules, keyAt, keyEnd, readKeys, refuseEntry, startsOf } from "./keys.js";

/** Where one tensor lies in a file. @since 0.1.0 */
export interface IndexEntry {
  readonly name: string;
  readonly descriptorOffset: bigint;
  readonly descriptorLength: number;
  /** Where its first buffer starts. Means nothing for a composite head, which has no buffer. */
  readonly dataOffset: bigint;
  /** From the first byte of the first buffer to the last byte of the last one. */
  readonly dataLength: bigint;
}

/** Bytes of an entry whose name is empty. */
const LEAST_ENTRY = 34;

/** What the entries are judged against. */
export interface IndexContext {
  readonly operation: string;
  /** Where the index starts in the file. */
  readonly base: number;
  /** Where the body of the file ends. */
  readonly bodyEnd: number;
  readonly sorted: boolean;
}

/**
 * Reads the index. Every region named lies in the body of the file afterwards; bytes after the
 * counted entries are ignored (A20). Memory is linear in the bytes, and less than they are.
 */
export function readIndex(bytes: Uint8Array, context: IndexContext): Keyed {
  const r = new ByteReader(bytes, context.operation, "R138", context.base);
  const count = r.size("index count");
  r.need(count * LEAST_ENTRY, "index count");
  const rules: KeyRules = {
    field: "name",
    empty: "R139",
    text: "R140",
    same: "R141",
    order: context.sorted ? "R143" : undefined,
  };
  return readKeys(r, count, rules, (start) => passEntry(r, start, context.bodyEnd));
}

/** Reads an entry of the index, which begins at `start`. */
export function entryAt(bytes: Uint8Array, start: number): IndexEntry {
  const view = new DataView(bytes.buffer, bytes.byteOffset + keyEnd(bytes, start));
  return {
    name: keyAt(bytes, start),
    descriptorOffset: view.getBigUint64(0, true),
    descriptorLength: view.getUint32(8, true),
    dataOffset: view.getBigUint64(12, true),
    dataLength: view.getBigUint64(20, true),
  };
}

/** Gives all entries of an index that was read, in its order. */
export function indexEntries(index: Keyed): IndexEntry[] {
  return Array.from(startsOf(index), (start) => entryAt(index.bytes, start));
}

/** An index as it grows: the bytes of the section, and where in them each entry starts. */
export interface IndexDraft {
  readonly writer: ByteWriter;
  readonly starts: number[];
}

/** Begins an index: its count comes first, and is known last. */
export function beginIndex(operation: string): IndexDraft {
  const writer = new ByteWriter(operation);
  writer.zeros(8);
  return { writer, starts: [] };
}

/** Appends an entry; the name is given in the bytes of the file. */
export function appendEntry(
  { writer: w, starts }: IndexDraft,
  name: Uint8Array,
  entry: Omit<IndexEntry, "name">,
): void {
  starts.push(w.position);
  w.u16(name.byteLength, "name_length");
  w.append(name);
  w.u64(entry.descriptorOffset, "descriptor_offset");
  w.u32(entry.descriptorLength, "descriptor_length");
  w.u64(entry.dataOffset, "data_offset");
  w.u64(entry.dataLength, "data_length");
  w.u32(0, "entry flags");
}

/** Gives the bytes of the section, entries in the order in which they came or in that of the bytes of their names. */
export function indexBytes({ writer, starts }: IndexDraft, sorted: boolean): Uint8Array {
  writer.view.setBigUint64(0, BigInt(starts.length), true);
  const bytes = writer.done();
  if (!sorted) return bytes;
  const ordered = new ByteWriter(writer.operation, bytes.byteLength);
  ordered.append(bytes.subarray(0, 8));
  for (const start of starts.sort((a, b) => compareKeys(bytes, a, b))) {
    ordered.append(bytes.subarray(start, keyEnd(bytes, start) + LEAST_ENTRY - 2));
  }
  return ordered.done();
}

/** Moves over what follows a name, and checks it: offsets as numbers, which are exact wherever a file has bytes. */
function passEntry(r: ByteReader, start: number, end: number): void {
  const descriptorOffset = r.size("descriptor_offset");
  if (descriptorOffset % 8 !== 0 || descriptorOffset < 64 || descriptorOffset > end) {
    refuseEntry(r, start, "R144", r.exactSize(), `a multiple of 8 from 64 to ${end}`);
  }
  const descriptorEnd = descriptorOffset + r.u32("descriptor_length");
  if (descriptorEnd > end) refuseEntry(r, start, "R144", descriptorEnd, `at most ${end}`);
  const dataOffset = r.size("data_offset");
  const dataLength = r.size("data_length");
  // Without data the offset may be that of a composite head, which is ignored (A19);
  // that of an empty tensor is judged once its descriptor is read.
  if (dataLength > 0 && (dataOffset < 64 || dataOffset + dataLength > end)) {
    const from = r.exactSize(-8);
    refuseEntry(r, start, "R144", `${from} to ${from + r.exactSize()}`, `64 to ${end}`);
  }
  const flags = r.u32("entry flags");
  if (flags !== 0) refuseEntry(r, start, "R142", flags, "0");
}
