import { BlockList, type WasmBlock } from "./block-list.js";
import { blockError, OutOfMemoryError, unsupportedError } from "./errors.js";
import type { Block, MemorySource } from "./memory-source.js";
import { ALIGNMENT, alignUp, checkByteLength, checkInteger } from "./size.js";
import { isArrayBuffer } from "./typed-array.js";

/** The page of WebAssembly: memories grow in whole pages. */
const PAGE = 65_536;
/** What 32-bit addresses reach. */
const MAX_MEMORY_BYTES = 2 ** 32;
/** Pages are free until they are touched, but an engine counts them at once: of 64 MiB and more V8 collects garbage. */
const INITIAL_BYTES = 2 ** 24;

/** Options of a `WasmMemory` over a memory that exists. @since 0.1.0 */
export interface WasmMemoryOptions {
  /** How far the memory may grow; 4 GiB by default. A lower maximum of the memory itself holds as well. */
  readonly maximumBytes?: number;
  /** Bytes at the start that are the instance's own (data, stack) and are never handed out; 0 by default. */
  readonly reservedBytes?: number;
}

/** Options of `wasmMemory`. @since 0.1.0 */
export interface WasmMemoryInit extends WasmMemoryOptions {
  /** The size to begin with; 16 MiB by default. Pages take no memory until they are touched. */
  readonly initialBytes?: number;
  /**
   * Makes a memory that can be handed to workers; `false` by default. The source itself stays in its
   * thread: workers receive `memory` and addresses, and neither allocate nor grow.
   */
  readonly shared?: boolean;
}

/**
 * A memory source in the linear memory of WebAssembly, where kernels work in place. Blocks are
 * 64-byte aligned, free neighbours join, the smallest free range that suffices is used, and the
 * memory grows by doubling up to its maximum. It never hands out address 0, nor a page that
 * somebody else grew.
 *
 * Growing a memory that is not shared detaches every array over it. Over a shared one, old arrays
 * stay good but end where the memory ended, and growth by another thread does not show: it is for
 * the thread that has the source to grow the memory.
 * @since 0.1.0
 */
export class WasmMemory implements MemorySource {
  readonly name: string;
  readonly memory: WebAssembly.Memory;
  /** Whether other threads may hold the memory as well. */
  readonly isShared: boolean;
  readonly maximumBytes: number;
  readonly blocks: BlockList;
  /** See `MemorySource.onExhausted`. */
  onExhausted: (() => void) | undefined;
  /** The bytes that blocks in use take. */
  inUse: number;
  /** The memory's array buffer as a whole, replaced when it was found to be out of date. */
  whole: Uint8Array;
  seenEpoch: number;

  /**
   * Takes charge of a memory, from `reservedBytes` to its present end.
   *
   * @throws TypeError for anything but a memory, or when an option is not an integer.
   * @throws BufferSizeError `SW_BUFFER_OPTION` when an option is out of range.
   */
  constructor(memory: WebAssembly.Memory, options: WasmMemoryOptions = {}) {
    const { maximumBytes = MAX_MEMORY_BYTES, reservedBytes = 0 } = options;
    if (!isArrayBuffer(memory?.buffer)) {
      throw new TypeError(`WasmMemory: not a memory: got ${typeof memory}, expected a WebAssembly.Memory.`);
    }
    const capacity = memory.buffer.byteLength;
    checkInteger("SW_BUFFER_OPTION", "WasmMemory", "maximumBytes", maximumBytes, 0, MAX_MEMORY_BYTES);
    checkInteger("SW_BUFFER_OPTION", "WasmMemory", "reservedBytes", reservedBytes, 0, capacity);
    this.name = "wasm";
    this.memory = memory;
    this.isShared = String(memory.buffer) === "[object SharedArrayBuffer]";
    this.maximumBytes = maximumBytes;
    this.blocks = new BlockList();
    this.onExhausted = undefined;
    this.inUse = 0;
    this.whole = new Uint8Array(memory.buffer);
    this.seenEpoch = 1;
    // Address 0 means "nothing" to many kernels, so the first line stays unused.
    const start = alignUp(reservedBytes);
    if (start < capacity) this.blocks.extend(start, capacity - start);
  }

  /** See `MemorySource.epoch`. It moves at every growth; that by others is noticed where it detaches `whole`. */
  get epoch(): number {
    if (this.whole.length === 0) this.refresh();
    return this.seenEpoch;
  }

