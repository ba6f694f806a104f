import type { WasmMemory } from "@sw/buffer/wasm";
import type { Operand } from "@sw/tensor/seam";

/** What `addressOf` gives for an operand that lives elsewhere. */
export const FOREIGN = -1;

/**
 * Tells the operands that live in the kernels' memory, and where. Asking a typed array for its buffer and its
 * offset costs more than a small kernel, and buffers hand out the same window again and again: what was found is
 * kept by window, until the memory's epoch says that all windows are invalid.
 */
export class OwnMemory {
  readonly source: WasmMemory;
  private buffers: WeakSet<ArrayBufferLike>;
  private epoch: number;
  private known: WeakMap<object, number>;

  constructor(source: WasmMemory) {
    this.source = source;
    this.epoch = source.epoch;
    this.buffers = new WeakSet([source.memory.buffer]);
    this.known = new WeakMap();
  }

  /** Notices growth; once a call, before the operands are looked at. */
  refresh(): void {
    const { epoch, isShared, memory } = this.source;
    if (this.epoch === epoch) return;
    this.epoch = epoch;
    if (isShared) {
      // Windows of before stay good where the memory is shared, over a buffer of their own.
      this.buffers.add(memory.buffer);
      return;
    }
    this.buffers = new WeakSet([memory.buffer]);
    this.known = new WeakMap();
  }

  /** Finds the address of an operand's element (0, 0, …), or `FOREIGN`. */
  addressOf(operand: Operand, bytes = 4): number {
    const { data } = operand;
    let start = this.known.get(data);
    if (start === undefined) {
      if (!this.buffers.has(data.buffer)) return FOREIGN;
      start = data.byteOffset;
      this.known.set(data, start);
    }
    return start + operand.offset * bytes;
  }
}
