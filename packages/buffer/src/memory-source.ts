/** A piece of raw memory that a source handed out. @since 0.1.0 */
export interface Block {
  /** Where the block starts, in bytes within `source.bytes(block)`; a multiple of 64 and never negative. */
  readonly address: number;
  /** How many bytes belong to the block; at least what was asked for. */
  readonly byteLength: number;
}

/**
 * Where raw bytes come from. A source knows blocks, not owners: pools, arenas and
 * the rules of lifetime are built on it.
 * @since 0.1.0
 */
export interface MemorySource {
  /** What the memory is, for messages and reports. */
  readonly name: string;
  /**
   * A number that grows whenever typed arrays made over this memory may have become invalid.
   * A window made at one epoch is good for as long as the epoch stays the same.
   */
  readonly epoch: number;
  /**
   * Whether a block that everybody has forgotten is freed by the collector, so that nobody else
   * need do it, and who holds the block holds its bytes; `false` when absent.
   */
  readonly collectable?: boolean;
  /** Called before a request is refused for want of room, if the source can run out: whoever has blocks to spare frees them. */
  onExhausted?: (() => void) | undefined;
  /**
   * Takes a block of at least `byteLength` bytes, 64-byte aligned, contents unspecified.
   *
   * @throws TypeError when `byteLength` is not an integer.
   * @throws BufferSizeError `SW_BUFFER_SIZE` outside 0 to 2³¹−1.
   * @throws OutOfMemoryError `SW_BUFFER_OUT_OF_MEMORY` when the source has no such block.
   */
  allocate(byteLength: number): Block;
  /**
   * Gives a block back. Nobody may use it, or a window over it, afterwards.
   *
   * @throws BufferStateError `SW_BUFFER_BLOCK` when the source can tell that the block is not in use.
   */
  free(block: Block): void;
  /** Finds the array buffer that holds a block, as it is at this moment. */
  bytes(block: Block): ArrayBufferLike;
}
