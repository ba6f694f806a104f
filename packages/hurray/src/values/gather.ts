import { boxParts, indexOf, type Layout, layoutEquals, rowMajor, strided } from "@sw/layout";
import { forEachRun } from "@sw/layout/walk";
import { dataRange } from "../descriptor/descriptor.js";
import { entryOf } from "../descriptor/layouts.js";
import type { Descriptor } from "../descriptor/types.js";
import { type ElementTypeName, elementTypeNamed } from "../elements.js";
import { groupOf, type Places, placesOf } from "./address.js";
import { type ElementArray, newElements, windowOf, wordsOf } from "./arrays.js";
import { bytesOf, codeAt, signShift, unpackCodes } from "./pack.js";

/** Whether elements lie where a formula says. */
export function isDense({ layout }: Descriptor): boolean {
  return entryOf(layout.kind).layoutClass === "dense";
}

/** Elements in row-major order, and whether they are the bytes that they came from. */
export interface Gathered {
  readonly elements: ElementArray;
  readonly shared: boolean;
}

/**
 * Gathers the elements of a dense tensor in row-major order: a window where they lie so already, whole and aligned.
 *
 * @throws as `elementPlace`.
 */
export function gather(operation: string, descriptor: Descriptor, type: ElementTypeName, buffer: Uint8Array): Gathered {
  const places = placesOf(operation, descriptor);
  const { shape } = places;
  const count = shape.reduce((product, extent) => product * extent, 1);
  if (count === 0) return { elements: newElements(type, 0), shared: false };
  const { start, end } = dataRange(descriptor)!;
  const bytes = buffer.subarray(Number(start), Number(end));
  // Where index 0 lies, counted from the first element of these bytes.
  const { elements: inGroup, bytes: groupBytes } = groupOf(places.bits);
  const origin = (Number(descriptor.byteOffset - start) / groupBytes) * inGroup;
  const { layout, bits } = places;
  if (bits >= 8 && layout !== undefined && layoutEquals(layout, rowMajor(shape))) {
    // Padding may follow: a quantised axis is stored in whole blocks.
    const elements = windowOf(type, bytes.subarray(0, (count * bits) / 8));
    return { elements, shared: elements.buffer === buffer.buffer };
  }
  const elements = newElements(type, count);
  const copy = copierOf(type, bytes, elements);
  if (layout === undefined) copyEach(places, origin, copy);
  else copyRuns(layout, shape, origin, copy);
  return { elements, shared: false };
}

/** Copies `count` elements, `step` apart from `from` on, to places `toStep` apart from `to` on. */
export type Copy = (from: number, step: number, to: number, toStep: number, count: number) => void;

/** What copies elements as they are stored to elements as they are unpacked. */
export function copierOf(type: ElementTypeName, bytes: Uint8Array, elements: ElementArray): Copy {
  const { bits } = elementTypeNamed(type);
  return bits < 8 ? codeCopier(type, bytes, elements) : wordCopier(bits, bytes, bytesOf(elements));
}

function copyRuns(layout: Layout, shape: readonly number[], origin: number, copy: Copy): void {
  const flat = rowMajor(shape);
  const strides = flat.stride as readonly number[];
  for (const part of boxParts(layout, shape)) {
    const from = origin + part.offset;
    const to = indexOf(flat, part.start);
    forEachRun([part.layout, strided(part.extents, strides)], (starts, steps, count) => {
      copy(from + starts[0]!, steps[0]!, to + starts[1]!, steps[1]!, count);
    });
  }
}

/** One element after another, the last dimension fastest. */
function copyEach({ shape, offsetOf }: Places, origin: number, copy: Copy): void {
  const coordinate = shape.map(() => 0);
  for (let to = 0; ; to++) {
    copy(origin + offsetOf(coordinate), 1, to, 1, 1);
    let k = shape.length - 1;
    while (k >= 0 && ++coordinate[k]! === shape[k]) coordinate[k--] = 0;
    if (k < 0) return;
  }
}

function codeCopier(type: ElementTypeName, bytes: Uint8Array, elements: ElementArray): Copy {
  const { bits } = elementTypeNamed(type);
  const target = elements as Uint8Array | Int8Array;
  const shift = signShift(type, bits);
  return (from, step, to, toStep, count) => {
    if (step === 1 && toStep === 1 && count >= 16) {
      unpackCodes(type, bits, bytes, from, target.subarray(to, to + count));
      return;
    }
    for (let i = 0; i < count; i++) {
      target[to + i * toStep] = (codeAt(bits, bytes, from + i * step) << shift) >> shift;
    }
  };
}

/** What copies elements of whole bytes. */
export function wordCopier(bits: number, bytes: Uint8Array, into: Uint8Array): Copy {
  const { words: source, perElement } = wordsOf(bits, bytes);
  const target = wordsOf(bits, into).words;
  return (from, step, to, toStep, count) => {
    if (step === 1 && toStep === 1 && count >= 16) {
      target.set(source.subarray(from * perElement, (from + count) * perElement), to * perElement);
    } else if (perElement === 1) {
      for (let i = 0; i < count; i++) target[to + i * toStep] = source[from + i * step]!;
    } else {
      for (let i = 0; i < count; i++) {
        const a = (from + i * step) * perElement;
        const b = (to + i * toStep) * perElement;
        for (let w = 0; w < perElement; w++) target[b + w] = source[a + w]!;
      }
    }
  };
}
