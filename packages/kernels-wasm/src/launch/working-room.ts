import type { Block } from "@sw/buffer";
import type { Operand } from "@sw/tensor/seam";
import type { CoreExports } from "../kernels/core.js";
import { FOREIGN, type OwnMemory } from "../own-memory.js";
import { copyElements } from "../staging.js";
import { copyStrided } from "./copy.js";
import type { Side } from "./nest.js";

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
  private readonly core: CoreExports;
  private readonly outputs: readonly Operand[];
  private readonly inputs: readonly Operand[];
  private readonly operands: readonly Operand[];
  private readonly addresses: readonly number[];
  private readonly blocks: Block[] = [];
  private readonly copies: Copy[] = [];
  /** Outputs that are read. */
  private readonly changed: Operand[] = [];
  /** How many operands that live elsewhere were taken in. */
  staged = 0;

  constructor(own: OwnMemory, core: CoreExports, outputs: readonly Operand[], inputs: readonly Operand[]) {
    this.own = own;
    this.core = core;
    this.outputs = outputs;
    this.inputs = inputs;
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

  /**
   * Locates one of the operands, or the copy that it gets where it lies elsewhere, or not row-major as the kernel wants it.
   * What is written in its own place has one copy.
   */
  locate(operand: Operand, asIs = false): Located {
    const { shape } = operand;
    const known = this.copies.find((copy) => copy.operand === operand);
    if (known !== undefined) return known.located;
    const from = this.addressOf(operand);
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

  /** As `locate`, of an output that is read as well. */
  locateChanged(operand: Operand): Located {
    this.changed.push(operand);
    return this.locate(operand);
  }

  /** The whole memory as it is now, as float32. */
  floats(): Float32Array {
    return new Float32Array(this.own.source.memory.buffer);
  }

  /** Copies what has a copy and is read. */
  fill(): void {
    const read = [...this.inputs, ...this.changed];
    for (const copy of this.copies) if (read.includes(copy.operand)) this.transfer(copy, false);
  }

  /** Copies back the outputs that have a copy. */
  giveBack(): void {
    for (const copy of this.copies) if (this.outputs.includes(copy.operand)) this.transfer(copy, true);
  }

  /** Copies the elements of one operand to the places of another of its shape, wherever they live. */
  copy(to: Operand, from: Operand): void {
    const [toAt, fromAt] = [this.addressOf(to), this.addressOf(from)];
    if (toAt === FOREIGN || fromAt === FOREIGN) copyElements(to, from);
    else copyStrided(this.core, bytesOf(to), to.shape, sideOf(to, toAt), sideOf(from, fromAt));
  }

  free(): void {
    for (const block of this.blocks) this.own.source.free(block);
  }

  private addressOf(operand: Operand): number {
    return this.addresses[this.operands.indexOf(operand)]!;
  }

  /** Copies an operand into its copy, or back. */
  private transfer({ operand, from, located }: Copy, back: boolean): void {
    if (from === FOREIGN) {
      const copy = this.operandAt(operand, located.at, located.strides);
      if (back) copyElements(operand, copy);
      else copyElements(copy, operand);
      return;
    }
    const bytes = bytesOf(operand);
    const [own, copied] = [sideOf(operand, from), sideOf({ data: operand.data, strides: located.strides }, located.at)];
    if (back) copyStrided(this.core, bytes, operand.shape, own, copied);
    else copyStrided(this.core, bytes, operand.shape, copied, own);
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

function sideOf(operand: Pick<Operand, "data" | "strides">, at: number): Side {
  const bytes = operand.data.BYTES_PER_ELEMENT;
  return { at, steps: operand.strides.map((stride) => stride * bytes) };
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
