import type { Drawable, PictureOptions } from "./options.js";
import { type Cell, type Picture, pictureOf, placeLabel } from "./picture.js";
import type { Side } from "./sides.js";

/**
 * Draws a layout, or any map of indices, as text: the first axis downwards, the second across, both by ordinal.
 *
 * Lines part the tiles of nested modes, and those of a tiler; double ones from the third level on. Of more than two axes
 * each pair of the first two is a table of its own. A cell of a pair reads `index,owner`. The result ends without a line
 * break.
 *
 * @throws TypeError for what is no layout, map or option.
 * @throws LayoutError `SW_LAYOUT_PICTURE` above 65536 cells, for cells that show owners where there are none, and for a
 * `threadValue` that leaves the shape; `SW_LAYOUT_SHAPES_DIFFER` (owner of other extents), `SW_LAYOUT_BOX`,
 * `SW_LAYOUT_TILER`, and those of `complement` for a tile that does not tile.
 * @example
 * ```ts
 * import { parseLayout, rowMajor } from "@sw/layout";
 * import { toTable } from "@sw/layout/pictures";
 * console.log(toTable(parseLayout("((2,2),(2,3)):((4,1),(2,8))")));
 * console.log(toTable(rowMajor([4, 6]), { tiler: [2, 3], owner: parseLayout("((2,2),(3,2)):((0,1),(0,2))") }));
 * ```
 * @since 0.1.0
 */
export function toTable(drawn: Drawable, options: PictureOptions = {}): string {
  const picture = pictureOf("toTable", drawn, options);
  const out = [...picture.heading];
  if (picture.planes.length === 0) out.push("(empty)");
  const widths = lineWidths(picture);
  for (const plane of picture.planes) {
    if (plane.place.length > 0) out.push("", placeLabel(plane));
    for (const line of grid(picture, plane.cells, widths)) out.push(line);
  }
  return out.join("\n");
}

/** The widths of the lines of the cells, which are put side by side. */
function lineWidths(picture: Picture): number[] {
  const widths: number[] = [];
  for (const plane of picture.planes) {
    for (const { lines } of plane.cells) {
      for (let i = 0; i < lines.length; i++) widths[i] = Math.max(widths[i] ?? 0, lines[i]!.length);
    }
  }
  return widths;
}

function grid(picture: Picture, cells: readonly Cell[], widths: readonly number[]): string[] {
  const { rank, rows, columns, separator } = picture;
  const content = widths.reduce((sum, width) => sum + width, 0) + separator.length * Math.max(0, widths.length - 1);
  const width = Math.max(content, String(columns.extent - 1).length);
  const labelWidth = rank > 1 ? String(rows.extent - 1).length + 1 : 0;
  const indent = " ".repeat(labelWidth);
  const out: string[] = [];
  if (rank > 0) {
    let header = `${indent} `;
    for (let c = 0; c < columns.extent; c++) {
      header += `${columns.lines[c]! > 0 ? "  " : ""} ${String(c).padStart(width)}`;
    }
    out.push(header);
  }
  out.push(indent + rule(columns, width, "┌", "┐", "┬", "╥", "─"));
  for (let r = 0; r < rows.extent; r++) {
    const weight = rows.lines[r]!;
    if (weight === 1) out.push(indent + rule(columns, width, "├", "┤", "┼", "╫", "─"));
    if (weight > 1) out.push(indent + rule(columns, width, "╞", "╡", "╪", "╬", "═"));
    let line = rank > 1 ? `${String(r).padStart(labelWidth - 1)} │` : "│";
    for (let c = 0; c < columns.extent; c++) {
      const bar = columns.lines[c]!;
      const { lines } = cells[r * columns.extent + c]!;
      const isWhole = lines.length === widths.length;
      const text = isWhole ? lines.map((part, i) => part.padStart(widths[i]!)).join(separator) : lines.join(separator);
      line += `${bar > 1 ? " ║" : bar > 0 ? " │" : ""} ${text.padStart(width)}`;
    }
    out.push(`${line} │`);
  }
  out.push(indent + rule(columns, width, "└", "┘", "┴", "╨", "─"));
  return out;
}

/** One horizontal line, with its two ends, its crossings with single and double bars, and its stroke. */
function rule(
  columns: Side,
  width: number,
  left: string,
  right: string,
  single: string,
  double: string,
  stroke: string,
): string {
  let line = left;
  for (let c = 0; c < columns.extent; c++) {
    const bar = columns.lines[c]!;
    if (bar > 0) line += stroke + (bar > 1 ? double : single);
    line += stroke.repeat(width + 1);
  }
  return line + stroke + right;
}
