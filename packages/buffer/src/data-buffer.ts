import type { Allocator } from "./allocator.js";
import { BufferAlignmentError, type BufferEnd, BufferStateError, StaleBufferError } from "./errors.js";
import type { Block, MemorySource } from "./memory-source.js";
import type { HostArrayConstructor, TypedArray, TypedArrayConstructor } from "./typed-array.js";

/**
 * Where a buffer is in its life: `live` in somebody's hands; `returned` while its owner takes
 * it back; `idle` in its owner's, to be handed out again; `gone` when its block was given back.
 * @since 0.1.0
 */
export type BufferState = "live" | "returned" | "idle" | "gone";

const NO_BLOCK: Block = { address: 0, byteLength: 0 };

/**
 * A run of bytes with an owner, a generation and a version. Buffer objects are recycled with
 * their memory, so a buffer alone says nothing about who may use it: a handle remembers the
 * buffer *and* the generation it was given, and every use compares the two.
 *
 * All fields are plain and public, because pools, arenas and other installed copies of this
 * package read them. Only the owner writes them, `readOnly` aside.
 * @since 0.1.0
 */
export class DataBuffer {
  /** Who gave the buffer and takes it back. */
  readonly owner: Allocator;
  /** The memory that `block` lies in. */
  source: MemorySource;
  /** The block that the buffer lies in; it may hold other buffers too (those of an arena). */
  block: Block;
  /** Where the buffer starts, in bytes within `source.bytes(block)`. */
  address: number;
  /** Bytes asked for. The room in the block may be larger. */
  byteLength: number;
  /** Grows when the buffer is released or its arena is reset; starts at 1. */
  generation: number;
  /** Grows with every write that passes the write gate; 0 when the buffer is handed out. */
  version: number;
  /** Refuses writes at the write gate. */
  readOnly: boolean;
  /** Where the buffer is in its life. */
  state: BufferState;
  /** How the generation before this one ended. */
  end: BufferEnd;
  /** The next buffer in its owner's free list. */
  next: DataBuffer | undefined;
  /** The window made last, with the constructor and the epoch it was made by. */
  lastWindow: TypedArray | undefined;
  lastType: unknown;
  lastEpoch: number;

  /** Makes a live buffer of generation 1. For authors of allocators; users call `allocate`. */
  constructor(
    owner: Allocator,
    source: MemorySource,
    block: Block,
    byteLength: number,
    address: number = block.address,
  ) {
    this.owner = owner;
    this.source = source;
    this.block = block;
    this.address = address;
    this.byteLength = byteLength;
    this.generation = 1;
    this.version = 0;
    this.readOnly = false;
    this.state = "live";
    this.end = "released";
    this.next = undefined;
    this.lastWindow = undefined;
    this.lastType = undefined;
    this.lastEpoch = 0;
  }

  /** Whether a handle of that generation may still use the buffer. */
  isLive(generation: number): boolean {
    return generation === this.generation && this.state === "live";
  }

  /**
   * Checks that a handle of that generation may still use the buffer.
   *
   * @throws StaleBufferError `SW_BUFFER_STALE`, naming both generations.
   * @throws BufferStateError `SW_BUFFER_RELEASED` for the generation of a buffer that waits in its owner's hands.
   */
  checkLive(generation: number, operation: string): void {
    if (generation === this.generation && this.state === "live") return;
    if (generation === this.generation) throw givenBackError(operation, this);
    // Only the end of the generation before this one is known.
    const end = generation + 1 === this.generation ? this.end : undefined;
    throw new StaleBufferError(operation, generation, this.generation, end);
  }

  /**
   * Makes a typed window over the buffer: as many whole elements as fit its bytes. It shares the
   * memory and is good until the next allocation in it, which may move the memory: do not keep it.
   *
   * @throws BufferStateError `SW_BUFFER_RELEASED` when nobody holds the buffer; `SW_BUFFER_DETACHED` when wrapped memory was taken away.
   * @throws BufferAlignmentError `SW_BUFFER_ALIGNMENT` when the address is no multiple of the element size.
   */
  view<A extends TypedArray>(type: HostArrayConstructor<A>): A;
  view<A extends TypedArray>(type: TypedArrayConstructor<A>): A;
  view(type: TypedArrayConstructor): TypedArray {
    // The epoch is asked even when a window is at hand: growth by others must be noticed.
    const epoch = this.source.epoch;
    if (this.lastType === type && this.lastEpoch === epoch && this.state === "live") return this.lastWindow!;
    if (this.state !== "live") throw givenBackError("view", this);
    const size = type.BYTES_PER_ELEMENT;
    if (this.address % size !== 0) throw new BufferAlignmentError("view", nameOf(type), this.address, size);
    const window = new type(this.source.bytes(this.block), this.address, Math.floor(this.byteLength / size));
    this.lastWindow = window;
    this.lastType = type;
    this.lastEpoch = epoch;
    return window;
  }

  /**
   * The write gate: every mutation passes it before its first write. Checks that the handle is live
   * and the buffer writable, then counts the version up.
   *
   * @throws StaleBufferError `SW_BUFFER_STALE` for a handle of an earlier generation.
   * @throws BufferStateError `SW_BUFFER_READ_ONLY` for a read-only buffer.
   */
  beginWrite(generation: number, operation: string = "write"): void {
    if (generation !== this.generation || this.state !== "live") this.checkLive(generation, operation);
    if (this.readOnly) {
      throw new BufferStateError(
        "SW_BUFFER_READ_ONLY",
        operation,
        "the buffer is read-only: got a write, expected reads only. Write into a copy.",
      );
    }
    this.version += 1;
  }

  /**
   * Gives the buffer back to its owner. Does nothing when the generation is not the present one:
   * releasing twice is nothing, and a stale handle never releases the memory of its next owner.
   */
  release(generation: number): void {
    if (generation !== this.generation || this.state !== "live") return;
    this.retire("released");
    this.owner.reclaim(this);
  }

  /** Ends the present generation. For owners; users call `release`. */
  retire(end: BufferEnd): void {
    this.state = "returned";
    this.end = end;
    this.generation += 1;
  }

  /** Hands the buffer out again. For owners. */
  renew(byteLength: number): void {
    if (byteLength !== this.byteLength) {
      this.byteLength = byteLength;
      this.dropWindow();
    }
    this.version = 0;
    this.readOnly = false;
    this.state = "live";
  }

  /** Lets go of the block, so that stale handles keep no memory alive. For owners. */
  detach(): void {
    this.block = NO_BLOCK;
    this.state = "gone";
    this.dropWindow();
  }

  /** Forgets the window made last. For owners that move the buffer. */
  dropWindow(): void {
    this.lastWindow = undefined;
    this.lastType = undefined;
  }
}

function givenBackError(operation: string, buffer: DataBuffer): BufferStateError {
  return new BufferStateError(
    "SW_BUFFER_RELEASED",
    operation,
    `the buffer was given back: got a buffer that is ${buffer.state} at generation ${buffer.generation}, expected a live one. Remember the generation when the buffer is handed out.`,
  );
}

function nameOf(type: TypedArrayConstructor): string {
  return (type as { readonly name?: string }).name ?? "the element type";
}
