import type { BlockRecord } from "./account.js";
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
  generation = 1;
  /** Grows with every write that passes the write gate; 0 when the buffer is handed out. */
  version = 0;
  /** Refuses writes at the write gate. */
  readOnly = false;
  /** Who alone may write and release the buffer, if somebody claimed it. */
  holder: object | undefined = undefined;
  /** Where the buffer is in its life. */
  state: BufferState = "live";
  /** How the generation before this one ended. */
  end: BufferEnd = "released";
  /** The next buffer in its owner's free list. */
  next: DataBuffer | undefined = undefined;
  /** The window made last, with the constructor and the epoch it was made by: an epoch of no memory where there is none. */
  lastWindow: TypedArray | undefined = undefined;
  lastType: unknown = undefined;
  lastEpoch = -1;
  /** All bytes of the block, for owners, with the epoch they were made by. */
  blockWindow: Uint8Array | undefined = undefined;
  blockEpoch = 0;
  /** What a pool knows of the block. */
  record: BlockRecord | undefined = undefined;
  /** The stack of the call that handed the buffer out, where its owner tracks sites. */
  site = "";

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
   * Nor does it keep the buffer: whoever uses a window after an `await` holds the buffer as well.
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
   * Checks that a handle may write, and writes nothing down: for operations that write several buffers or none.
   *
   * @param holder - who asks, where the buffer may be held by them.
   * @throws StaleBufferError `SW_BUFFER_STALE` for a handle of an earlier generation.
   * @throws BufferStateError `SW_BUFFER_HELD` for a buffer that somebody else holds; `SW_BUFFER_READ_ONLY` for a read-only one.
   */
  checkWritable(generation: number, operation: string = "write", holder?: object): void {
    if (generation !== this.generation || this.state !== "live") this.checkLive(generation, operation);
    if (this.holder !== holder) this.checkHolder(operation, holder);
    if (this.readOnly) {
      throw new BufferStateError(
        "SW_BUFFER_READ_ONLY",
        operation,
        "the buffer is read-only: got a write, expected reads. Write into a copy.",
      );
    }
  }

  /**
   * The write gate: every mutation passes it before its first write. Checks what `checkWritable` checks, then counts
   * the version up.
   *
   * @throws As `checkWritable` does.
   */
  beginWrite(generation: number, operation?: string, holder?: object): void {
    this.checkWritable(generation, operation, holder);
    this.version += 1;
  }

  /**
   * Gives the buffer to a holder, who alone writes and releases it from then on; others read. Claiming again is nothing.
   *
   * @throws StaleBufferError `SW_BUFFER_STALE` for a handle of an earlier generation.
   * @throws BufferStateError `SW_BUFFER_HELD` when somebody else holds the buffer.
   */
  claim(generation: number, holder: object): void {
    this.checkLive(generation, "claim");
    this.checkHolder("claim", holder);
    this.holder = holder;
  }

  /** Ends a claim. Does nothing for anybody but the present holder, whose buffer may be another's by now. */
  disclaim(holder: object): void {
    if (this.holder === holder) this.holder = undefined;
  }

  /**
   * Gives the buffer back to its owner. Does nothing when the generation is not the present one:
   * releasing twice is nothing, and a stale handle never releases the memory of its next owner.
   *
   * @throws BufferStateError `SW_BUFFER_HELD` when somebody else holds the buffer.
   * @throws BufferOverrunError `SW_BUFFER_OVERRUN` in checked mode, after a write past the end. The buffer is released all the same.
   */
  release(generation: number, holder?: object): void {
    if (generation !== this.generation || this.state !== "live") return;
    if (this.holder !== holder) this.checkHolder("release", holder);
    this.retire("released");
    this.owner.reclaim(this);
  }

  /** Refuses anybody but the holder, if there is one. */
  checkHolder(operation: string, holder: object | undefined): void {
    if (this.holder === undefined || this.holder === holder) return;
    throw new BufferStateError(
      "SW_BUFFER_HELD",
      operation,
      "the buffer is held: got a call of another, expected its holder. Write into a copy.",
    );
  }

  /** Ends the present generation. For owners; users call `release`. */
  retire(end: BufferEnd): void {
    this.state = "returned";
    this.end = end;
    this.holder = undefined;
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

  /** Moves the buffer to another place. For owners. */
  move(source: MemorySource, block: Block, address: number): void {
    this.source = source;
    this.block = block;
    this.address = address;
    this.blockWindow = undefined;
    this.dropWindow();
  }

  /** Lets go of the block, so that stale handles keep no memory alive. For owners. */
  detach(): void {
    this.move(this.source, NO_BLOCK, 0);
    this.state = "gone";
  }

  /** Forgets the window made last, whose length is no longer the buffer's. For owners. */
  dropWindow(): void {
    this.lastWindow = undefined;
    this.lastEpoch = -1;
  }

  /** All bytes of the block, whatever state the buffer is in. It takes the place of nobody's window. For owners. */
  blockBytes(): Uint8Array {
    const epoch = this.source.epoch;
    let window = this.blockWindow;
    if (window === undefined || this.blockEpoch !== epoch) {
      const { address, byteLength } = this.block;
      window = new Uint8Array(this.source.bytes(this.block), address, byteLength);
      this.blockWindow = window;
      this.blockEpoch = epoch;
    }
    return window;
  }

  /** Sets every byte of the buffer, past the write gate. For owners. */
  fill(value: number): void {
    const start = this.address - this.block.address;
    this.blockBytes().fill(value, start, start + this.byteLength);
  }
}

function givenBackError(operation: string, buffer: DataBuffer): BufferStateError {
  return new BufferStateError(
    "SW_BUFFER_RELEASED",
    operation,
    `the buffer was given back: got one that is ${buffer.state} at generation ${buffer.generation}, expected a live one. Allocate one.`,
  );
}

function nameOf(type: TypedArrayConstructor): string {
  return (type as { readonly name?: string }).name ?? "it";
}
