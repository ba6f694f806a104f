/** Lays out rows in columns, two spaces apart; the columns named in `right` are set right. Line ends carry no spaces. */
export function tableLines(rows: readonly (readonly string[])[], right: readonly number[] = []): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [k, cell] of row.entries()) widths[k] = Math.max(widths[k] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, k) => (right.includes(k) ? cell.padStart(widths[k]!) : cell.padEnd(widths[k]!)))
      .join("  ")
      .trimEnd(),
  );
}
