import type { DescribedField } from "@sw/hurray/descriptor";
import { tableLines } from "./table.js";

/** Bytes in a line. */
const WIDTH = 8;

/** Lines of a long field that are shown at each end. */
const ENDS = 4;

/** A descriptor as a table: where each field lies, its bytes, name and value, and what the value means. */
export function hexTable(fields: readonly DescribedField[], bytes: Uint8Array, start: number): string[] {
  const rows: string[][] = [["byte", "bytes", "field", "value", "meaning"]];
  let section = "";
  for (const described of fields) {
    if (described.section !== section) {
      section = described.section;
      rows.push([`-- ${section}`]);
    }
    rows.push(...fieldRows(described, bytes.subarray(described.byteOffset - start)));
  }
  // The names of sections stand across the columns.
  const isName = (row: readonly string[]): boolean => row.length === 1;
  const lines = tableLines(
    rows.filter((row) => !isName(row)),
    [0, 3],
  );
  return rows.map((row) => (isName(row) ? row[0]! : lines.shift()!));
}

function fieldRows({ byteOffset, byteLength, field, value, note = "" }: DescribedField, bytes: Uint8Array): string[][] {
  const shown = typeof value === "object" ? "" : String(value);
  const rows: string[][] = [];
  const lines = Math.ceil(byteLength / WIDTH);
  for (let k = 0; k < lines; k++) {
    if (lines > 2 * ENDS + 1 && k === ENDS) {
      rows.push(["…", `(${(lines - 2 * ENDS) * WIDTH} bytes)`]);
      k = lines - ENDS;
    }
    const line = bytes.subarray(k * WIDTH, Math.min(byteLength, (k + 1) * WIDTH));
    const hex = [...line].map((byte) => byte.toString(16).padStart(2, "0")).join(" ");
    rows.push([String(byteOffset + k * WIDTH), hex, ...(k === 0 ? [field, shown, note] : [])]);
  }
  return rows;
}
