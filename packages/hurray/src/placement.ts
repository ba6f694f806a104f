import { columnMajor, type Layout, type TiledForm as LayoutForm, morton, rowMajor, strided, tiled } from "@sw/layout";
import { layoutTag } from "./descriptor/descriptor.js";
import { entryOf } from "./descriptor/layouts.js";
import { storageShape } from "./descriptor/schemes.js";
import { DYNAMIC } from "./descriptor/shape.js";
import type { Descriptor, DescriptorLayout, TiledForm, TileOrder } from "./descriptor/types.js";
import { HurrayLimitError, HurrayUnsupportedError } from "./errors.js";

/**
 * Gives the layout that a descriptor means: from a coordinate to an element offset, relative to
 * the element at index 0. Tiled and Morton layouts are padded: their domain is whole tiles, or powers of two.
 *
 * @throws HurrayUnsupportedError `SW_HURRAY_DYNAMIC_UNSUPPORTED` while a dimension is dynamic,
 * `SW_HURRAY_LAYOUT_UNSUPPORTED` where no layout says it: Hilbert curves, tiles that do not divide the tile around them,
 * and what is not dense.
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` for numbers that JavaScript does not hold exactly; LayoutError for tiles that
 * are so large although their strides are 0.
 * @since 0.1.0
 */
export function placementOf(descriptor: Descriptor, operation = "placementOf"): Layout {
  const shape = sizesOf(descriptor, operation);
  const { layout, quantisation } = descriptor;
  const { kind } = layout;
  const isCompact = kind === "rowMajor" || kind === "columnMajor";
  // A quantised axis is stored in whole blocks, which moves the strides but not the extents (A7).
  const stored = isCompact ? storageShape(descriptor.shape, quantisation) : descriptor.shape;
  const compact = kind === "columnMajor" ? columnMajor : rowMajor;
  checkReach(operation, layout, stored);
  if (kind === "strided") return strided(shape, layout.strides.map(Number));
  if (isCompact)
    return stored === descriptor.shape ? compact(shape) : strided(shape, compact(stored.map(Number)).stride);
  if (kind === "tiled" || kind === "morton") {
    // An empty box has no tile and no code, and what they would be may pass all bounds.
    if (shape.includes(0)) return rowMajor(shape);
    if (kind === "morton") return morton(layout.bits);
    if (tilesDivide(layout)) return tiled(shape, tilesOf(layout));
  }
  throw new HurrayUnsupportedError(
    "SW_HURRAY_LAYOUT_UNSUPPORTED",
    `${operation}: no tensor has this layout: got ${kind}, expected another. Read its buffers.`,
    { layoutTag: layoutTag(descriptor) },
  );
}

/**
 * Gives the shape of a descriptor as numbers.
 *
 * @throws as `placementOf`.
 */
export function sizesOf({ shape }: Descriptor, operation: string): number[] {
  return shape.map((extent) => {
    if (extent === DYNAMIC) {
      throw new HurrayUnsupportedError(
        "SW_HURRAY_DYNAMIC_UNSUPPORTED",
        `${operation}: a dimension is dynamic: got no size, expected one. Fill it in first.`,
      );
    }
    return exact(operation, "the size of a dimension", extent);
  });
}

/** Gives a number of the format as one of JavaScript. @throws HurrayLimitError when that is not exact. */
export function exact(operation: string, what: string, value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new HurrayLimitError(operation, what, value, "at most 2^53 - 1");
}

/** Refuses counts and offsets that are not exact, of partial products too, so that strides are; the shape is as stored. */
export function checkReach(operation: string, layout: DescriptorLayout, stored: readonly bigint[]): void {
  const product = stored.reduce((count, extent) => (extent > 0n ? count * extent : count), 1n);
  exact(operation, "the number of elements", product);
  const { span } = entryOf(layout.kind);
  if (span === undefined || stored.includes(0n)) return;
  const { lowest, highest } = span(layout, stored);
  exact(operation, "the reach of strides", highest - lowest);
}

/** Whether each nested tile divides the tile around it: only then are the tiles a layout (A6). */
export function tilesDivide({ tile, inner }: TiledForm): boolean {
  return !isTiled(inner) || (tile.every((extent, k) => extent % inner.tile[k]! === 0n) && tilesDivide(inner));
}

/** Whether what is inside a tile is tiles again. */
export function isTiled(inner: TileOrder | TiledForm): inner is TiledForm {
  return typeof inner === "object" && "tile" in inner;
}

function tilesOf({ tile, outer, inner }: TiledForm): LayoutForm {
  const order = (given: TileOrder) => (typeof given === "string" ? given : { strides: given.strides.map(Number) });
  return { tile: tile.map(Number), outer: order(outer), inner: isTiled(inner) ? tilesOf(inner) : order(inner) };
}
