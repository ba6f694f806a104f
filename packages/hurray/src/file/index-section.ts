import { quote } from "../bytes/quote.js";
import { ByteReader } from "../bytes/reader.js";
import { compareBytes, decodeText } from "../bytes/text.js";
import { ByteWriter } from "../bytes/writer.js";

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
 * counted entries are ignored (A20). Steps and memory are linear in the bytes.
 */
export function readIndex(bytes: Uint8Array, context: IndexContext): Map<string, IndexEntry> {
  const r = new ByteReader(bytes, context.operation, "R138", context.base);
  const count = r.u64("index count");
  if (count * BigInt(LEAST_ENTRY) > BigInt(r.remaining)) {
    r.refuse("R138", count, `at most ${Math.floor(r.remaining / LEAST_ENTRY)}`);
  }
  const entries = new Map<string, IndexEntry>();
  let before: Uint8Array | undefined;
  for (let k = 0n; k < count; k++) {
    const nameLength = r.u16("name_length");
    if (nameLength === 0) r.refuse("R139", 0, "at least 1 byte");
    const nameBytes = r.window(nameLength, "name");
    const name = decodeText(nameBytes);
    if (name === undefined) return r.refuse("R140", "other bytes", "UTF-8");
    if (entries.has(name)) r.refuse("R141", quote(name), "a name that no other tensor has");
    if (context.sorted && before !== undefined && compareBytes(before, nameBytes) >= 0) {
      r.refuse("R143", quote(name), "names in ascending byte order, as the flags say");
    }
    before = nameBytes;
    entries.set(name, readEntry(r, name, context));
  }
  return entries;
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
  const entries = starts.map((start, k) => bytes.subarray(start, starts[k + 1] ?? bytes.byteLength));
  const nameOf = (entry: Uint8Array): Uint8Array => entry.subarray(2, entry.byteLength - (LEAST_ENTRY - 2));
  entries.sort((a, b) => compareBytes(nameOf(a), nameOf(b)));
  const ordered = new ByteWriter(writer.operation, bytes.byteLength);
  ordered.append(bytes.subarray(0, 8));
  for (const entry of entries) ordered.append(entry);
  return ordered.done();
}

function readEntry(r: ByteReader, name: string, context: IndexContext): IndexEntry {
  const problem = `the entry of ${quote(name)} is not allowed`;
  const end = BigInt(context.bodyEnd);
  const descriptorOffset = r.u64("descriptor_offset");
  if (descriptorOffset % 8n !== 0n || descriptorOffset < 64n) {
    r.refuse("R144", descriptorOffset, "a multiple of 8 from 64 on", problem);
  }
  const descriptorLength = r.u32("descriptor_length");
  const descriptorEnd = descriptorOffset + BigInt(descriptorLength);
  if (descriptorEnd > end) r.refuse("R144", descriptorEnd, `at most ${end}`, problem);
  const dataOffset = r.u64("data_offset");
  const dataLength = r.u64("data_length");
  // Without data the offset may be that of a composite head, which is ignored (A19);
  // that of an empty tensor is judged once its descriptor is read.
  if (dataLength > 0n && (dataOffset < 64n || dataOffset + dataLength > end)) {
    r.refuse("R144", `${dataOffset} to ${dataOffset + dataLength}`, `64 to ${end}`, problem);
  }
  const flags = r.u32("entry flags");
  if (flags !== 0) r.refuse("R142", flags, "0", problem);
  return { name, descriptorOffset, descriptorLength, dataOffset, dataLength };
}
