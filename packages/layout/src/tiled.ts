import { LayoutError, notAnInteger } from "./errors.js";
import { checkedSize, type Layout, made } from "./layout.js";
import { copyShape, copyStride, formatShape, type IntTree, isFlat, MAX_DEPTH, requireList } from "./tree.js";

/** The order of the tiles of a grid, or of the elements of a tile; strides of a grid count whole tiles. @since 0.1.0 */
export type TileOrder = "rowMajor" | "columnMajor" | { readonly strides: readonly number[] };

/** A way to cut a box into equal tiles: their extents, their order, and what is inside one. @since 0.1.0 */
export interface TiledForm {
  /** The extents of a tile, one per axis. */
  readonly tile: readonly number[];
  /** The order of the tiles. */
  readonly outer: TileOrder;
  /** The order inside a tile, which may be cut into tiles again. */
  readonly inner: TileOrder | TiledForm;
}

/**
 * Makes the layout of a box that is stored tile by tile (Hurray's tiled layout).
 *
 * The domain is whole tiles: an axis that its tile does not divide is rounded up, and `shape` is the box in it (see
 * `boxParts`). An axis is a mode of (place in the innermost tile, …, number of the tile); what has extent 1 is left out.
 *
 * @throws TypeError for what is no list of integers or no order.
 * @throws LayoutError `SW_LAYOUT_TILE` (another rank, an extent below 1, a nested tile that does not divide the tile
 * around it), `SW_LAYOUT_DEPTH`, and those of `layout`.
 * @example
 * ```ts
 * import { indexOf, tiled } from "@sw/layout";
 * const l = tiled([6, 8], { tile: [2, 4], outer: "rowMajor", inner: "rowMajor" });
 * console.log(String(l), indexOf(l, [3, 5])); // ((2,3),(4,2)):((4,16),(1,8)) 29
 * ```
 * @since 0.1.0
 */
export function tiled(shape: readonly number[], form: TiledForm): Layout {
  return tiledAs("tiled", shape, form);
}

/**
 * Makes the layout in which one axis is cut into blocks of `lanes`, and the place in the block is the fastest: NCHWc is
 * `blocked([n, c, h, w], 1, lanes)`. A case of `tiled`; an axis that is no multiple is rounded up.
 *
 * @throws TypeError, LayoutError `SW_LAYOUT_AXIS`, `SW_LAYOUT_TILE` (lanes below 1), and those of `layout`.
 * @example
 * ```ts
 * import { blocked } from "@sw/layout";
 * console.log(String(blocked([2, 6, 3, 3], 1, 4))); // (2,(4,2),3,3):(72,(1,36),12,4)
 * ```
 * @since 0.1.0
 */
export function blocked(shape: readonly number[], axis: number, lanes: number): Layout {
  const box = flatList("blocked", "shape", shape, copyShape);
  if (!Number.isInteger(axis)) throw notAnInteger("blocked", "axis", axis);
  if (axis < 0 || axis >= box.length) throw noAxis("blocked", axis, box);
  const tile = box.map((_, k) => (k === axis ? lanes : 1));
  return tiledAs("blocked", box, { tile, outer: "rowMajor", inner: "rowMajor" });
}

/**
 * Makes the layout of `[n, c, …]` whose axis 1, the channels, is the fastest, and the others are row-major: NHWC, NDHWC.
 *
 * @throws TypeError, LayoutError `SW_LAYOUT_AXIS` for fewer than two axes, and those of `layout`.
 * @example
 * ```ts
 * import { nhwc } from "@sw/layout";
 * console.log(String(nhwc([2, 3, 4, 5]))); // (2,3,4,5):(60,1,15,3)
 * ```
 * @since 0.1.0
 */
export function nhwc(shape: readonly number[]): Layout {
  const box = flatList("nhwc", "shape", shape, copyShape);
  if (box.length < 2) throw noAxis("nhwc", 1, box);
  const others = ascending(box.length).filter((k) => k !== 1);
  const stride = compact(box, [1, ...others.reverse()]);
  return made("nhwc", box, stride);
}

function tiledAs(operation: string, shape: readonly number[], form: TiledForm): Layout {
  return cut(operation, flatList(operation, "shape", shape, copyShape), form, "divide").layout;
}

/** A form as it was read: the layout of whole tiles at every level, and the levels, the outermost first. */
export interface CutBox {
  readonly layout: Layout;
  readonly levels: readonly TileLevel[];
}

/** One level: the extents of a tile, and how many there are along each axis of what it cuts. */
export interface TileLevel {
  readonly tile: readonly number[];
  readonly grid: readonly number[];
}

/**
 * Cuts a box into tiles. Nested tiles divide the tile around them, or any tile is rounded up to whole ones inside it:
 * then the layout has more elements than the box of whole tiles.
 */
export function cut(operation: string, box: readonly number[], form: TiledForm, nested: "divide" | "roundUp"): CutBox {
  const modes: Mode[] = box.map(() => ({ shape: [], stride: [] }));
  const levels: TileLevel[] = [];
  cutTiles({ operation, nested, modes, levels }, box, form);
  const layout = made(
    operation,
    modes.map((mode) => unwrap(mode.shape, 1)),
    modes.map((mode) => unwrap(mode.stride, 0)),
  );
  return { layout, levels };
}

