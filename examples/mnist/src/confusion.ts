/** How often each true class (row) was predicted as each class (column). */
export type Confusion = readonly (readonly number[])[];

/** Counts predictions by true and predicted class. */
export function countConfusion(labels: ArrayLike<number>, predicted: ArrayLike<number>, classes: number): Confusion {
  const counts = Array.from({ length: classes }, () => new Array<number>(classes).fill(0));
  for (let i = 0; i < labels.length; i++) {
    const row = counts[labels[i] as number] as number[];
    row[predicted[i] as number] = (row[predicted[i] as number] as number) + 1;
  }
  return counts;
}

/** The number of predictions that are right: the diagonal. */
export function countCorrect(confusion: Confusion): number {
  return confusion.reduce((total, row, label) => total + (row[label] as number), 0);
}

/** Draws a confusion matrix as text: rows are true classes, the last column is the share of each found. */
export function confusionTable(confusion: Confusion): string {
  const cells = confusion.map((row) => row.map((count) => (count === 0 ? "·" : String(count))));
  const width = Math.max(3, ...cells.flat().map((cell) => cell.length)) + 1;
  const head = confusion.map((_, label) => String(label).padStart(width)).join("");
  const lines = cells.map((row, label) => {
    const total = (confusion[label] as readonly number[]).reduce((sum, count) => sum + count, 0);
    const right = (confusion[label] as readonly number[])[label] as number;
    const found = total === 0 ? "-" : `${((100 * right) / total).toFixed(1)} %`;
    return `${String(label).padStart(4)} │${row.map((cell) => cell.padStart(width)).join("")}  ${found.padStart(7)}`;
  });
  const rule = `${"─".repeat(5)}┼${"─".repeat(width * confusion.length)}`;
  return [`true │${head}   predicted`, rule, ...lines].join("\n");
}
