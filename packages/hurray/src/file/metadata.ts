import { quote } from "../bytes/quote.js";
import { HurrayValueError } from "../errors.js";
import type { KvEntry, KvScalar, KvScalarType, KvValue } from "./kv.js";

/**
 * A metadata value as JavaScript has it. Numbers are stored as float64 and bigints as int64
 * (uint64 from 2⁶³ on), and read back as what they were, whatever their value.
 * @since 0.1.0
 */
export type MetadataValue = KvScalar | readonly KvScalar[];

/** What a file says of itself, by key. @since 0.1.0 */
export type Metadata = { readonly [key: string]: MetadataValue };

/** What a writer takes as metadata: plain values, or values with their exact type. @since 0.1.0 */
export type MetadataInput = { readonly [key: string]: MetadataValue | KvValue };

/** Strips the exact types. */
export function plainMetadata(entries: readonly KvEntry[]): Metadata {
  // Without a prototype an object begins as a table, and stays one: otherwise V8 takes memory in the square of the keys.
  const metadata: { [key: string]: MetadataValue } = Object.create(null);
  for (const { key, value } of entries) metadata[key] = value;
  return Object.setPrototypeOf(metadata, Object.prototype);
}

/**
 * Gives plain values their types in the file.
 *
 * @throws TypeError for a value of another type.
 * @throws HurrayValueError `SW_HURRAY_VALUE` for an array of values of different types.
 */
export function typedMetadata(metadata: MetadataInput, operation: string): KvEntry[] {
  return Object.entries(metadata).map(([key, value]) => ({ key, ...typed(key, value, operation) }));
}

function typed(key: string, value: MetadataValue | KvValue, operation: string): KvValue {
  if (Array.isArray(value)) return typedArray(key, value as readonly KvScalar[], operation);
  if (typeof value === "object" && value !== null && "type" in value) return value;
  const scalar = value as KvScalar;
  return { type: scalarType(key, scalar, operation), value: scalar } as KvValue;
}

function typedArray(key: string, values: readonly KvScalar[], operation: string): KvValue {
  if (values.length === 0) return { type: "array", elementType: "string", value: [] };
  const types = new Set(values.map((value) => scalarType(key, value, operation)));
  // Bigints of both signs of the range agree on int64 unless one needs the unsigned type.
  if (types.size === 2 && types.has("int64") && types.has("uint64")) types.delete("int64");
  const [elementType, other] = [...types];
  if (other !== undefined) {
    throw new HurrayValueError(
      operation,
      key,
      `metadata ${quote(key)} mixes types in one array`,
      `${elementType} and ${other}`,
      "elements of one type",
    );
  }
  return { type: "array", elementType: elementType!, value: values };
}

function scalarType(key: string, value: KvScalar, operation: string): KvScalarType {
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return "float64";
    case "boolean":
      return "bool";
    case "bigint":
      return value >= 0x8000000000000000n ? "uint64" : "int64";
    default:
      if (value instanceof Uint8Array) return "bytes";
      throw new TypeError(
        `${operation}: metadata ${quote(key)} has no type in the format: got ${value === null ? "null" : typeof value}, expected a string, number, bigint, boolean, Uint8Array, or an array of one of these.`,
      );
  }
}
