import { columnMeans, finiteRange } from "./curve.js";
import { SIDE } from "./data.js";
import type { Evaluation, Mistake } from "./evaluate.js";

/** A mistake with its picture. */
export interface PicturedMistake extends Mistake {
  /** `28 × 28` grey values, row-major; 0 is paper, 255 is ink. */
  readonly pixels: Uint8Array;
}

/** What a report shows. */
export interface ReportFacts {
  /** A line under the title: how the model was trained. */
  readonly subtitle: string;
  /** Of every step. */
  readonly losses: readonly number[];
  readonly evaluation: Pick<Evaluation, "accuracy" | "correct" | "count">;
  readonly mistakes: readonly PicturedMistake[];
}

const WIDTH = 840;
const MARGIN = 40;
/** The plot: its place and size. */
const PLOT = { x: 92, y: 150, width: WIDTH - 92 - MARGIN, height: 210 } as const;
const PICTURES = { y: 440, columns: 8, size: 72, rowHeight: 122 } as const;

const STYLE = `text{font-family:system-ui,sans-serif;fill:#1f2933}.title{font-size:24px;font-weight:600}.small{font-size:13px;fill:#52606d}.big{font-size:34px;font-weight:700;fill:#0b6e4f}.head{font-size:16px;font-weight:600}.tick{font-size:11px;fill:#7b8794}.caption{font-size:12px;fill:#52606d}.wrong{fill:#b42318}`;

/** Draws the report as an SVG document: the accuracy, the loss curve, the worst mistakes as pictures. */
export function renderReport(facts: ReportFacts): string {
  const { evaluation, mistakes } = facts;
  const rows = Math.ceil(mistakes.length / PICTURES.columns);
  const height = PICTURES.y + Math.max(1, rows) * PICTURES.rowHeight + 16;
  const percent = (100 * evaluation.accuracy).toFixed(2);
  const count = (value: number): string => value.toLocaleString("en-US");
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-labelledby="title">`,
    `<style>${STYLE}</style>`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text class="title" x="${MARGIN}" y="52" id="title">MNIST: ${percent} % of the test images are right</text>`,
    `<text class="small" x="${MARGIN}" y="76">${escapeXml(facts.subtitle)}</text>`,
    `<text class="small" x="${MARGIN}" y="96">${count(evaluation.correct)} of ${count(evaluation.count)} images</text>`,
    `<text class="head" x="${MARGIN}" y="132">Loss of the training batches</text>`,
    ...plot(facts.losses),
    `<text class="head" x="${MARGIN}" y="${PICTURES.y - 14}">${mistakes.length === 0 ? "No mistakes" : `The ${mistakes.length} worst mistakes`}</text>`,
    ...mistakes.map(picture),
    "</svg>",
    "",
  ].join("\n");
}

/** The loss curve over a logarithmic axis, as the text curve has it. */
function plot(losses: readonly number[]): string[] {
  const { x, y, width, height } = PLOT;
  const frame = `<rect x="${x}" y="${y}" width="${width}" height="${height}" fill="#f5f7fa"/>`;
  const means = columnMeans(losses, 200);
  const range = finiteRange(means);
  if (range === undefined || range[0] <= 0) {
    return [frame, `<text class="small" x="${x + 12}" y="${y + 24}">no positive loss to draw</text>`];
  }
  const bottom = Math.log10(range[0]);
  const span = Math.max(1e-9, Math.log10(range[1]) - bottom);
  const placeY = (loss: number): number => y + 8 + (height - 16) * (1 - (Math.log10(loss) - bottom) / span);
  const placeX = (column: number): number => x + (width * (column + 0.5)) / means.length;
  // A loss that is not finite breaks the line.
  let pen = "M";
  const path = means
    .map((loss, column) => {
      if (!Number.isFinite(loss)) {
        pen = "M";
        return "";
      }
      const point = `${pen}${placeX(column).toFixed(1)} ${placeY(loss).toFixed(1)}`;
      pen = "L";
      return point;
    })
    .join("");
  const ticks = decades(range).flatMap((loss) => [
    `<path d="M${x} ${placeY(loss).toFixed(1)}h${width}" stroke="#d9dee5"/>`,
    `<text class="tick" text-anchor="end" x="${x - 8}" y="${(placeY(loss) + 4).toFixed(1)}">${loss}</text>`,
  ]);
  return [
    frame,
    ...ticks,
    `<path d="${path}" fill="none" stroke="#0b6e4f" stroke-width="1.8" stroke-linejoin="round"/>`,
    `<text class="tick" x="${x}" y="${y + height + 18}">step 1</text>`,
    `<text class="tick" text-anchor="end" x="${x + width}" y="${y + height + 18}">step ${losses.length.toLocaleString("en-US")}</text>`,
  ];
}

/** Round numbers (1, 2 or 5 times a power of ten) within a range. */
function decades([low, high]: readonly [number, number]): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const digit of [1, 2, 5]) {
      const value = Number(`${digit}e${power}`);
      if (value >= low && value <= high) ticks.push(value);
    }
  }
  return ticks;
}

/** One mistake: its pixels, and what was said of it. */
function picture(mistake: PicturedMistake, position: number): string {
  const cell = (WIDTH - 2 * MARGIN) / PICTURES.columns;
  const x = MARGIN + (position % PICTURES.columns) * cell + (cell - PICTURES.size) / 2;
  const y = PICTURES.y + Math.floor(position / PICTURES.columns) * PICTURES.rowHeight;
  const middle = PICTURES.size / 2;
  return [
    `<g transform="translate(${x.toFixed(1)} ${y})">`,
    `<rect width="${PICTURES.size}" height="${PICTURES.size}" fill="#f5f7fa"/>`,
    `<g transform="scale(${(PICTURES.size / SIDE).toFixed(5)})" shape-rendering="crispEdges">${inkPaths(mistake.pixels)}</g>`,
    `<text class="caption" text-anchor="middle" x="${middle}" y="${PICTURES.size + 17}">true ${mistake.label}</text>`,
    `<text class="caption wrong" text-anchor="middle" x="${middle}" y="${PICTURES.size + 33}">said ${mistake.predicted}, ${(100 * mistake.confidence).toFixed(1)} %</text>`,
    `<title>test image ${mistake.index}: true ${mistake.label}, predicted ${mistake.predicted}</title>`,
    "</g>",
  ].join("");
}

/** A picture as one path per grey value, each run of equal pixels a rectangle. Paper is left out. */
function inkPaths(pixels: Uint8Array): string {
  const runs = new Map<number, string>();
  for (let row = 0; row < SIDE; row++) {
    for (let column = 0; column < SIDE; ) {
      const value = pixels[row * SIDE + column] as number;
      let end = column + 1;
      while (end < SIDE && pixels[row * SIDE + end] === value) end += 1;
      if (value > 0) {
        runs.set(value, `${runs.get(value) ?? ""}M${column} ${row}h${end - column}v1h${column - end}z`);
      }
      column = end;
    }
  }
  return Array.from(runs, ([value, d]) => `<path fill-opacity="${(value / 255).toFixed(3)}" d="${d}"/>`).join("");
}

function escapeXml(text: string): string {
  return text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c] as string);
}
