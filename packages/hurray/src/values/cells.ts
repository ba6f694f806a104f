import type { Layout } from "@sw/layout";
import { boxParts, indexOf, layoutEquals, rowMajor, strided } from "@sw/layout";
import { forEachRun } from "@sw/layout/walk";
import { dataRange } from "../descriptor/descriptor.js";
import { entryOf } from "../descriptor/layouts.js";
import type { Descriptor } from "../descriptor/types.js";
import { rangeOfTag } from "../elements.js";
import { groupOf, type Places, placesOf } from "./address.js";
import { type Copy, codeReader, codeWriter, wordCopier } from "./copy.js";

// Cells are elements in row-major order by their width alone, whatever they mean: whole bytes as they are stored, and a byte
// for each element that is narrower.

/** Whether elements lie where a formula says. */
export function isDense({ layout }: Descriptor): boolean {
  return entryOf(layout.kind).layoutClass === "dense";
}

/** Bytes of a cell. */
export function cellWidth(bits: number): number {
  return Math.max(8, bits) / 8;
}

/** Cells, and whether they are the bytes that they came from. */
export interface Gathered {
  readonly cells: Uint8Array;
  readonly shared: boolean;
}

/**
 * Gathers the elements of a dense tensor: a window where they lie in row-major order already, and whole.
 *
 * @throws as `elementPlace`.
 */
export function gather(operation: string, descriptor: Descriptor, buffer: Uint8Array): Gathered {
  const places = placesOf(operation, descriptor);
  const { shape, bits, layout } = places;
  const count = shape.reduce((product, extent) => product * extent, 1);
  if (count === 0) return { cells: new Uint8Array(0), shared: false };
  const { bytes, origin } = elementsOf(descriptor, places, buffer);
  if (bits >= 8 && layout !== undefined && layoutEquals(layout, rowMajor(shape))) {
    // Padding may follow: a quantised axis is stored in whole blocks.
    return { cells: bytes.subarray(0, (count * bits) / 8), shared: true };
  }
  const cells = new Uint8Array(count * cellWidth(bits));
  forEachPlace(places, origin, cellReader(descriptor, bits, bytes, cells));
  return { cells, shared: false };
}

/**
 * Writes cells to where a dense descriptor has them; the bytes between them stay as they are.
 *
 * @throws as `elementPlace`.
 */
export function scatter(operation: string, descriptor: Descriptor, cells: Uint8Array, buffer: Uint8Array): void {
  const places = placesOf(operation, descriptor);
  const { shape, bits } = places;
  if (shape.includes(0)) return;
  const { bytes, origin } = elementsOf(descriptor, places, buffer);
  const copy = bits < 8 ? codeWriter(bits, cells, bytes) : wordCopier(bits, cells, bytes);
  forEachPlace(places, origin, (at, step, cell, cellStep, count) => copy(cell, cellStep, at, step, count));
}

/** What copies elements as they are stored into cells. */
export function cellReader({ typeTag }: Descriptor, bits: number, bytes: Uint8Array, cells: Uint8Array): Copy {
  if (bits >= 8) return wordCopier(bits, bytes, cells);
  const signed = rangeOfTag(typeTag)?.[0] ?? 0;
  return codeReader(bits, signed < 0, bytes, cells);
}

/** The bytes from the lowest element to the highest, and where index 0 lies in them, counted in elements. */
function elementsOf(
  descriptor: Descriptor,
  { bits }: Places,
  buffer: Uint8Array,
): { readonly bytes: Uint8Array; readonly origin: number } {
  const { start, end } = dataRange(descriptor)!;
  const group = groupOf(bits);
  const origin = (Number(descriptor.byteOffset - start) / group.bytes) * group.elements;
  return { bytes: buffer.subarray(Number(start), Number(end)), origin };
}

/** Calls with runs of elements, as they are placed and as they follow each other in row-major order. */
function forEachPlace(places: Places, origin: number, visit: Copy): void {
  if (places.layout === undefined) forEachElement(places, origin, visit);
  else forEachLayoutRun(places.layout, places.shape, origin, visit);
}

/** Calls with runs of a box inside a layout. */
export function forEachLayoutRun(layout: Layout, shape: readonly number[], origin: number, visit: Copy): void {
  const flat = rowMajor(shape);
  const strides = flat.stride as readonly number[];
  for (const part of boxParts(layout, shape)) {
    const from = origin + part.offset;
    const to = indexOf(flat, part.start);
    forEachRun([part.layout, strided(part.extents, strides)], (starts, steps, count) => {
      visit(from + starts[0]!, steps[0]!, to + starts[1]!, steps[1]!, count);
    });
  }
}

/** One element after another, the last dimension fastest. */
function forEachElement({ shape, offsetOf }: Places, origin: number, visit: Copy): void {
  const coordinate = shape.map(() => 0);
  for (let to = 0; ; to++) {
    visit(origin + offsetOf(coordinate), 1, to, 1, 1);
    let k = shape.length - 1;
    while (k >= 0 && ++coordinate[k]! === shape[k]) coordinate[k--] = 0;
    if (k < 0) return;
  }
}

/** What one step along each dimension counts in row-major order. */
export function rowMajorStrides(shape: readonly number[]): number[] {
  const strides = shape.map(() => 1);
  for (let k = shape.length - 2; k >= 0; k--) strides[k] = strides[k + 1]! * shape[k + 1]!;
  return strides;
}
