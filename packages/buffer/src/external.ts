import type { AllocateOptions, Allocator } from "./allocator.js";
import { BufferPool } from "./buffer-pool.js";
import { DataBuffer } from "./data-buffer.js";
import { BufferStateError, reclaimError } from "./errors.js";
import { type Remainder, watch } from "./finalizer.js";
import { heapMemory } from "./heap-memory.js";
import type { Block, MemorySource } from "./memory-source.js";
import { checkByteLength } from "./size.js";
import { isArrayBuffer } from "./typed-array.js";

/** How memory is wrapped. @since 0.1.0 */
export interface WrapOptions {
  /** Refuses writes at the write gate. */
  readonly readOnly?: boolean;
  /**
   * Called exactly once, when the buffer is released or was forgotten: the memory is no longer looked at. A function
   * that reaches the buffer keeps it from being forgotten. What it throws after that has no caller and ends the process.
   */
  readonly onRelease?: () => void;
}

/**
 * Wraps somebody else's memory as a buffer without copying: a typed array, a window of one, a
 * `DataView`, or a whole array buffer. Writes through the buffer are seen by the owner, and the
 * owner's by the buffer. The address is where the window starts, aligned or not.
 * What its `owner` allocates is ordinary heap memory.
 *
 * @throws TypeError for anything but memory, or an `onRelease` that cannot be called.
 * @throws BufferSizeError `SW_BUFFER_SIZE` for more than 2³¹−1 bytes.
 * @since 0.1.0
 */
export function wrapMemory(bytes: ArrayBufferView | ArrayBufferLike, options: WrapOptions = {}): DataBuffer {
  const isView = ArrayBuffer.isView(bytes);
  if (!isView && !isArrayBuffer(bytes)) {
    throw new TypeError(
      `wrapMemory: not memory: got ${bytes === null ? "null" : typeof bytes}, expected a typed array, a DataView or an array buffer.`,
    );
  }
  const byteLength = bytes.byteLength;
  checkByteLength("wrapMemory", byteLength);
  const block: Block = { address: isView ? bytes.byteOffset : 0, byteLength };
  const source = new WrappedMemory(isView ? bytes.buffer : bytes, block.address + byteLength);
  const { onRelease } = options;
  // Found by the finalizer it would end the process.
  if (onRelease !== undefined && typeof onRelease !== "function") {
    throw new TypeError(`wrapMemory: onRelease cannot be called: got ${typeof onRelease}, expected a function.`);
  }
  const release = callOnce(onRelease);
  const buffer = new DataBuffer(new WrapOwner(release), source, block, byteLength);
  buffer.readOnly = options.readOnly ?? false;
  if (onRelease !== undefined) watch(buffer, release);
  return buffer;
}

/** The one array buffer that a wrapped window lies in. It has nothing to hand out. */
class WrappedMemory implements MemorySource {
  readonly name: string;
  readonly buffer: ArrayBufferLike;
  /** Where the window ends within `buffer`. */
  readonly endAddress: number;
  constructor(buffer: ArrayBufferLike, endAddress: number) {
    this.name = "wrapped";
    this.buffer = buffer;
    this.endAddress = endAddress;
  }

  /** Another number once the memory was transferred, or detached by growth of its WebAssembly memory. */
  get epoch(): number {
    return this.buffer.byteLength < this.endAddress ? 1 : 0;
  }

  allocate(byteLength: number): Block {
    throw new BufferStateError(
      "SW_BUFFER_BLOCK",
      "allocate",
      `wrapped memory gives no blocks: got a request of ${byteLength} bytes, expected none.`,
    );
  }

  free(): void {
    // The memory is its owner's; `onRelease` tells that it is no longer used.
  }

  bytes(): ArrayBufferLike {
    if (this.epoch > 0) {
      throw new BufferStateError(
        "SW_BUFFER_DETACHED",
        "view",
        `the wrapped memory was taken away: got ${this.buffer.byteLength} bytes, expected at least ${this.endAddress}. Wrap it again.`,
      );
    }
    return this.buffer;
  }
}

/** The call that is left to make when a wrapped buffer is no longer used. */
function callOnce(onRelease: (() => void) | undefined): Remainder {
  let left = onRelease;
  return {
    forgotten(): void {
      const call = left;
      // First, so that a call that throws is not made again.
      left = undefined;
      call?.();
    },
  };
}

/** The owner of one wrapped buffer. What belongs to such a tensor (gradients, state) gets heap memory from it. */
class WrapOwner implements Allocator {
  readonly source: MemorySource;
  readonly released: Remainder;
  pool: BufferPool | undefined;
  constructor(released: Remainder) {
    this.source = heapMemory();
    this.released = released;
    this.pool = undefined;
  }

  allocate(byteLength: number, options?: AllocateOptions): DataBuffer {
    this.pool ??= new BufferPool({ source: this.source });
    return this.pool.allocate(byteLength, options);
  }

  reclaim(buffer: DataBuffer): void {
    if (buffer.owner !== this || buffer.state !== "returned") throw reclaimError(buffer.state);
    buffer.detach();
    this.released.forgotten();
  }
}
