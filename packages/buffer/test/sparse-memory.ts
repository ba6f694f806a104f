const PAGE = 65_536;

/** What `SparseMemory` can be told to do. */
interface SparseOptions {
  readonly initial: number;
  readonly maximum?: number;
  /** Called before the host grows by so many pages; a throw is the host's refusal. */
  readonly onGrow?: (pages: number) => void;
}

/**
 * A `WebAssembly.Memory` of any size without the bytes: its array buffer tells a length that it does
 * not have, and is detached by growth as a real one is. For the arithmetic of addresses alone.
 */
export class SparseMemory implements WebAssembly.Memory {
  buffer: ArrayBuffer;
  pages: number;
  readonly maximum: number;
  readonly onGrow: (pages: number) => void;

  constructor({ initial, maximum = 65_536, onGrow = () => {} }: SparseOptions) {
    this.buffer = bufferOf(initial);
    this.pages = initial;
    this.maximum = maximum;
    this.onGrow = onGrow;
  }

  grow(pages: number): number {
    this.onGrow(pages);
    const previous = this.pages;
    if (previous + pages > this.maximum) throw new RangeError("the memory is at its maximum");
    structuredClone(this.buffer, { transfer: [this.buffer] });
    this.pages += pages;
    this.buffer = bufferOf(this.pages);
    return previous;
  }
}

function bufferOf(pages: number): ArrayBuffer {
  return Object.defineProperty(new ArrayBuffer(64), "byteLength", { value: pages * PAGE });
}
