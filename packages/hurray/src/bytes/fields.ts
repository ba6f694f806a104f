import type { Rule } from "../errors.js";
import type { ByteReader } from "./reader.js";
import type { ByteWriter } from "./writer.js";

/** How a field is stored; a flag is a byte that reads as true unless it is 0, and is written as 1 (A11). */
export type FieldKind = "u8" | "u32" | "u64" | "f64" | "flag";

/**
 * One field of a section whose fields lie one after the other: how it is stored, its name, and where a rule
 * bounds it, the rule with the least and the largest value. Reserved bytes are a number of them with their rule.
 */
export type FieldRow =
  | readonly [kind: FieldKind, name: string, rule?: Rule, lowest?: number, highest?: number]
  | readonly [reserved: number, rule: Rule];

/** Reads the fields of a section by their names. */
export function readFields<T extends object>(reader: ByteReader, rows: readonly FieldRow[]): T {
  const values: Record<string, unknown> = {};
  for (const row of rows) {
    if (typeof row[0] === "number") {
      reader.reserved(row[0], row[1] as Rule);
      continue;
    }
    const [kind, name, rule, lowest = 0, highest] = row as Extract<FieldRow, readonly [FieldKind, ...unknown[]]>;
    const value = reader[kind === "flag" ? "u8" : kind](name);
    if (rule !== undefined) reader.within<number | bigint>(rule, value, lowest, highest);
    values[name] = kind === "flag" ? value !== 0 : value;
  }
  return values as T;
}

/** Writes the fields of a section by their names. */
export function writeFields<T extends object>(writer: ByteWriter, rows: readonly FieldRow[], section: T): void {
  const values = section as Record<string, never>;
  for (const row of rows) {
    const [kind, name] = row;
    if (typeof kind === "number") writer.zeros(kind);
    else if (kind === "flag") writer.u8(values[name] ? 1 : 0, name);
    else writer[kind](values[name]!, name);
  }
}

/** The name that the format gives to a field, of ours: `page_size` of `pageSize`. */
export function wireName(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
