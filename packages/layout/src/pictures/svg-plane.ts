import { type Cell, type Picture, type Plane, placeLabel } from "./picture.js";
import type { Side } from "./sides.js";

/** The ground of the picture, and of cells without a colour. */
export const PAPER = "#ffffff";
export const INK = "#111418";
const LABEL = "#57606a";
const GRID = "#8c949e";

// Lengths in pixels. The text of a cell is of 12, that of labels and second lines of 10.
export const LINE = 18;
/** The advance of a character, in the widest of the fonts named. */
export const ADVANCE = 7.5;
const SMALL_ADVANCE = 6.5;
/** Between a box and the boxes in it. */
const NEST = 5;

/** Where the parts of a table are; all tables of a picture are alike. */
export interface Placement {
  readonly cellWidth: number;
  readonly cellHeight: number;
  /** Where each column and each row begins, from the first cell on. */
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  /** Where the first cell is. */
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
  /** The weight of the frame: the number of boxes around each cell. */
  readonly depth: number;
}

/** Finds the size of a cell that every text fits, and from it all places. */
export function place(picture: Picture, withPath: boolean): Placement {
  const { rank, rows, columns } = picture;
  let most = 0;
  let textWidth = 0;
  for (const { cells } of picture.planes) {
    for (const { lines } of cells) {
      most = Math.max(most, lines.length);
      for (let i = 0; i < lines.length; i++) {
        textWidth = Math.max(textWidth, lines[i]!.length * (i === 0 ? ADVANCE : SMALL_ADVANCE));
      }
    }
  }
  const smallest = most === 0 ? 14 : withPath ? 40 : 28;
  const labelWidth = String(columns.extent - 1).length * SMALL_ADVANCE;
  const cellWidth = Math.ceil(Math.max(smallest, textWidth + 8, labelWidth + 6));
  const cellHeight = most > 1 ? Math.max(36, smallest) : smallest;
  const depth = 1 + Math.max(rows.weight, columns.weight);
  const xs = starts(columns, cellWidth);
  const ys = starts(rows, cellHeight);
  const outer = outset(depth) + 1;
  const left = outer + (rank > 1 ? Math.ceil(String(rows.extent - 1).length * SMALL_ADVANCE) + 5 : 0);
  const top = outer + (rank > 0 ? 15 : 0) + (rank > 2 ? LINE : 0);
  let width = left + xs[xs.length - 1]! + outer;
  for (const plane of picture.planes) width = Math.max(width, Math.ceil(placeLabel(plane).length * ADVANCE));
  const height = top + ys[ys.length - 1]! + outer;
  return { cellWidth, cellHeight, xs, ys, left, top, width, height, depth };
}

/** How far a box is outside the cells in it. The boxes of weight 1 are at their edges. */
function outset(weight: number): number {
  return NEST * (weight - 1);
}

/** Where each ordinal of a side begins, and the last ends: apart by the boxes that lines of some weight close and open. */
function starts(side: Side, cell: number): number[] {
  const out: number[] = [];
  let at = 0;
  for (const weight of side.lines) {
    if (weight > 0) at += 2 * outset(weight) + NEST;
    out.push(at);
    at += cell;
  }
  out.push(at);
  return out;
}

/** Draws one table: labels, cells, the boxes around them, perhaps the path through them, and what the cells say. */
export function drawPlane(
  picture: Picture,
  plane: Plane,
  table: Placement,
  fill: (cell: Cell) => string,
  withPath: boolean,
): string {
  return [
    ...drawLabels(picture, plane, table),
    `<g transform="translate(${table.left} ${table.top})">`,
    ...drawFills(picture, plane, table, fill),
    ...drawBoxes(picture, table),
    ...(withPath ? drawPath(picture, plane, table) : []),
    ...drawTexts(picture, plane, table, withPath),
    "</g>",
  ].join("\n");
}

function drawLabels(picture: Picture, plane: Plane, table: Placement): string[] {
  const { rank, rows, columns } = picture;
  const out: string[] = [];
  if (rank > 2) out.push(`<text x="0" y="12" text-anchor="start">${placeLabel(plane)}</text>`);
  if (rank > 0) {
    const outer = outset(table.depth);
    out.push(`<g font-size="10" fill="${LABEL}">`);
    for (let c = 0; c < columns.extent; c++) {
      const x = table.left + table.xs[c]! + table.cellWidth / 2;
      out.push(`<text x="${x}" y="${table.top - outer - 5}">${c}</text>`);
    }
    for (let r = 0; rank > 1 && r < rows.extent; r++) {
      const y = table.top + table.ys[r]! + table.cellHeight / 2 + 3.5;
      out.push(`<text x="${table.left - outer - 5}" y="${y}" text-anchor="end">${r}</text>`);
    }
    out.push("</g>");
  }
  return out;
}

