// @ts-check
import { gotText, reachText, short, shown } from "./format.mjs";
import { quartiles } from "./statistics.mjs";
import { bestPeer, compared } from "./verdict.mjs";

const HEAD = ["row", "unit", "ours", "best peer", "of limit", "got [quartiles]", "reach", ""];

/**
 * The results as lines of text, a line a reach.
 *
 * @param {readonly Result[]} results
 */
export function table(results) {
  const blocks = results.map((result) => ({ cells: linesOf(result), notes: result.notes }));
  const cells = [HEAD, ...blocks.flatMap((block) => block.cells)];
  const widths = HEAD.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const text = (/** @type {readonly string[]} */ line) => {
    return line
      .map((cell, i) => cell.padEnd(widths[i] ?? 0))
      .join("  ")
      .trimEnd();
  };
  return [
    text(HEAD),
    "─".repeat(widths.reduce((sum, width) => sum + width + 2, -2)),
    ...blocks.flatMap((block) => [...block.cells.map(text), ...block.notes.map((note) => `  ${note}`)]),
  ].join("\n");
}

/**
 * A row with what was measured of it and the verdict on each of its reaches.
 *
 * @typedef {object} Result
 * @property {{ id: string, title: string, unit: string, work?: number }} row
 * @property {import("./verdict.mjs").Measured} measured
 * @property {ReturnType<typeof import("./verdict.mjs").judge>[]} judged
 * @property {readonly string[]} notes
 */

function linesOf(/** @type {Result} */ { row, measured, judged }) {
  const own = measured.samples[measured.ours] ?? [];
  const best = bestPeer(measured);
  const part = measured.limit && compared({ share: 1, of: "" }, measured);
  const value = (/** @type {readonly number[]} */ samples) => short(shown(row, quartiles(samples).median));
  const first = [
    row.id,
    row.unit,
    own.length === 0 ? "–" : value(own),
    best === undefined ? "–" : `${value(measured.samples[best] ?? [])} ${best}`,
    part === undefined ? "" : `${short(100 * part.median)} %`,
  ];
  return judged.map(({ reach, got, verdict }, i) => {
    return [...(i === 0 ? first : first.map(() => "")), gotText(reach, got), reachText(reach, row.unit), verdict];
  });
}

/**
 * The reaches that are missed, each in a sentence.
 *
 * @param {readonly Result[]} results
 */
export function misses(results) {
  return results.flatMap(({ row, judged }) =>
    judged
      .filter(({ verdict }) => verdict === "missed")
      .map(({ reach, got }) => `${row.id}: ${gotText(reach, got)}, reach ${reachText(reach, row.unit)}`),
  );
}
