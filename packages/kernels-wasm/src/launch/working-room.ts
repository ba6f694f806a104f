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

/** A copy of an operand, and where that lies itself. */
interface Copy {
  readonly operand: Operand;
  readonly from: number;
  readonly located: Located;
}

/**
 * What a kernel takes of the memory for the time of a call. Room is taken first, all of it, since that may grow the
 * memory, after which windows are invalid; then `fill` copies the operands that must lie row-major, or here at all, and
 * at the end `giveBack` copies the outputs.
 */
export class WorkingRoom {
  private readonly own: OwnMemory;
  private readonly outputs: readonly Operand[];
  private readonly operands: readonly Operand[];
  private readonly addresses: readonly number[];
  private readonly blocks: Block[] = [];
  private readonly copies: Copy[] = [];
  /** How many operands that live elsewhere were taken in. */
  staged = 0;

  constructor(own: OwnMemory, outputs: readonly Operand[], inputs: readonly Operand[]) {
    this.own = own;
    this.outputs = outputs;
    this.operands = [...outputs, ...inputs];
    // Now, since a window that growth has made invalid says nothing.
    this.addresses = this.operands.map((operand) => own.addressOf(operand, bytesOf(operand)));
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
    const strides = rowMajor(shape, asIs ? operand.strides : undefined);
    const at = this.take(
      shape.reduce((size, extent, i) => (strides[i] === 0 ? size : size * extent), bytesOf(operand)),
    );
    const located = { at, shape, strides };
    this.copies.push({ operand, from, located });
    return located;
  }

  /** The whole memory as it is now, as float32. */
  floats(): Float32Array {
    return new Float32Array(this.own.source.memory.buffer);
  }

  /** Copies the inputs that have a copy. */
  fill(): void {
    for (const copy of this.copies) {
      if (!this.outputs.includes(copy.operand)) copyElements(this.copyOf(copy), this.original(copy));
    }
  }

  /** Copies back the outputs that have a copy. */
  giveBack(): void {
    for (const copy of this.copies) {
      if (this.outputs.includes(copy.operand)) copyElements(this.original(copy), this.copyOf(copy));
    }
  }

  free(): void {
    for (const block of this.blocks) this.own.source.free(block);
  }

  /** The operand through a window of now. */
  private original({ operand, from }: Copy): Operand {
    return from === FOREIGN ? operand : this.operandAt(operand, from, operand.strides);
  }

  private copyOf({ operand, located }: Copy): Operand {
    return this.operandAt(operand, located.at, located.strides);
  }

  private operandAt({ dtype, data, shape }: Operand, at: number, strides: readonly number[]): Operand {
    const window = data.constructor as new (buffer: ArrayBufferLike) => Operand["data"];
    return {
      dtype,
      data: new window(this.own.source.memory.buffer),
      offset: at / data.BYTES_PER_ELEMENT,
      shape,
      strides,
    };
  }
}

function bytesOf({ data }: Operand): number {
  return data.BYTES_PER_ELEMENT;
}

/** Strides without gaps; loops that stand still do so still, where they are given. */
function rowMajor(shape: readonly number[], given?: readonly number[]): number[] {
  const strides = new Array<number>(shape.length).fill(0);
  let step = 1;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (given?.[axis] === 0) continue;
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