  /** How many bytes the memory has now, used or not. */
  get capacity(): number {
    return this.memory.buffer.byteLength;
  }

  /** Takes the best fitting free range; grows the memory when there is none. See `MemorySource.allocate`. */
  allocate(byteLength: number): Block {
    checkByteLength("allocate", byteLength);
    const room = alignUp(byteLength);
    let block = this.blocks.take(room);
    // More than once only when another thread grew the memory in between.
    while (block === undefined) {
      let refusal: unknown;
      try {
        this.grow(byteLength);
      } catch (error) {
        refusal = error;
        this.onExhausted?.();
      }
      block = this.blocks.take(room);
      if (block === undefined && refusal !== undefined) throw refusal;
    }
    this.inUse += room;
    return block;
  }

  /** Gives a block back and joins it with free neighbours. See `MemorySource.free`. */
  free(block: Block): void {
    if ((block as WasmBlock).owner !== this.blocks) throw blockError("free", block.address);
    this.inUse -= block.byteLength;
    this.blocks.free(block as WasmBlock);
  }

  /** The memory's present array buffer; the same for every block. */
  bytes(_block: Block): ArrayBufferLike {
    if (this.whole.length === 0) this.refresh();
    return this.whole.buffer;
  }

  /** Grows the memory so that there is a free range for a request. */
  grow(byteLength: number): void {
    const room = alignUp(byteLength);
    const capacity = this.capacity;
    // Free bytes at the very end count, since the new pages join them.
    const missing = Math.ceil((room - this.blocks.freeBefore(capacity)) / PAGE);
    const allowed = Math.floor((this.maximumBytes - capacity) / PAGE);
    if (missing > allowed) throw new OutOfMemoryError(byteLength, this.inUse, this.maximumBytes);
    const wanted = Math.min(allowed, Math.max(missing, capacity / PAGE));
    let previous: number;
    let pages = wanted;
    try {
      previous = this.memory.grow(wanted);
    } catch {
      // The host may refuse to double and still grant what is needed.
      pages = missing;
      try {
        previous = this.memory.grow(missing);
      } catch (cause) {
        throw new OutOfMemoryError(byteLength, this.inUse, capacity, { cause });
      }
    }
    this.refresh();
    const end = (previous + pages) * PAGE;
    const start = Math.max(ALIGNMENT, previous * PAGE);
    this.blocks.extend(start, end - start);
  }

  /** Looks at the memory anew; typed arrays made before count as invalid. */
  refresh(): void {
    this.whole = new Uint8Array(this.memory.buffer);
    this.seenEpoch += 1;
  }
}

/**
 * Creates a WebAssembly memory and a source over it.
 *
 * @throws TypeError when an option is not an integer.
 * @throws BufferSizeError `SW_BUFFER_OPTION` when an option is out of range.
 * @throws OutOfMemoryError `SW_BUFFER_OUT_OF_MEMORY` when the host refuses the initial size.
 * @throws BufferStateError `SW_BUFFER_UNSUPPORTED` when `shared` is wanted of a host that has no `SharedArrayBuffer`.
 * @since 0.1.0
 */
export function wasmMemory(options: WasmMemoryInit = {}): WasmMemory {
  const {
    maximumBytes = MAX_MEMORY_BYTES,
    initialBytes = Math.min(INITIAL_BYTES, maximumBytes),
    shared = false,
  } = options;
  checkInteger("SW_BUFFER_OPTION", "wasmMemory", "maximumBytes", maximumBytes, PAGE, MAX_MEMORY_BYTES);
  checkInteger("SW_BUFFER_OPTION", "wasmMemory", "initialBytes", initialBytes, 0, maximumBytes);
  if (shared && typeof SharedArrayBuffer === "undefined") throw unsupportedError("wasmMemory");
  const maximum = Math.floor(maximumBytes / PAGE);
  const initial = Math.min(maximum, Math.max(1, Math.ceil(initialBytes / PAGE)));
  let memory: WebAssembly.Memory;
  try {
    memory = new WebAssembly.Memory({ initial, maximum, shared });
  } catch (cause) {
    throw new OutOfMemoryError(initial * PAGE, 0, maximum * PAGE, { cause });
  }
  return new WasmMemory(memory, { ...options, maximumBytes: maximum * PAGE });
}
