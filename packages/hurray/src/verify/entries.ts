import { decodeText } from "../bytes/text.js";
import { entryAt, type IndexContext, type IndexEntry, indexEntries, readIndex } from "../file/index-section.js";
import type { Keyed } from "../file/keys.js";
import { FIXED_SIZES, readKv } from "../file/kv.js";
import type { Findings } from "./finding.js";

/** Bytes of an index entry beside its name, and of its fields after the name. */
const ENTRY = 34;

const STRING = 1;
const BYTES = 6;
const ARRAY = 7;

/**
 * Checks the index, entry by entry where it breaks a rule, and gives the entries that can be followed: those whose
 * descriptors begin in the file, whatever else is wrong with them. Each entry is put before the reader of the index on its
 * own, and again together with one that must differ from it, so that no rule is written down twice.
 */
export function surveyIndex(bytes: Uint8Array, context: IndexContext, findings: Findings): IndexEntry[] {
  const whole = findings.attempt(() => readIndex(bytes, context));
  if (whole !== undefined) return indexEntries(whole);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength < 8) return [];
  const count = view.getBigUint64(0, true);
  /** Reads some entries as an index of their own, the last one of which lies at `start`. */
  const judge = (start: number, sorted: boolean, ...entries: Uint8Array[]): Keyed | undefined => {
    const { section, before } = listOf(8, entries, (list) => list.setBigUint64(0, BigInt(entries.length), true));
    return findings.attempt(() => readIndex(section, { ...context, sorted, base: context.base + start - before }));
  };
  const found: IndexEntry[] = [];
  const names = new Map<string, Uint8Array>();
  let previous: Uint8Array | undefined;
  let at = 8;
  for (let k = 0n; k < count && at + 2 <= bytes.byteLength; k++) {
    const nameLength = view.getUint16(at, true);
    const end = at + ENTRY + nameLength;
    if (end > bytes.byteLength) break;
    const entry = bytes.subarray(at, end);
    const name = decodeText(entry.subarray(2, 2 + nameLength)) || `entry ${k}`;
    const read = judge(at, false, entry);
    const same = names.get(name);
    if (read !== undefined && same !== undefined) judge(at, false, same, entry);
    else if (read !== undefined && context.sorted && previous !== undefined) judge(at, true, previous, entry);
    if (read !== undefined) {
      names.set(name, entry);
      previous = entry;
    }
    const place = { ...entryAt(bytes, at), name };
    if (place.descriptorOffset >= 64n && place.descriptorOffset < BigInt(context.bodyEnd)) found.push(place);
    at = end;
  }
  return found;
}

/** Checks the metadata, entry by entry where it breaks a rule. `base` is where it starts in the file. */
export function surveyMetadata(bytes: Uint8Array, base: number, findings: Findings): void {
  const { operation } = findings;
  if (findings.attempt(() => readKv(bytes, operation, base)) !== undefined || bytes.byteLength < 4) return;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const count = view.getUint32(0, true);
  const judge = (start: number, ...entries: Uint8Array[]): boolean => {
    const { section, before } = listOf(4, entries, (list) => list.setUint32(0, entries.length, true));
    return findings.attempt(() => readKv(section, operation, base + start - before)) !== undefined;
  };
  const keys = new Map<string, Uint8Array>();
  let at = 4;
  for (let k = 0; k < count; k++) {
    const end = entryEnd(view, at);
    if (end === undefined) return;
    const entry = bytes.subarray(at, end);
    const key = decodeText(entry.subarray(2, 2 + view.getUint16(at, true)));
    if (judge(at, entry) && key !== undefined) {
      const same = keys.get(key);
      if (same !== undefined) judge(at, same, entry);
      keys.set(key, entry);
    }
    at = end;
  }
}

/** A section of some entries, and how many bytes of it lie before the last one. */
function listOf(
  countBytes: number,
  entries: readonly Uint8Array[],
  writeCount: (view: DataView) => void,
): { readonly section: Uint8Array; readonly before: number } {
  const length = entries.reduce((sum, { byteLength }) => sum + byteLength, countBytes);
  const section = new Uint8Array(length);
  writeCount(new DataView(section.buffer));
  let at = countBytes;
  let before = at;
  for (const entry of entries) {
    section.set(entry, at);
    before = at;
    at += entry.byteLength;
  }
  return { section, before };
}

/** Where a metadata entry ends; `undefined` where its bytes do not tell, or end before it does. */
function entryEnd(view: DataView, start: number): number | undefined {
  const { byteLength } = view;
  const room = (at: number, length: number): boolean => at + length <= byteLength;
  /** Where a value without its tag ends. */
  const valueEnd = (tag: number, at: number): number | undefined => {
    if (tag === STRING || tag === BYTES) return room(at, 4) ? at + 4 + view.getUint32(at, true) : undefined;
    const length = FIXED_SIZES[tag];
    return length === undefined ? undefined : at + length;
  };
  if (!room(start, 2)) return undefined;
  const tagAt = start + 2 + view.getUint16(start, true);
  if (!room(tagAt, 1)) return undefined;
  const tag = view.getUint8(tagAt);
  let end: number | undefined;
  if (tag !== ARRAY) end = valueEnd(tag, tagAt + 1);
  else if (room(tagAt, 6)) {
    const elementTag = view.getUint8(tagAt + 1);
    end = tagAt + 6;
    for (let k = view.getUint32(tagAt + 2, true); k > 0 && end !== undefined && end <= byteLength; k--) {
      end = valueEnd(elementTag, end);
    }
  }
  return end !== undefined && end <= byteLength ? end : undefined;
}
