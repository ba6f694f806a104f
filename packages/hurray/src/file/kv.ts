import { quote } from "../bytes/quote.js";
import { ByteReader } from "../bytes/reader.js";
import { decodeText, encodeText, isText } from "../bytes/text.js";
import { ByteWriter } from "../bytes/writer.js";
import { HurrayValueError } from "../errors.js";
import { type Keyed, type KeyRules, keyAt, keyEnd, readKeys, refuseEntry, startsOf } from "./keys.js";

/** The types of a metadata value that is no array. @since 0.1.0 */
export type KvScalarType = "string" | "int64" | "uint64" | "float64" | "bool" | "bytes";

/** What a metadata value that is no array reads as. @since 0.1.0 */
export type KvScalar = string | bigint | number | boolean | Uint8Array;

/** A metadata value with its exact type in the file. @since 0.1.0 */
export type KvValue =
  | { readonly type: "string"; readonly value: string }
  | { readonly type: "int64" | "uint64"; readonly value: bigint }
  | { readonly type: "float64"; readonly value: number }
  | { readonly type: "bool"; readonly value: boolean }
  | { readonly type: "bytes"; readonly value: Uint8Array }
  | { readonly type: "array"; readonly elementType: KvScalarType; readonly value: readonly KvScalar[] };

/** One entry of the metadata section. @since 0.1.0 */
export type KvEntry = KvValue & { readonly key: string };

/** The place is the tag. */
const TYPES: readonly (KvScalarType | undefined)[] = [
  undefined,
  "string",
  "int64",
  "uint64",
  "float64",
  "bool",
  "bytes",
];
const ARRAY_TAG = 7;

/** Bytes of a value of each tag; text and bytes say how many they have. */
export const FIXED_SIZES: readonly (number | undefined)[] = [undefined, undefined, 8, 8, 8, 1];

/** Memory that an entry of a section takes beside twice its bytes once it is made, as V8 has objects: an estimate from above. */
export const ENTRY_MEMORY = 400;

/** The same of a value of each tag. */
const VALUE_MEMORY: readonly number[] = [0, 64, 16, 16, 16, 6, 264];

/** A metadata section that was read, and what its entries take in memory once they are made. */
export interface KvSection extends Keyed {
  readonly memory: number;
}

/** Bytes without which an entry does not begin: those of the length of its key. */
const LEAST_ENTRY = 2;

/**
 * Reads the metadata section. Bytes after the counted entries are ignored (A20). `base` is where
 * the section starts in the file. Memory is linear in the bytes: values are made when they are asked for.
 */
export function readKv(bytes: Uint8Array, operation: string, base = 0): KvSection {
  const r = new ByteReader(bytes, operation, "R148", base);
  const count = r.u32("metadata count");
  r.need(count * LEAST_ENTRY, "metadata count");
  let memory = 0;
  const keyed = readKeys(r, count, RULES, (start) => {
    memory += ENTRY_MEMORY + 2 * (r.position - start) + passValue(r, start);
  });
  return { ...keyed, memory };
}

const RULES: KeyRules = { field: "key", empty: "R149", text: "R149", same: "R150" };

/** Gives the entries of a section that was read, in its order. */
export function kvEntries(keyed: Keyed): KvEntry[] {
  const { bytes } = keyed;
  const r = new ByteReader(bytes, "", "R148");
  return Array.from(startsOf(keyed), (start) => {
    r.position = keyEnd(bytes, start);
    return { key: keyAt(bytes, start), ...valueAt(r) };
  });
}

/**
 * Writes the metadata section.
 *
 * @throws HurrayValueError `SW_HURRAY_VALUE` for an empty or repeated key, and for a number out of range.
 */
