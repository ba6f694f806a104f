import type { Block, MemorySource } from "@sw/buffer";
import type { Operand } from "@sw/tensor/seam";
import { arrayOf, type DType, readElement, type TypedArray, type Value, writeElement } from "../values.js";
import { type Placement, positionsOf } from "./placing.js";
import { createSlab } from "./slab.js";

// An operand's block, from its start: a lead, the window that the kernel is handed, a tail. The window begins and ends
// with guards. So what a kernel writes before or after its output stays within the block, be it in elements of the
// window (a loop that runs on) or in bytes of the memory (a vector store at the end of a row), and is found.

const LEAD = 64;
const TAIL = 64;
/** In bytes, at each end of the window: four vectors of 16 bytes, and no multiple of 64, for addresses of every kind. */
const GUARD = 80;

/** Where a case takes memory from: the heap for operands, and room for what they held before. */
export interface Workspace {
  readonly heap: MemorySource;
  readonly snapshots: MemorySource;
}

export function createWorkspace(): Workspace {
  return { heap: createSlab(2 ** 16), snapshots: createSlab(2 ** 16) };
}

/** An operand in memory, and what is needed to see what was done to it. */
export interface Placed {
  readonly dtype: DType;
  readonly placement: Placement;
  readonly source: MemorySource;
  readonly block: Block;
  /** From the start of the window to the area, in elements. */
  readonly guard: number;
  /** The positions of the elements, in the area. */
  readonly positions: readonly number[];
  readonly snapshots: MemorySource;
  readonly snapshot: Block;
  /** What the block holds before the kernel runs. */
  readonly before: Uint8Array;
}

/**
 * Takes memory for an operand.
 *
 * @param loops - how many of the axes tell elements apart; the others have stride 0.
 */
export function allocate(
  source: MemorySource,
  { snapshots }: Workspace,
  dtype: DType,
  placement: Placement,
  loops: number,
): Placed {
  const width = arrayOf(dtype).BYTES_PER_ELEMENT;
  const guard = GUARD / width;
  const positions = positionsOf(placement, loops);
  const block = source.allocate(LEAD + (placement.length + 2 * guard) * width + TAIL);
  const snapshot = snapshots.allocate(block.byteLength);
  const before = new Uint8Array(snapshots.bytes(snapshot), snapshot.address, block.byteLength);
  return { dtype, placement, source, block, guard, positions, snapshots, snapshot, before };
}

function bytesOf(placed: Placed): Uint8Array {
  return new Uint8Array(placed.source.bytes(placed.block), placed.block.address, placed.block.byteLength);
}

function windowOf(placed: Placed): TypedArray {
  const array = arrayOf(placed.dtype);
  const length = placed.placement.length + 2 * placed.guard;
  return new array(placed.source.bytes(placed.block), placed.block.address + LEAD, length);
}

/** Fills the whole block with a byte, then writes the elements, if they are given. */
export function fill(placed: Placed, byte: number, values: readonly Value[] | undefined): void {
  const bytes = bytesOf(placed);
  bytes.fill(byte);
  if (values !== undefined) {
    const data = windowOf(placed);
    const { dtype, guard, positions } = placed;
    for (let i = 0; i < positions.length; i++) writeElement(dtype, data, guard + positions[i]!, values[i]!);
  }
  placed.before.set(bytes);
}

/** Makes the operand that a kernel is handed: over a window of this moment, with lists of its own. */
export function operandOf(placed: Placed): Operand {
  const { dtype, placement, guard } = placed;
  const { shape, strides, offset } = placement;
  return { dtype, data: windowOf(placed), offset: guard + offset, shape: [...shape], strides: [...strides] };
}

/** Reads the elements, row-major. */
export function readAll(placed: Placed): Value[] {
  const data = windowOf(placed);
  return placed.positions.map((at) => readElement(placed.dtype, data, placed.guard + at));
}

/** A byte that changed although nobody may write there. */
export interface Stray {
  /** In elements from the operand's element (0, 0, …); a fraction where a part of an element changed. */
  readonly index: number;
  readonly before: number;
  readonly after: number;
}

/**
 * Finds the first byte of the block that changed, apart from the operand's own elements if it is an output. Those are
 * taken over into what is compared with, so it asks once a call.
 */
export function findStray(placed: Placed, isOutput: boolean): Stray | undefined {
  const { before, positions, guard, placement } = placed;
  const width = arrayOf(placed.dtype).BYTES_PER_ELEMENT;
  const after = bytesOf(placed);
  if (isOutput) {
    for (const position of positions) {
      const start = LEAD + (guard + position) * width;
      for (let i = start; i < start + width; i++) before[i] = after[i]!;
    }
  }
  for (let i = 0; i < before.length; i++) {
    if (after[i] !== before[i]) {
      const index = (i - LEAD) / width - guard - placement.offset;
      return { index, before: before[i]!, after: after[i]! };
    }
  }
  return undefined;
}

/** Gives the memory back. */
export function free(placed: Placed): void {
  placed.source.free(placed.block);
  placed.snapshots.free(placed.snapshot);
}
