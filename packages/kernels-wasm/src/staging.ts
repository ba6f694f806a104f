import type { Block } from "@sw/buffer";
import type { WasmMemory } from "@sw/buffer/wasm";
import type { Operand } from "@sw/tensor/seam";

// Operands that live outside of the kernels' memory are copied into it for the time of a call: row-major, with no
// loop where they are broadcast.

/**
 * Tells whether an operand's elements are all in its window. They are not when the window's memory grew, or was
 * transferred: such a window has no elements.
 */
export function isWhole({ data, offset, shape, strides }: Operand): boolean {
  let lowest = offset;
  let highest = offset;
  for (let loop = 0; loop < shape.length; loop++) {
    const extent = shape[loop]!;
    if (extent === 0) return true;
    const reach = (extent - 1) * strides[loop]!;
    if (reach < 0) lowest += reach;
    else highest += reach;
  }
  return lowest >= 0 && highest < data.length;
}

/**
 * Finds the first input that is the very same elements as the operand at a position, the output being at 0; the position
 * itself where there is none before it.
 */
export function twinOf(operand: Operand, operands: readonly Operand[], position: number): number {
  for (let k = 1; k < position; k++) {
    const { data, offset, strides } = operands[k]!;
    if (data !== operand.data || offset !== operand.offset || strides.length !== operand.strides.length) continue;
    const { shape } = operands[k]!;
    if (strides.every((stride, i) => stride === operand.strides[i] && shape[i] === operand.shape[i])) return k;
  }
  return position;
}

/** Takes room for an operand. This may grow the memory, after which older windows over it are invalid. */
export function takeRoom(memory: WasmMemory, operand: Operand): Block {
  let count = 1;
  operand.shape.forEach((extent, loop) => {
    count *= operand.strides[loop] === 0 ? 1 : extent;
  });
  return memory.allocate(count * 4);
}

/** Describes the copy that lies in a block. Without elements yet: see `copyElements`. */
export function stagedOperand(memory: WasmMemory, operand: Operand, block: Block): Operand {
  const { dtype, shape } = operand;
  const strides = new Array<number>(shape.length).fill(0);
  let count = 1;
  for (let loop = shape.length - 1; loop >= 0; loop--) {
    if (operand.strides[loop] === 0) continue;
    strides[loop] = count;
    count *= shape[loop]!;
  }
  return {
    dtype,
    data: new Float32Array(memory.bytes(block), block.address, block.byteLength / 4),
    offset: 0,
    shape,
    strides,
  };
}

/** Copies the elements of one operand to another of its shape and dtype, bit for bit; broadcast loops are copied once. */
export function copyElements(to: Operand, from: Operand): void {
  const target = bitsOf(to);
  const source = bitsOf(from);
  const words = to.data.BYTES_PER_ELEMENT === 8 ? 2 : 1;
  const loops: number[] = [];
  for (let loop = 0; loop < to.shape.length; loop++) {
    // What stands still in both is there once, even where the loop is of nothing: a sum of no elements has a result.
    if (to.strides[loop] === 0 && from.strides[loop] === 0) continue;
    if (to.shape[loop] === 0) return;
    if (to.shape[loop] !== 1) loops.push(loop);
  }
  const inner = loops.pop();
  const copyRows = (depth: number, at: number, fromAt: number): void => {
    const loop = loops[depth];
    if (loop !== undefined) {
      const [step, fromStep] = [to.strides[loop]!, from.strides[loop]!];
      for (let i = 0; i < to.shape[loop]!; i++) copyRows(depth + 1, at + i * step, fromAt + i * fromStep);
      return;
    }
    const count = inner === undefined ? 1 : to.shape[inner]!;
    const step = inner === undefined ? 1 : to.strides[inner]!;
    const fromStep = inner === undefined ? 1 : from.strides[inner]!;
    if (step === 1 && fromStep === 1) {
      target.set(source.subarray(fromAt * words, (fromAt + count) * words), at * words);
      return;
    }
    for (let word = 0; word < words; word++) {
      for (let i = 0; i < count; i++) {
        target[(at + i * step) * words + word] = source[(fromAt + i * fromStep) * words + word]!;
      }
    }
  };
  copyRows(0, to.offset, from.offset);
}

/** The elements as integers, since a signalling NaN would change in a floating-point register; of 8 bytes as two each. */
function bitsOf({ data }: Operand): Int32Array | Uint16Array | Uint8Array {
  const { buffer, byteOffset, byteLength, BYTES_PER_ELEMENT } = data;
  if (BYTES_PER_ELEMENT === 1) return new Uint8Array(buffer, byteOffset, byteLength);
  if (BYTES_PER_ELEMENT === 2) return new Uint16Array(buffer, byteOffset, byteLength / 2);
  return new Int32Array(buffer, byteOffset, byteLength / 4);
}
