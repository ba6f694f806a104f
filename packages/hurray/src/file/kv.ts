import { quote } from "../bytes/quote.js";
import { ByteReader } from "../bytes/reader.js";
import { decodeText, encodeText } from "../bytes/text.js";
import { ByteWriter } from "../bytes/writer.js";
import { HurrayValueError } from "../errors.js";

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

/** Fewest bytes of a value of each tag. */
const LEAST = [0, 4, 8, 8, 8, 1, 4] as const;

/**
 * Reads the metadata section. Bytes after the counted entries are ignored (A20). `base` is where
 * the section starts in the file.
 */
export function readKv(bytes: Uint8Array, operation: string, base = 0): KvEntry[] {
  const r = new ByteReader(bytes, operation, "R148", base);
  const count = r.u32("metadata count");
  const entries: KvEntry[] = [];
  const seen = new Set<string>();
  for (let k = 0; k < count; k++) {
    const keyLength = r.u16("key_length");
    if (keyLength === 0) r.refuse("R149", 0, "at least 1 byte");
    const key = decodeText(r.window(keyLength, "key"));
    if (key === undefined) return r.refuse("R149", "other bytes", "UTF-8");
    if (seen.has(key)) r.refuse("R150", quote(key), "a key that no other entry has");
    seen.add(key);
    entries.push({ key, ...readValue(r, key) });
  }
  return entries;
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

function problemOf(key: string): string {
  return `metadata ${quote(key)} is not allowed`;
}

function readValue(r: ByteReader, key: string): KvValue {
  const tag = r.u8("value_tag");
  if (tag === ARRAY_TAG) return readArray(r, key);
  const type = TYPES[tag];
  if (type === undefined) {
    return r.refuse("R151", tag, "a type from 1 to 7", problemOf(key));
  }
  return { type, value: readScalar(r, tag, key) } as KvValue;
}

function readArray(r: ByteReader, key: string): KvValue {
  const tag = r.u8("element_tag");
  const elementType = TYPES[tag];
  if (elementType === undefined) {
    return r.refuse("R153", tag, "an element type from 1 to 6", problemOf(key));
  }
  const count = r.u32("array count");
  r.need(count * LEAST[tag]!, "array");
  const value: KvScalar[] = [];
  for (let k = 0; k < count; k++) value.push(readScalar(r, tag, key));
  return { type: "array", elementType, value };
}

function readScalar(r: ByteReader, tag: number, key: string): KvScalar {
  switch (tag) {
    case 1: {
      const length = r.u32("string length");
      const text = decodeText(r.window(length, "string"));
      if (text !== undefined) return text;
      return r.refuse("R154", "other bytes", "UTF-8", problemOf(key));
    }
    case 2:
      return r.i64("int64");
    case 3:
      return r.u64("uint64");
    case 4:
      return r.f64("float64");
    case 5: {
      const byte = r.u8("bool");
      if (byte > 1) r.refuse("R152", byte, "0 or 1", problemOf(key));
      return byte === 1;
    }
    default:
      return r.window(r.u32("bytes length"), "bytes").slice();
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
