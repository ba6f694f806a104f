/** The size of a text picture, in characters. */
export interface CurveSize {
  /** Columns of the plot, without its labels; 64 by default. */
  readonly width?: number;
  /** Rows of the plot; 12 by default. */
  readonly height?: number;
}

/** The means of equal stretches of a series, one per column: what one character shows of thousands of steps. */
export function columnMeans(values: readonly number[], columns: number): number[] {
  const count = Math.min(columns, values.length);
  return Array.from({ length: count }, (_, column) => {
    const start = Math.floor((column * values.length) / count);
    const end = Math.floor(((column + 1) * values.length) / count);
    let total = 0;
    for (let i = start; i < end; i++) total += values[i] as number;
    return total / (end - start);
  });
}

/** The smallest and the largest finite value, or `undefined` without one. */
export function finiteRange(values: readonly number[]): readonly [number, number] | undefined {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const value of values) {
    if (!Number.isFinite(value)) continue;
    low = Math.min(low, value);
    high = Math.max(high, value);
  }
  return low <= high ? [low, high] : undefined;
}

/**
 * Draws the loss of every step as text. The vertical axis is logarithmic, since a loss falls by factors; a loss of 0
 * or less makes it linear. Each column is the mean of its steps.
 */
export function lossCurve(losses: readonly number[], size: CurveSize = {}): string {
  const { width = 64, height = 12 } = size;
  const means = columnMeans(losses, width);
  const range = finiteRange(means);
  if (range === undefined) return "no finite loss to draw";
  const [low, high] = range;
  const scale = low > 0 ? Math.log : (value: number): number => value;
  const span = scale(high) - scale(low);
  const rowOf = (value: number): number =>
    span === 0 ? height - 1 : Math.round(((scale(high) - scale(value)) / span) * (height - 1));

  const rows = Array.from({ length: height }, () => new Array<string>(means.length).fill(" "));
  let previous: number | undefined;
  means.forEach((mean, column) => {
    if (!Number.isFinite(mean)) {
      previous = undefined;
      return;
    }
    const row = rowOf(mean);
    // A steep stretch is filled in, so that the curve is one line.
    if (previous !== undefined) {
      for (let r = Math.min(row, previous) + 1; r < Math.max(row, previous); r++) (rows[r] as string[])[column] = "│";
    }
    (rows[row] as string[])[column] = "•";
    previous = row;
  });

  const valueAt = (row: number): number => {
    const scaled = scale(high) - (span * row) / Math.max(1, height - 1);
    return low > 0 ? Math.exp(scaled) : scaled;
  };
  const isLabelled = (row: number): boolean => row === height - 1 || (row % 3 === 0 && span > 0);
  const labels = rows.map((_, row) => (isLabelled(row) ? valueAt(row).toPrecision(3) : ""));
  const labelWidth = Math.max(...labels.map((label) => label.length));
  const lines = rows.map((row, r) => {
    const label = labels[r] as string;
    return `${label.padStart(labelWidth)} ${label === "" ? "│" : "┤"}${row.join("")}`.trimEnd();
  });
  const last = `step ${losses.length.toLocaleString("en-US")}`;
  const gap = " ".repeat(labelWidth + 2);
  return [
    "loss",
    ...lines,
    `${" ".repeat(labelWidth + 1)}└${"─".repeat(means.length)}`,
    `${gap}1${last.padStart(Math.max(last.length + 1, means.length - 1))}`,
  ].join("\n");
}