interface Cut {
  readonly operation: string;
  readonly nested: "divide" | "roundUp";
  readonly modes: Mode[];
  readonly levels: TileLevel[];
}

interface Mode {
  readonly shape: number[];
  readonly stride: number[];
}

/** A mode of one leaf is a leaf, one of none an extent of 1. */
function unwrap(list: number[], none: number): IntTree {
  return list.length > 1 ? list : (list[0] ?? none);
}

/** Appends to each mode what a form does with the box: the leaves inside a tile, then the tile's number. */
function cutTiles(state: Cut, box: readonly number[], form: TiledForm): void {
  const { operation, modes } = state;
  const level = state.levels.length + 1;
  if (level > MAX_DEPTH) {
    const problem = `tiles nest too deep: got more than ${MAX_DEPTH} levels, expected at most ${MAX_DEPTH}.`;
    throw new LayoutError("SW_LAYOUT_DEPTH", operation, problem, { value: level });
  }
  if (typeof form !== "object" || form === null) {
    throw new TypeError(`${operation}: form is not a tiled form: expected { tile, outer, inner }.`);
  }
  const tile = flatList(operation, "tile", form.tile, copyStride);
  if (tile.length !== box.length) {
    const problem = `tile and box differ in rank: got tile ${formatShape(tile)}, expected ${box.length} extents for ${formatShape(box)}.`;
    throw new LayoutError("SW_LAYOUT_TILE", operation, problem, { shape: tile, otherShape: box });
  }
  for (let k = 0; k < tile.length; k++) {
    const mayRoundUp = level === 1 || state.nested === "roundUp";
    if (tile[k]! >= 1 && (mayRoundUp || box[k]! % tile[k]! === 0)) continue;
    const rule = mayRoundUp ? "1 or more" : `a divisor of ${box[k]}, the tile around it`;
    const problem = `a tile does not fit: got extent ${tile[k]} on axis ${k} of tile ${formatShape(tile)}, expected ${rule}.`;
    throw new LayoutError("SW_LAYOUT_TILE", operation, problem, {
      axis: k,
      value: tile[k]!,
      shape: tile,
      otherShape: box,
    });
  }
  // Not Math.ceil of the quotient: that rounds near 2^53.
  const grid = box.map((extent, k) => (extent - (extent % tile[k]!)) / tile[k]! + (extent % tile[k]! === 0 ? 0 : 1));
  state.levels.push({ tile, grid });
  const inner = form.inner;
  if (typeof inner === "object" && inner !== null && "tile" in inner) {
    cutTiles(state, tile, inner);
  } else {
    append(modes, tile, orderStrides(operation, "inner", tile, inner), 1);
  }
  append(modes, grid, orderStrides(operation, "outer", grid, form.outer), checkedSize(operation, tile));
}

function append(modes: Mode[], extents: readonly number[], strides: readonly number[], unit: number): void {
  for (let k = 0; k < modes.length; k++) {
    if (extents[k] === 1) continue;
    modes[k]!.shape.push(extents[k]!);
    modes[k]!.stride.push(strides[k]! * unit);
  }
}

function orderStrides(operation: string, what: string, extents: readonly number[], order: TileOrder): number[] {
  if (order === "rowMajor") return compact(extents, ascending(extents.length).reverse());
  if (order === "columnMajor") return compact(extents, ascending(extents.length));
  if (typeof order !== "object" || order === null) {
    throw new TypeError(`${operation}: ${what} is not an order: expected "rowMajor", "columnMajor" or { strides }.`);
  }
  const strides = flatList(operation, `strides of ${what}`, order.strides, copyStride);
  if (strides.length === extents.length) return strides;
  const problem = `strides of ${what} are of another rank: got ${formatShape(strides)}, expected ${extents.length} strides.`;
  throw new LayoutError("SW_LAYOUT_TILE", operation, problem, { stride: strides, shape: extents });
}

/** The strides of a compact box whose axes are listed fastest first. */
function compact(extents: readonly number[], order: readonly number[]): number[] {
  const strides = extents.map(() => 0);
  let next = 1;
  for (const k of order) {
    strides[k] = next;
    next *= extents[k]!;
  }
  return strides;
}

function ascending(count: number): number[] {
  return Array.from({ length: count }, (_, k) => k);
}

type Copy = (operation: string, list: readonly number[]) => IntTree[];

/** Copies a list that must not nest. */
export function flatList(operation: string, what: string, list: readonly number[], copy: Copy): number[] {
  requireList(operation, what, list);
  for (const item of list as readonly unknown[]) {
    if (typeof item !== "number") throw notAnInteger(operation, `an entry of ${what}`, item);
  }
  const out = copy(operation, list);
  return isFlat(out) ? [...out] : [];
}

function noAxis(operation: string, axis: number, box: readonly number[]): LayoutError {
  const expected = box.length === 0 ? "a shape with axes" : `0 to ${box.length - 1}`;
  const problem = `axis does not exist: got axis ${axis}, expected ${expected} (shape ${formatShape(box)}).`;
  return new LayoutError("SW_LAYOUT_AXIS", operation, problem, { axis, shape: box });
}
