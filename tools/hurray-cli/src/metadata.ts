import type { KvEntry } from "@sw/hurray";
import { toJson } from "./json.js";
import { tableLines } from "./table.js";
import { nameText } from "./words.js";

/** Characters of a value that are shown. */
const SHOWN = 60;

/** Metadata as plain data, each value with its type. */
export function metadataFacts(entries: readonly KvEntry[]): { readonly [key: string]: unknown } {
  return Object.fromEntries(entries.map((entry) => [entry.key, { type: typeOf(entry), value: entry.value }]));
}

/** Metadata as a table: key, type, value. */
export function metadataLines(entries: readonly KvEntry[]): string[] {
  const rows = entries.map((entry) => [nameText(entry.key), typeOf(entry), valueText(entry)]);
  return tableLines([["metadata", "type", "value"], ...rows]);
}

function typeOf(entry: KvEntry): string {
  return entry.type === "array" ? `${entry.elementType}[${entry.value.length}]` : entry.type;
}

function valueText({ value }: KvEntry): string {
  const text = toJson(value, 0);
  return text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text;
}
