import type { WasmMemory } from "@sw/buffer/wasm";
import type { Operand } from "@sw/tensor/seam";

/** Where an operand's elements lie, beside its shape. */
export interface Placing {
  /** Axes in the order of their strides, outermost first; row-major by default. */
  readonly order?: readonly number[];
  /** Axes that run backwards. */
  readonly reversed?: readonly number[];
  /** Axes of stride 0. */
  readonly broadcast?: readonly number[];
  /** Elements between the start of the block and the operand: an odd number makes odd addresses. */
  readonly skip?: number;
  /** Elements between neighbours of the innermost axis. */
  readonly gap?: number;
}

/** An operand in a memory, with the whole window around it. */
export interface Placed extends Operand {
  readonly data: Float32Array;
}

const CANARY = 12345.678;
const MARGIN = 16;

/** Places an operand in a block of its own, all of it canaries, then writes the elements. */
export function place(
  memory: WasmMemory,
  shape: readonly number[],
  value: (ordinal: number) => number,
  placing: Placing = {},
): Placed {
  const { order = shape.map((_, axis) => axis), reversed = [], broadcast = [], skip = 0, gap = 1 } = placing;
  const strides = new Array<number>(shape.length).fill(0);
  let reach = gap;
  for (const axis of [...order].reverse()) {
    if (broadcast.includes(axis)) continue;
    strides[axis] = reach;
    reach *= Math.max(1, shape[axis]!);
  }
  let offset = MARGIN + skip;
  for (const axis of reversed) {
    offset += Math.max(0, shape[axis]! - 1) * strides[axis]!;
    strides[axis] = -strides[axis]!;
  }
  const length = reach + skip + 2 * MARGIN;
  const block = memory.allocate(length * 4);
  const data = new Float32Array(memory.bytes(block), block.address, length).fill(CANARY);
  const operand: Placed = { dtype: "float32", data, offset, shape, strides };
  let ordinal = 0;
  for (const index of indices(operand)) data[index] = value(ordinal++);
  return operand;
}

/** The positions of an operand's elements, row-major. */
export function indices(operand: Operand): number[] {
  let found = [operand.offset];
  operand.shape.forEach((extent, axis) => {
    found = found.flatMap((at) => Array.from({ length: extent }, (_, i) => at + i * operand.strides[axis]!));
  });
  return found;
}

/** The elements of an operand, row-major. */
export function values(operand: Placed): number[] {
  return indices(operand).map((index) => operand.data[index]!);
}

/** Makes the window again after the memory grew. */
export function renewed(memory: WasmMemory, operand: Placed, byteOffset: number, length: number): Placed {
  return { ...operand, data: new Float32Array(memory.memory.buffer, byteOffset, length) };
}

/** How many elements of the window are no longer canaries although they are not the operand's. */
export function strayWrites(operand: Placed): number {
  const own = new Set(indices(operand));
  let stray = 0;
  operand.data.forEach((value, index) => {
    if (!own.has(index) && value !== Math.fround(CANARY)) stray++;
  });
  return stray;
}

/** A reproducible sequence of numbers in (-1, 1). */
export function noise(seed: number): (ordinal: number) => number {
  return (ordinal) => {
    const x = Math.imul(ordinal + 1, 0x9e3779b1) ^ Math.imul(seed + 1, 0x85ebca6b);
    const y = Math.imul(x ^ (x >>> 15), 0x2c1b3c6d);
    return Math.fround(((y ^ (y >>> 12)) | 0) / 2 ** 31);
  };
}
