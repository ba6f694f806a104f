import { columnMajor, type Layout, morton, rowMajor, strided, tiled } from "@sw/layout";
import { layoutTag } from "./descriptor/descriptor.js";
import { entryOf } from "./descriptor/layouts.js";
import { storageShape } from "./descriptor/schemes.js";
import { DYNAMIC } from "./descriptor/shape.js";
import type { Descriptor, DescriptorLayout, TiledForm, TileOrder } from "./descriptor/types.js";
import { HurrayLimitError, HurrayUnsupportedError } from "./errors.js";

const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Gives the layout that a descriptor means: from a coordinate to an element offset, relative to
 * the element at index 0. Tiled and Morton layouts are padded: their domain is whole tiles, or powers of two.
 *
 * @throws HurrayUnsupportedError `SW_HURRAY_DYNAMIC_UNSUPPORTED` while a dimension is dynamic,
 * `SW_HURRAY_LAYOUT_UNSUPPORTED` where no layout says it: Hilbert curves, tiles that do not divide the tile around them,
 * and what is not dense.
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` for numbers that JavaScript does not hold exactly.
 * @since 0.1.0
 */
export function placementOf(descriptor: Descriptor, operation = "placementOf"): Layout {
  const shape = sizesOf(descriptor, operation);
  const { layout, quantisation } = descriptor;
  const known = layout.kind === "tiled" ? tilesDivide(layout) : layout.kind === "morton" || isFlat(layout);
  if (!known) {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_LAYOUT_UNSUPPORTED",
      `${operation}: no layout places these elements: got layout ${layout.kind}, expected rowMajor, columnMajor, strided, tiled with tiles that divide, or morton. Its descriptor and buffers can be read.`,
      { layoutTag: layoutTag(descriptor) },
    );
  }
  // A quantised axis is stored in whole blocks, which moves the strides but not the extents (A7).
  const stored = isCompact(layout) ? storageShape(descriptor.shape, quantisation) : descriptor.shape;
  checkProduct(operation, "the number of elements", stored);
  if (layout.kind === "strided") {
    const strides = toNumbers(operation, "a stride", layout.strides);
    checkReach(operation, layout, stored);
    return strided(shape, strides);
  }
  if (layout.kind === "tiled" || layout.kind === "morton") {
    // An empty box has no tile and no code, and what they would be may pass all bounds.
    if (shape.includes(0)) return rowMajor(shape);
    checkReach(operation, layout, stored);
    if (layout.kind === "morton") return morton(layout.bits);
    checkTiles(operation, layout, stored);
    return tiled(shape, tilesOf(operation, layout));
  }
  const compact = layout.kind === "rowMajor" ? rowMajor : columnMajor;
  if (stored === descriptor.shape) return compact(shape);
  return strided(shape, compact(toNumbers(operation, "the size of a dimension", stored)).stride);
}

/**
 * Gives the shape of a descriptor as numbers.
 *
 * @throws as `placementOf`.
 */
export function sizesOf(descriptor: Descriptor, operation: string): number[] {
  if (descriptor.shape.includes(DYNAMIC)) {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_DYNAMIC_UNSUPPORTED",
      `${operation}: a dimension is not known yet: got a dynamic dimension, expected known sizes. Make a descriptor with the sizes filled in.`,
    );
  }
  return toNumbers(operation, "the size of a dimension", descriptor.shape);
}

/** Refuses a number that is not exact. */
export function checkSafe(operation: string, what: string, value: bigint): void {
  if (value > SAFE || value < -SAFE) {
    throw new HurrayLimitError(operation, what, value, "at most 2^53 - 1, which a number holds exactly");
  }
}

function isCompact(layout: DescriptorLayout): boolean {
  return layout.kind === "rowMajor" || layout.kind === "columnMajor";
}

function isFlat(layout: DescriptorLayout): boolean {
  return isCompact(layout) || layout.kind === "strided";
}

/** Every partial product is exact, so that strides are. */
function checkProduct(operation: string, what: string, extents: readonly bigint[]): void {
  let product = 1n;
  for (const extent of extents) if (extent > 0n) product *= extent;
  checkSafe(operation, what, product);
}

/** Refuses offsets that are not exact; the shape is as stored. */
export function checkReach(operation: string, layout: DescriptorLayout, stored: readonly bigint[]): void {
  const { span } = entryOf(layout.kind);
  if (span === undefined || stored.includes(0n)) return;
  const { lowest, highest } = span(layout, stored);
  checkSafe(operation, "the reach of strides", highest - lowest);
}

function toNumbers(operation: string, what: string, values: readonly bigint[]): number[] {
  return values.map((value) => {
    checkSafe(operation, what, value);
    return Number(value);
  });
}

/** Whether each nested tile divides the tile around it: only then are the tiles a layout (A6). */
export function tilesDivide({ tile, inner }: TiledForm): boolean {
  if (!isTiled(inner)) return true;
  return tile.every((extent, k) => extent % inner.tile[k]! === 0n) && tilesDivide(inner);
}

/** The box of whole tiles, which is the domain of the layout. */
function checkTiles(operation: string, { tile }: TiledForm, shape: readonly bigint[]): void {
  const whole = shape.map((extent, k) => ((extent + tile[k]! - 1n) / tile[k]!) * tile[k]!);
  checkProduct(operation, "the elements of whole tiles", whole);
}

function tilesOf(operation: string, form: TiledForm): Parameters<typeof tiled>[1] {
  const order = (given: TileOrder) =>
    typeof given === "string" ? given : { strides: toNumbers(operation, "a stride", given.strides) };
  return {
    tile: toNumbers(operation, "the size of a tile", form.tile),
    outer: order(form.outer),
    inner: isTiled(form.inner) ? tilesOf(operation, form.inner) : order(form.inner),
  };
}

export function isTiled(inner: TileOrder | TiledForm): inner is TiledForm {
  return typeof inner === "object" && "tile" in inner;
}
