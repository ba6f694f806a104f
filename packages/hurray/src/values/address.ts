import { indexOf, type Layout } from "@sw/layout";
import { hilbert } from "@sw/layout/maps";
import { elementBits, layoutTag } from "../descriptor/descriptor.js";
import { entryOf } from "../descriptor/layouts.js";
import type { Descriptor, TiledForm, TileOrder } from "../descriptor/types.js";
import { HurrayUnsupportedError, HurrayValueError } from "../errors.js";
import { checkReach, exact, isTiled, placementOf, sizesOf, tilesDivide } from "../placement.js";

/** Where an element of a dense layout lies in buffer 0. @since 0.1.0 */
export interface ElementPlace {
  /** From the element at index 0, in elements; negative where strides lead there. */
  readonly offset: number;
  /** Of its first byte, from the start of the buffer; of a 6-bit element that of its group of three bytes (A39). */
  readonly byteOffset: number;
  /** Of its lowest bit: in that byte for elements of 1, 2 and 4 bits, in the group for 6 bits, else 0. */
  readonly bit: number;
}

/** Tells where the elements of a dense descriptor lie: what `elementPlace` asks for each coordinate. */
export interface Places {
  readonly shape: readonly number[];
  readonly bits: number;
  /** The layout that says the same, where there is one; its domain may be larger than the shape. */
  readonly layout?: Layout;
  /** Element offset of a coordinate inside the shape. */
  offsetOf(coordinate: readonly number[]): number;
}

/** Elements that share whole bytes, and how many bytes they are: where counting may start in a packed buffer. */
export function groupOf(bits: number): { readonly elements: number; readonly bytes: number } {
  if (bits === 6) return { elements: 4, bytes: 3 };
  return bits < 8 ? { elements: 8 / bits, bytes: 1 } : { elements: 1, bytes: bits / 8 };
}

/**
 * Tells where the element at a coordinate lies in buffer 0: any dense layout, any element type, private ones included.
 *
 * @throws TypeError for a coordinate that is no list.
 * @throws RangeError `SW_HURRAY_VALUE` for a coordinate outside the shape.
 * @throws HurrayUnsupportedError `SW_HURRAY_DYNAMIC_UNSUPPORTED` while a dimension is dynamic,
 * `SW_HURRAY_LAYOUT_UNSUPPORTED` for what is not dense, or opaque.
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` for numbers that JavaScript does not hold exactly; LayoutError for tiles that
 * are so large although their strides are 0.
 * @since 0.1.0
 */
export function elementPlace(descriptor: Descriptor, coordinate: readonly number[]): ElementPlace {
  const operation = "elementPlace";
  const places = placesOf(operation, descriptor);
  requireCoordinate(operation, places.shape, coordinate);
  return placeAt(descriptor, places, coordinate);
}

/** The place of a coordinate that is known to be inside. */
export function placeAt(descriptor: Descriptor, places: Places, coordinate: readonly number[]): ElementPlace {
  const offset = places.offsetOf(coordinate);
  const { elements, bytes } = groupOf(places.bits);
  const group = Math.floor(offset / elements);
  const bit = (offset - group * elements) * (places.bits % 8);
  return { offset, byteOffset: Number(descriptor.byteOffset) + group * bytes, bit };
}

const known = new WeakMap<Descriptor, Places>();

/**
 * The places of a descriptor, which are worked out once.
 *
 * @throws as `elementPlace`.
 */
export function placesOf(operation: string, descriptor: Descriptor): Places {
  const present = known.get(descriptor);
  if (present !== undefined) return present;
  const places = makePlaces(operation, descriptor);
  known.set(descriptor, places);
  return places;
}

function makePlaces(operation: string, descriptor: Descriptor): Places {
  const { layout: form } = descriptor;
  const bits = elementBits(descriptor);
  if (descriptor.opaque === true || bits === undefined || entryOf(form.kind).layoutClass !== "dense") {
    const what = descriptor.opaque === true ? "a descriptor that breaks rules" : `layout ${form.kind}`;
    throw new HurrayUnsupportedError(
      "SW_HURRAY_LAYOUT_UNSUPPORTED",
      `${operation}: elements have no place by formula: got ${what}, expected a dense layout.`,
      { layoutTag: layoutTag(descriptor) },
    );
  }
  const shape = sizesOf(descriptor, operation);
  exact(operation, "a byte offset", descriptor.byteOffset + descriptor.buffers[0]!.byteSize);
  if (form.kind === "hilbert" && !shape.includes(0)) {
    exact(operation, "the size of a Hilbert curve", 2n ** BigInt(form.order * shape.length));
    const curve = hilbert(form.order, shape.length);
    return { shape, bits, offsetOf: (coordinate) => curve.index(coordinate) };
  }
  if (form.kind === "tiled" && !tilesDivide(form)) {
    checkReach(operation, form, descriptor.shape);
    return {
      shape,
      bits,
      offsetOf: (coordinate) => Number(tiledOffset(form, descriptor.shape, coordinate.map(BigInt))),
    };
  }
  const layout = placementOf(descriptor, operation);
  return { shape, bits, layout, offsetOf: (coordinate) => indexOf(layout, coordinate) };
}

/**
 * The formula of section 4.3, level by level, for tiles that do not divide the tile around them: neighbours may collide,
 * so that no layout says it (A6). Exact, since strides of 0 may hide tiles of any size.
 */
function tiledOffset(form: TiledForm, extents: readonly bigint[], coordinate: readonly bigint[]): bigint {
  const { tile, outer, inner } = form;
  const grid = extents.map((extent, k) => (extent + tile[k]! - 1n) / tile[k]!);
  const which = coordinate.map((x, k) => x / tile[k]!);
  const within = coordinate.map((x, k) => x % tile[k]!);
  const inTile = isTiled(inner) ? tiledOffset(inner, tile, within) : orderedOffset(inner, tile, within);
  return orderedOffset(outer, grid, which) * tile.reduce((product, extent) => product * extent, 1n) + inTile;
}

function orderedOffset(order: TileOrder, extents: readonly bigint[], coordinate: readonly bigint[]): bigint {
  if (typeof order === "object") return order.strides.reduce((sum, stride, k) => sum + stride * coordinate[k]!, 0n);
  const slowestFirst = [...coordinate.keys()];
  if (order === "columnMajor") slowestFirst.reverse();
  return slowestFirst.reduce((offset, k) => offset * extents[k]! + coordinate[k]!, 0n);
}

/**
 * Refuses what is no coordinate of a shape.
 *
 * @throws TypeError, RangeError as `elementPlace`.
 */
export function requireCoordinate(operation: string, shape: readonly number[], coordinate: readonly number[]): void {
  if (!Array.isArray(coordinate)) {
    throw new TypeError(
      `${operation}: coordinate is no list: got ${typeof coordinate}, expected one integer a dimension.`,
    );
  }
  const inside = (x: number, k: number) => Number.isInteger(x) && x >= 0 && x < shape[k]!;
  if (coordinate.length === shape.length && coordinate.every(inside)) return;
  const given = `[${coordinate.slice(0, 8).join(",")}]`;
  const problem = "the coordinate lies outside the tensor";
  throw new HurrayValueError(operation, "coordinate", problem, given, `a coordinate of shape [${shape.join(",")}]`);
}