export function writeKv(entries: readonly KvEntry[], operation: string): Uint8Array {
  const w = new ByteWriter(operation, 256);
  w.u32(entries.length, "metadata count");
  const seen = new Set<string>();
  for (const entry of entries) {
    const key = encodeText(entry.key, operation, "metadata key");
    if (key.byteLength === 0 || key.byteLength > 0xffff) {
      throw new HurrayValueError(
        operation,
        "key",
        "a metadata key has no allowed length",
        `${key.byteLength} bytes`,
        "1 to 65535",
      );
    }
    if (seen.has(entry.key)) {
      throw new HurrayValueError(operation, "key", "a metadata key is repeated", quote(entry.key), "different keys");
    }
    seen.add(entry.key);
    w.u16(key.byteLength, "key_length");
    w.append(key);
    const field = `metadata value of ${quote(entry.key)}`;
    if (entry.type === "array") {
      w.u8(ARRAY_TAG, "value_tag");
      w.u8(tagOf(w, entry.elementType, field), "element_tag");
      w.u32(entry.value.length, "array count");
      for (const element of entry.value) writeScalar(w, entry.elementType, element, field);
    } else {
      w.u8(tagOf(w, entry.type, field), "value_tag");
      writeScalar(w, entry.type, entry.value, field);
    }
  }
  return w.done();
}

/** Moves over a value, and checks it; gives what it takes in memory. */
function passValue(r: ByteReader, start: number): number {
  let memory = 0;
  let tag = r.u8("value_tag");
  const isArray = tag === ARRAY_TAG;
  if (isArray) tag = r.u8("element_tag");
  const type = TYPES[tag];
  if (type === undefined) refuseEntry(r, start, isArray ? "R153" : "R151", tag, `a type from 1 to ${isArray ? 6 : 7}`);
  for (let left = isArray ? r.u32("array count") : 1; left > 0; left--) {
    r.advance(FIXED_SIZES[tag] ?? r.u32("length"), type);
    memory += VALUE_MEMORY[tag]! + 2 * (r.position - r.start);
    if (type === "string" && !isText(r.bytes, r.start, r.position))
      refuseEntry(r, start, "R154", "other bytes", "UTF-8");
    if (type === "bool" && r.bytes[r.start]! > 1) refuseEntry(r, start, "R152", r.bytes[r.start], "0 or 1");
  }
  return memory;
}

/** Reads a value that was checked. */
function valueAt(r: ByteReader): KvValue {
  const tag = r.u8("");
  if (tag !== ARRAY_TAG) return { type: TYPES[tag], value: scalarAt(r, tag) } as KvValue;
  const elementTag = r.u8("");
  const count = r.u32("");
  const value = Array.from({ length: count }, () => scalarAt(r, elementTag));
  return { type: "array", elementType: TYPES[elementTag]!, value };
}

function scalarAt(r: ByteReader, tag: number): KvScalar {
  switch (tag) {
    case 2:
      return r.i64("");
    case 3:
      return r.u64("");
    case 4:
      return r.f64("");
    case 5:
      return r.u8("") === 1;
    default: {
      const bytes = r.window(r.u32(""), "");
      return tag === 1 ? decodeText(bytes)! : bytes.slice();
    }
  }
}

function writeScalar(w: ByteWriter, type: KvScalarType, value: KvScalar, field: string): void {
  switch (type) {
    case "string": {
      const text = encodeText(value as string, w.operation, field);
      w.u32(text.byteLength, "string length");
      w.append(text);
      return;
    }
    case "int64":
      w.i64(value as bigint, field);
      return;
    case "uint64":
      w.u64(value as bigint, field);
      return;
    case "float64":
      if (typeof value !== "number") throw wrongType(w, field, value, "a number");
      w.f64(value);
      return;
    case "bool":
      if (typeof value !== "boolean") throw wrongType(w, field, value, "a boolean");
      w.u8(value ? 1 : 0, field);
      return;
    case "bytes":
      if (!(value instanceof Uint8Array)) throw wrongType(w, field, value, "a Uint8Array");
      w.u32(value.byteLength, "bytes length");
      w.append(value);
  }
}

function wrongType(w: ByteWriter, field: string, value: unknown, expected: string): TypeError {
  return new TypeError(`${w.operation}: the ${field} has another type: got ${typeof value}, expected ${expected}.`);
}

function tagOf(w: ByteWriter, type: KvScalarType, field: string): number {
  const tag = TYPES.indexOf(type);
  if (tag < 1)
    throw new TypeError(
      `${w.operation}: the ${field} has no such type: got ${String(type)}, expected one of ${TYPES.slice(1).join(", ")}, array.`,
    );
  return tag;
}
