import { coalescedAxes, type FlatAxis } from "./axis-leaves.js";
import { extents, type Layout } from "./layout.js";
import { type TiledForm, type TileOrder, tiled } from "./tiled.js";

/** Steps of the search for tiles before it gives up. */
const STEPS = 4096;

/** The digits of one level of tiles: of each axis its leaf, or 1:0. */
interface Level {
  readonly extents: number[];
  readonly strides: number[];
}

interface Found {
  readonly form: TiledForm;
  /** How far from plain: less is better. */
  readonly cost: number;
}

/**
 * Finds a tiled form of which `tiled(box, form)` is the layout.
 *
 * Each level takes at most one leaf of each axis, in order, and the strides of a level must be multiples of the size of
 * the tile below it. Leaves need not be cut: whatever part of a leaf lies outside a tile could lie outside whole. The
 * fewest levels are tried first (no more than 53: the extents of the leaves are 2 or more); of the forms with as many
 * the one with the fewest strides and column-major levels wins.
 */
export function recogniseTiles(l: Layout, axes: readonly FlatAxis[], box: readonly number[]): TiledForm | undefined {
  if (l.size === 0) {
    return verified(l, box, { tile: extents(l).map((n) => n || 1), outer: "rowMajor", inner: "rowMajor" });
  }
  const leaves = axes.map((axis) => dropOnes(axis));
  let fewest = 1;
  let most = 1;
  for (const { extents } of leaves) {
    fewest = Math.max(fewest, extents.length);
    most += extents.length;
  }
  const used = leaves.map(() => 0);
  const state: Search = { domain: extents(l), box, axes: leaves, best: undefined, steps: STEPS };
  for (let count = fewest; count <= most && state.best === undefined && state.steps > 0; count++) {
    takeLevel(state, count, [], used, 1);
  }
  return state.best === undefined ? undefined : verified(l, box, state.best.form);
}

interface Search {
  readonly domain: readonly number[];
  readonly box: readonly number[];
  readonly axes: readonly FlatAxis[];
  best: Found | undefined;
  steps: number;
}

/** Tries every choice of leaves for the next level, the fewest leaves first. */
function takeLevel(s: Search, count: number, levels: readonly Level[], used: readonly number[], unit: number): void {
  if (levels.length === count) {
    const found = formOf(s, levels);
    if (s.best === undefined || found.cost < s.best.cost) s.best = found;
    return;
  }
  const left = count - levels.length;
  const rank = used.length;
  const level: Level = { extents: used.map(() => 1), strides: used.map(() => 0) };
  const next = [...used];

  function takeAxis(k: number, size: number): void {
    if (s.best?.cost === 0 || --s.steps < 0) return;
    if (k === rank) {
      if (size === 1 && count > 1) return; // a level that takes nothing
      const copy = { extents: [...level.extents], strides: [...level.strides] };
      takeLevel(s, count, [...levels, copy], next, unit * size);
      return;
    }
    const axis = s.axes[k]!;
    const at = used[k]!;
    const rest = axis.extents.length - at;
    if (rest < left) takeAxis(k + 1, size);
    if (rest === 0 || rest > left || axis.strides[at]! % unit !== 0) return;
    level.extents[k] = axis.extents[at]!;
    level.strides[k] = axis.strides[at]!;
    next[k] = at + 1;
    takeAxis(k + 1, size * axis.extents[at]!);
    level.extents[k] = 1;
    level.strides[k] = 0;
    next[k] = at;
  }
  takeAxis(0, 1);
}

/** Writes levels, innermost first, as a form. */
function formOf(s: Search, levels: readonly Level[]): Found {
  let inner: TileOrder | TiledForm = orderOf(levels[0]!, 1);
  let cost = costOf(inner);
  let tile = levels[0]!.extents;
  for (const level of levels.slice(1)) {
    const size = tile.reduce((a, b) => a * b, 1);
    const outer = orderOf(level, size);
    cost += costOf(outer);
    inner = { tile, outer, inner };
    tile = tile.map((extent, k) => extent * level.extents[k]!);
  }
  // The tile must need all of the domain to cover the box; a single tile around the whole always does.
  if (typeof inner === "object" && "tile" in inner) {
    const outermost = inner.tile;
    if (outermost.every((extent, k) => s.domain[k]! - extent < s.box[k]!)) return { form: inner, cost };
  }
  return { form: { tile, outer: "rowMajor", inner }, cost: cost + 10_000 };
}

function orderOf(level: Level, unit: number): TileOrder {
  const strides = level.strides.map((d) => d / unit);
  return compactOrder(level.extents, strides) ?? { strides };
}

function costOf(order: TileOrder): number {
  return order === "rowMajor" ? 0 : order === "columnMajor" ? 1 : 100;
}

function dropOnes(axis: FlatAxis): FlatAxis {
  return axis.extents.length === 1 && axis.extents[0] === 1 ? { extents: [], strides: [] } : axis;
}

/** The form, if the layout it makes is the one given. */
function verified(l: Layout, box: readonly number[], form: TiledForm): TiledForm | undefined {
  const rebuilt = tiled(box, form);
  const same = (a: readonly number[], b: readonly number[]): boolean =>
    a.length === b.length && a.every((x, i) => x === b[i]);
  if (!same(extents(rebuilt), extents(l))) return undefined;
  if (l.size === 0) return form;
  const theirs = coalescedAxes(rebuilt);
  const isSame = coalescedAxes(l).every((axis, k) => {
    const other = theirs[k]!;
    return same(axis.extents, other.extents) && (same(axis.strides, other.strides) || axis.extents[0] === 1);
  });
  return isSame ? form : undefined;
}

/** The order of which these are the strides, if it has a name; strides of extent-1 axes do not count. */
export function compactOrder(
  extents: readonly number[],
  strides: readonly number[],
): "rowMajor" | "columnMajor" | undefined {
  if (isCompact(extents, strides, extents.length - 1, -1)) return "rowMajor";
  return isCompact(extents, strides, 0, 1) ? "columnMajor" : undefined;
}

function isCompact(extents: readonly number[], strides: readonly number[], from: number, step: 1 | -1): boolean {
  let expected = 1;
  for (let i = from; i >= 0 && i < extents.length; i += step) {
    if (extents[i] === 1) continue;
    if (strides[i] !== expected) return false;
    expected *= extents[i]!;
  }
  return true;
}
