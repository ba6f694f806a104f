import { describe, LayoutError, notAnInteger } from "./errors.js";
import { formatLayout, isLayout, type Layout, trusted } from "./layout.js";
import { asMode, fromModes, type Mode, modeAt, modeIn, nested, UNIT_MODE } from "./modes.js";
import { copyShape } from "./tree.js";

/**
 * One entry per leading mode of a layout: a layout, an integer n for `n:1`, or null, which leaves the mode as it is
 * (LA-67). Modes beyond the tiler stay too (LA-68).
 *
 * @since 0.1.0
 */
export type Tiler = readonly (Layout | number | null)[];

/** How the two halves of every mode are gathered: `((T..),(R..))`, `((T..),R..)` or `(T..,R..)` (LA-82). */
export type Grouping = "zipped" | "tiled" | "flat";

/** An operation on a layout, or on one mode of it, and a layout. */
export type Combine = (operation: string, l: Layout, tile: Layout) => Layout;

/** Whether an operand is a list of tiles; a layout is known by its brand. */
export function isTiler(value: Layout | number | Tiler): value is Tiler {
  return Array.isArray(value);
}

/** Reads a layout, or an integer n as `n:1`. */
export function toLayout(operation: string, value: Layout | number): Layout {
  if (isLayout(value)) return value;
  if (typeof value !== "number") {
    throw new TypeError(
      `${operation}: argument is neither a layout nor an integer: got ${describe(value)}, expected a value made by layout() or an integer.`,
    );
  }
  if (!Number.isInteger(value)) throw notAnInteger(operation, "argument", value);
  return trusted(copyShape(operation, [value]), [1]);
}

/** Reads a tiler for a layout: null for each mode that stays, those beyond the tiler included. */
function readTiler(operation: string, l: Layout, tiler: Tiler): (Layout | null)[] {
  const tiles: (Layout | null)[] = [];
  const read = Math.min(tiler.length, Math.max(l.rank, 8) + 1); // of too many, those that the message shows
  for (let i = 0; i < read; i++) tiles.push(tiler[i] === null ? null : toLayout(operation, tiler[i]!));
  if (tiles.length > l.rank) {
    const problem = `the tiler has too many entries: got ${formatTiler(tiles)}, expected at most ${l.rank} (layout ${formatLayout(l)}).`;
    throw new LayoutError("SW_LAYOUT_TILER", operation, problem, { layout: l, value: tiler.length });
  }
  while (tiles.length < l.rank) tiles.push(null);
  return tiles;
}

/** Writes a tiler as CuTe does, `<(3):(4),_>`, cut at eight entries. */
function formatTiler(tiles: readonly (Layout | null)[]): string {
  const text = tiles.slice(0, 8).map((tile) => (tile === null ? "_" : formatLayout(tile)));
  if (tiles.length > 8) text.push("…");
  return `<${text.join(",")}>`;
}

/** Combines each mode that has a tile with it; the other modes stay. */
export function byMode(operation: string, l: Layout, tiler: Tiler, combine: Combine): Layout {
  const modes = readTiler(operation, l, tiler).map((tile, i) =>
    tile === null ? modeIn(l, i) : asMode(combine(operation, modeAt(operation, l, i), tile)),
  );
  return fromModes(operation, modes);
}

/**
 * Combines by mode, or the whole with one layout, and gathers the halves. `combine` gives rank 2; a mode without a tile
 * has the halves `1:0` and itself (LA-84), and those beyond the tiler are in the second group (LA-83).
 */
export function regroup(
  operation: string,
  grouping: Grouping,
  l: Layout,
  tiler: Layout | number | Tiler,
  combine: Combine,
): Layout {
  if (!isTiler(tiler)) {
    const halves = combine(operation, l, toLayout(operation, tiler));
    if (grouping === "zipped") return halves;
    const second = modesIn(halves, 1);
    return fromModes(
      operation,
      grouping === "tiled" ? [modeIn(halves, 0), ...second] : [...modesIn(halves, 0), ...second],
    );
  }
  const first: Mode[] = [];
  const second: Mode[] = [];
  const tiles = readTiler(operation, l, tiler);
  for (let i = 0; i < tiles.length; i++) {
    const tile = tiles[i]!;
    if (tile === null) {
      if (i < tiler.length) first.push(UNIT_MODE);
      second.push(modeIn(l, i));
    } else {
      const halves = combine(operation, modeAt(operation, l, i), tile);
      first.push(modeIn(halves, 0));
      second.push(modeIn(halves, 1));
    }
  }
  if (grouping === "zipped") return fromModes(operation, [nested(first), nested(second)]);
  return fromModes(operation, grouping === "tiled" ? [nested(first), ...second] : [...first, ...second]);
}

/** The modes inside a mode; a leaf is its own only one. */
function modesIn(l: Layout, i: number): Mode[] {
  const { shape, stride } = modeIn(l, i);
  if (typeof shape === "number" || typeof stride === "number") return [{ shape, stride }];
  return shape.map((extent, k) => ({ shape: extent, stride: stride[k]! }));
}
