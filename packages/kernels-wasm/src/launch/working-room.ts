import type { Block } from "@sw/buffer";
import type { Operand } from "@sw/tensor/seam";
import { FOREIGN, type OwnMemory } from "../own-memory.js";
import { copyElements } from "../staging.js";

/** An operand as kernels see it: the address of element (0, 0, …), and strides in elements. */
export interface Located {
  readonly at: number;
  readonly shape: readonly number[];
  readonly strides: readonly number[];
}

/** A kernel that takes room, which its caller frees. */
export type LaunchInRoom<Engine> = (
  engine: Engine,
  room: WorkingRoom,
  out: Operand,
  inputs: readonly Operand[],
  ints: readonly number[],
) => void;

/**
 * What a kernel takes of the memory for the time of a call. Room is taken first, all of it, since that may grow the
 * memory, after which windows are invalid; then `fill` copies the operands that must lie row-major, or here at all. All
 * operands are of one dtype, float32 or float64.
 */
export class WorkingRoom {
  private readonly own: OwnMemory;
  private readonly bytes: 4 | 8;
  private readonly addresses: readonly number[];
  private readonly operands: readonly Operand[];
  private readonly blocks: Block[] = [];
  private readonly copies: { readonly operand: Operand; readonly from: number; readonly copy: Located }[] = [];
  /** How many operands that live elsewhere were taken in. */
  staged = 0;

  constructor(own: OwnMemory, operands: readonly Operand[]) {
    this.own = own;
    this.operands = operands;
    this.bytes = operands[0]!.dtype === "float64" ? 8 : 4;
    // Now, since a window that growth has made invalid says nothing.
    this.addresses = operands.map((operand) => own.addressOf(operand, this.bytes));
  }

  /** Takes room and gives its address. */
  take(bytes: number): number {
    const block = this.own.source.allocate(bytes);
    this.blocks.push(block);
    return block.address;
  }

  /** Locates one of the operands, or the copy that it gets where it lies elsewhere, or not row-major as the kernel wants it. */
  locate(operand: Operand, asIs = false): Located {
    const { shape } = operand;
    const from = this.addresses[this.operands.indexOf(operand)]!;
    if (from !== FOREIGN && (asIs || isRowMajor(operand))) return { at: from, shape, strides: operand.strides };
    if (from === FOREIGN) this.staged++;
    const strides = rowMajor(shape);
    const at = this.take(shape.reduce((product, extent) => product * extent, this.bytes));
    const copy = { at, shape, strides };
    this.copies.push({ operand, from, copy });
    return copy;
  }

  /** The whole memory as it is now, as float32. */
  floats(): Float32Array {
    return new Float32Array(this.own.source.memory.buffer);
  }

  /** Copies what was located into its copies, but for the output. */
  fill(out: Located): void {
    for (const { operand, from, copy } of this.copies) {
      if (copy !== out) copyElements(this.operandAt(copy), this.original(operand, from));
    }
  }

  /** Copies the output back if it has a copy. */
  giveBack(out: Located): void {
    for (const { operand, from, copy } of this.copies) {
      if (copy === out) copyElements(this.original(operand, from), this.operandAt(copy));
    }
  }

  free(): void {
    for (const block of this.blocks) this.own.source.free(block);
  }

  /** The operand through a window of now. */
  private original(operand: Operand, at: number): Operand {
    return at === FOREIGN ? operand : this.operandAt({ ...operand, at });
  }

  private operandAt({ at, shape, strides }: Located): Operand {
    const { buffer } = this.own.source.memory;
    const { bytes } = this;
    const data = bytes === 8 ? new Float64Array(buffer) : new Float32Array(buffer);
    return { dtype: bytes === 8 ? "float64" : "float32", data, offset: at / bytes, shape, strides };
  }
}

function rowMajor(shape: readonly number[]): number[] {
  const strides = new Array<number>(shape.length);
  let step = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = step;
    step *= Math.max(1, shape[axis]!);
  }
  return strides;
}

function isRowMajor({ shape, strides }: Operand): boolean {
  let step = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (shape[axis] !== 1 && strides[axis] !== step) return false;
    step *= shape[axis]!;
  }
  return true;
}
