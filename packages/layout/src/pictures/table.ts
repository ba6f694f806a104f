import { LayoutError } from "../errors.js";
import { formatLayout, type Layout, requireLayout } from "../layout.js";
import { type IntTree, leaves, treeSize } from "../tree.js";

/** More cells than anyone can look at. */
const MAX_CELLS = 65_536;

/**
 * Draws the indices of a layout as text: the first axis downwards, the second across, both by ordinal.
 *
 * Lines part the tiles of nested modes, double ones from the third level on. Of more than two axes each pair of the
 * first two is a table of its own. The result ends without a line break.
 *
 * @throws TypeError when the argument is no layout; LayoutError `SW_LAYOUT_PICTURE` above 65536 cells.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { toTable } from "@sw/layout/pictures";
 * console.log(toTable(parseLayout("((2,2),(2,3)):((4,1),(2,8))")));
 * ```
 * @since 0.1.0
 */
export function toTable(l: Layout): string {
  requireLayout("toTable", l);
  if (l.size > MAX_CELLS) {
    const problem = `layout is too large to draw: got ${l.size} elements, expected at most ${MAX_CELLS} (${formatLayout(l)}). Draw a part of it.`;
    throw new LayoutError("SW_LAYOUT_PICTURE", "toTable", problem, { layout: l, value: l.size });
  }
  const title = formatLayout(l);
  if (l.size === 0) return `${title}\n(empty)`;
  const rowAxis = l.rank === 1 ? undefined : 0;
  const columnAxis = l.rank === 1 ? 0 : 1;
  const rows = axisOf(l, rowAxis);
  const columns = axisOf(l, columnAxis);
  const others = l.shape.slice(2);
  const planes = treeSize(others);
  const width = cellWidth(l, columns.offsets.length);
  const parts: string[] = [title];
  for (let plane = 0; plane < planes; plane++) {
    let start = 0;
    const place: number[] = [];
    let rest = plane;
    for (let k = 0; k < others.length; k++) {
      const axis = axisOf(l, k + 2);
      const ordinal = rest % axis.offsets.length;
      rest = (rest - ordinal) / axis.offsets.length;
      place.push(ordinal);
      start += axis.offsets[ordinal]!;
    }
    if (others.length > 0) parts.push("", `(:,:,${place.join(",")})`);
    parts.push(...grid(rows, columns, start, width, l.rank > 1, l.rank > 0));
  }
  return parts.join("\n");
}

/** One side of a table: the index of each ordinal, and the weight of the line before it (0 for none). */
interface Side {
  readonly offsets: readonly number[];
  readonly lines: readonly number[];
}

function axisOf(l: Layout, axis: number | undefined): Side {
  const mode: IntTree | undefined = axis === undefined ? undefined : l.shape[axis];
  if (axis === undefined || mode === undefined) return { offsets: [0], lines: [0] };
  const extents = leaves(mode);
  const strides = leaves(l.stride[axis]!);
  // Build up leaf by leaf: each repeats what is there, shifted, behind a line that weighs more than those inside.
  let offsets = [0];
  let lines = [0];
  let weight = 0;
  for (let k = 0; k < extents.length; k++) {
    if (extents[k] === 1) continue;
    const block = offsets;
    const inside = lines;
    offsets = [];
    lines = [];
    for (let i = 0; i < extents[k]!; i++) {
      for (let j = 0; j < block.length; j++) {
        offsets.push(block[j]! + i * strides[k]!);
        lines.push(j > 0 ? inside[j]! : i > 0 ? weight : 0);
      }
    }
    weight++;
  }
  return { offsets, lines };
}

function cellWidth(l: Layout, columns: number): number {
  let lowest = 0;
  let highest = 0;
  const extents = leaves(l.shape);
  const strides = leaves(l.stride);
  for (let k = 0; k < extents.length; k++) {
    const reach = (extents[k]! - 1) * strides[k]!;
    if (reach < 0) lowest += reach;
    else highest += reach;
  }
  return Math.max(String(lowest).length, String(highest).length, String(columns - 1).length);
}

function grid(
  rows: Side,
  columns: Side,
  start: number,
  width: number,
  rowLabels: boolean,
  columnLabels: boolean,
): string[] {
  const labelWidth = rowLabels ? String(rows.offsets.length - 1).length + 1 : 0;
  const indent = " ".repeat(labelWidth);
  const out: string[] = [];
  if (columnLabels) {
    let header = `${indent} `;
    for (let c = 0; c < columns.offsets.length; c++) {
      header += `${columns.lines[c]! > 0 ? "  " : ""} ${String(c).padStart(width)}`;
    }
    out.push(header);
  }
  out.push(indent + rule(columns, width, "┌", "┐", "┬", "╥", "─"));
  for (let r = 0; r < rows.offsets.length; r++) {
    const weight = rows.lines[r]!;
    if (weight === 1) out.push(indent + rule(columns, width, "├", "┤", "┼", "╫", "─"));
    if (weight > 1) out.push(indent + rule(columns, width, "╞", "╡", "╪", "╬", "═"));
    let line = rowLabels ? `${String(r).padStart(labelWidth - 1)} │` : "│";
    for (let c = 0; c < columns.offsets.length; c++) {
      const bar = columns.lines[c]!;
      const index = start + rows.offsets[r]! + columns.offsets[c]!;
      line += `${bar > 1 ? " ║" : bar > 0 ? " │" : ""} ${String(index).padStart(width)}`;
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
  for (let c = 0; c < columns.lines.length; c++) {
    const bar = columns.lines[c]!;
    if (bar > 0) line += stroke + (bar > 1 ? double : single);
    line += stroke.repeat(width + 1);
  }
  return line + stroke + right;
}