/** One path for all cells of a colour. */
function drawFills(picture: Picture, plane: Plane, table: Placement, fill: (cell: Cell) => string): string[] {
  const paths = new Map<string, string>();
  eachCell(picture, plane, table, (cell, x, y) => {
    const colour = fill(cell);
    const square = `M${x} ${y}h${table.cellWidth}v${table.cellHeight}h${-table.cellWidth}z`;
    paths.set(colour, (paths.get(colour) ?? "") + square);
  });
  return [...paths].map(([colour, path]) => `<path fill="${colour}" stroke="${GRID}" stroke-width="0.5" d="${path}"/>`);
}

/** The boxes of each weight, the outermost last; one of the greatest is around everything. */
function drawBoxes(picture: Picture, table: Placement): string[] {
  const out: string[] = [];
  for (let weight = 1; weight <= table.depth; weight++) {
    const far = outset(weight);
    const columns = runs(picture.columns, table.xs, table.cellWidth, weight);
    const rows = runs(picture.rows, table.ys, table.cellHeight, weight);
    let path = "";
    for (const { from: y, length: height } of rows) {
      for (const { from: x, length: width } of columns) {
        path += `M${x - far} ${y - far}h${width + 2 * far}v${height + 2 * far}h${-width - 2 * far}z`;
      }
    }
    out.push(`<path fill="none" stroke="${INK}" stroke-width="${Math.min(0.75 + weight / 2, 3.25)}" d="${path}"/>`);
  }
  return out;
}

/** The stretches of a side between lines of at least some weight. */
function runs(side: Side, at: readonly number[], cell: number, weight: number): { from: number; length: number }[] {
  const out: { from: number; length: number }[] = [];
  let from = 0;
  for (let i = 1; i <= side.extent; i++) {
    if (i < side.extent && side.lines[i]! < weight) continue;
    out.push({ from: at[from]!, length: at[i - 1]! + cell - at[from]! });
    from = i;
  }
  return out;
}

/** A line through the middles of the cells, by index. */
function drawPath(picture: Picture, plane: Plane, table: Placement): string[] {
  const stops: { index: number; text: string }[] = [];
  eachCell(picture, plane, table, ({ index }, x, y) => {
    const text = `${x + table.cellWidth / 2},${y + table.cellHeight / 2}`;
    if (index !== undefined) stops.push({ index, text });
  });
  stops.sort((a, b) => a.index - b.index);
  const points = stops.map(({ text }) => text).join(" ");
  return [`<polyline fill="none" stroke="${INK}" stroke-width="2" stroke-linejoin="round" points="${points}"/>`];
}

/** What the cells say, with a halo where a path runs behind it. */
function drawTexts(picture: Picture, plane: Plane, table: Placement, withHalo: boolean): string[] {
  const out = [
    withHalo ? `<g stroke="${PAPER}" stroke-width="4" stroke-linejoin="round" paint-order="stroke">` : "<g>",
  ];
  eachCell(picture, plane, table, ({ lines }, x, y) => {
    const middle = x + table.cellWidth / 2;
    const centre = y + table.cellHeight / 2;
    if (lines.length === 1) out.push(`<text x="${middle}" y="${centre + 4}">${lines[0]}</text>`);
    if (lines.length < 2) return;
    out.push(`<text x="${middle}" y="${centre - 2}">${lines[0]}</text>`);
    out.push(`<text x="${middle}" y="${centre + 11}" font-size="10">${lines[1]}</text>`);
  });
  out.push("</g>");
  return out;
}

function eachCell(
  picture: Picture,
  plane: Plane,
  table: Placement,
  draw: (cell: Cell, x: number, y: number) => void,
): void {
  plane.cells.forEach((cell, i) => {
    const c = i % picture.columns.extent;
    draw(cell, table.xs[c]!, table.ys[(i - c) / picture.columns.extent]!);
  });
}
