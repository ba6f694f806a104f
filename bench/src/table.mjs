import { gotText, reachText, short, shown } from "./format.mjs";
import { quartiles } from "./statistics.mjs";
import { bestPeer } from "./verdict.mjs";

const HEAD = ["row", "unit", "ours", "best peer", "got [quartiles]", "reach", ""];

/**
 * The results as lines of text, a line a reach.
 *
 * @param {readonly Result[]} results
 */
export function table(results) {
  const lines = [HEAD, ...results.flatMap(linesOf)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  const text = lines.map((line) => line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join("  ").trimEnd());
  return [text[0], "─".repeat(widths.reduce((sum, width) => sum + width + 2, -2)), ...text.slice(1)].join("\n");
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

function linesOf(/** @type {Result} */ { row, measured, judged, notes }) {
  const own = measured.samples[measured.ours];
  const best = bestPeer(measured);
  const value = (/** @type {readonly number[]} */ samples) => short(shown(row, quartiles(samples).median));
  const first = [
    row.id,
    row.unit,
    own === undefined ? "–" : value(own),
    best === undefined ? "–" : `${value(measured.samples[best] ?? [])} ${best}`,
  ];
  const lines = judged.map(({ reach, got, verdict }, i) => {
    return [...(i === 0 ? first : ["", "", "", ""]), gotText(reach, got), reachText(reach, row.unit), verdict];
  });
  return [...lines, ...notes.map((note) => [lines.length === 0 ? row.id : "", "", "", "", note])];
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
