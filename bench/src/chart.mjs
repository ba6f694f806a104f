// @ts-check
import { short } from "./format.mjs";

const WIDTH = 860;
const LEFT = 190;
const RIGHT = 90;
const LINE = 22;
const TOP = 46;

/**
 * Draws how many times as fast we are, a bar a row on a logarithmic scale: the median, the quartiles as a thin line, the
 * reach as a tick. Rows that compare with nobody are left out.
 *
 * @param {readonly import("./table.mjs").Result[]} results
 * @param {string} caption
 */
export function chart(results, caption) {
  const bars = results.flatMap(({ row, judged }) => {
    const one = judged.find(({ reach, got }) => "faster" in reach && got !== undefined);
    return one?.got === undefined || !("faster" in one.reach)
      ? []
      : [{ id: row.id, ...one.got, reach: one.reach.faster, than: one.reach.than, verdict: one.verdict }];
  });
  const numbers = bars.flatMap(({ low, high, reach }) => [low, high, reach]);
  const least = 2 ** Math.floor(Math.log2(Math.min(0.5, ...numbers)));
  const most = 2 ** Math.ceil(Math.log2(Math.max(2, ...numbers)));
  const x = (/** @type {number} */ value) =>
    LEFT + ((WIDTH - LEFT - RIGHT) * Math.log2(value / least)) / Math.log2(most / least);
  const height = TOP + bars.length * LINE + 16;
  const grid = [];
  for (let value = least; value <= most; value *= 2) {
    grid.push(
      `<line class="${value === 1 ? "one" : "grid"}" x1="${at(x(value))}" x2="${at(x(value))}" y1="${TOP - 8}" y2="${height - 12}"/>`,
    );
    grid.push(`<text class="scale" x="${at(x(value))}" y="${TOP - 12}">${short(value)}×</text>`);
  }
  const rows = bars.map(({ id, low, median, high, reach, than, verdict }, i) => {
    const y = TOP + i * LINE;
    const middle = y + 7;
    const from = Math.min(x(1), x(median));
    return [
      `<text class="name" x="${LEFT - 8}" y="${y + 11}">${escaped(id)}</text>`,
      `<rect class="${verdict.replace(" ", "-")}" x="${at(from)}" y="${y}" width="${at(Math.abs(x(median) - x(1)))}" height="14"><title>${escaped(`${id}: ${short(median)}× ${than}`)}</title></rect>`,
      `<line class="spread" x1="${at(x(low))}" x2="${at(x(high))}" y1="${middle}" y2="${middle}"/>`,
      `<line class="reach" x1="${at(x(reach))}" x2="${at(x(reach))}" y1="${y - 2}" y2="${y + 16}"/>`,
      `<text class="value" x="${WIDTH - RIGHT + 10}" y="${y + 11}">${short(median)}× (${short(reach)})</text>`,
    ].join("");
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">
<title>${escaped(caption)}</title>
<style>
svg { background: #fff; color: #222; font: 12px sans-serif }
text { fill: currentColor } .name { text-anchor: end } .scale { text-anchor: middle; font-size: 10px }
.grid { stroke: #ddd } .one { stroke: #888 } .spread { stroke: currentColor } .reach { stroke: currentColor; stroke-width: 2 }
.met { fill: #5a9e6f } .within-spread { fill: #c9a84c } .missed { fill: #c8645a }
@media (prefers-color-scheme: dark) { svg { background: #1b1b1b; color: #ddd } .grid { stroke: #383838 } }
</style>
<text x="8" y="16">${escaped(caption)}</text>
${grid.join("\n")}
${rows.join("\n")}
</svg>
`;
}

/** A coordinate in as many digits as a picture needs. */
function at(/** @type {number} */ value) {
  return value.toFixed(1);
}

function escaped(/** @type {string} */ text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
