import { allocate } from "../bytes/feed.js";

/** Memory made at once, before bytes for all of it have arrived. */
const AT_ONCE = 65536;

/** Puts the buffers of a tensor together from pieces of their concatenation, in order. */
export interface Assembly {
  /** Copies the next bytes, no more in all than the buffers hold. */
  append(data: Uint8Array): void;
  /** The buffers, once all bytes are there. */
  buffers(): readonly Uint8Array[];
}

/**
 * Begins buffers of these sizes. Memory is made for as many bytes again as have arrived, so that sizes that are lies cost
 * nothing: blocks at first, and the buffer itself as soon as half of it is there, so that only that half is copied twice.
 */
export function createAssembly(sizes: readonly number[], operation: string): Assembly {
  const buffers: Uint8Array[] = [];
  let blocks: Uint8Array[] = [];
  /** What is filled next: the buffer, or the last of the blocks. */
  let current = new Uint8Array(0);
  /** Bytes of `current`, and of the buffer, that are filled. */
  let filled = 0;
  let arrived = 0;
  /** Moves on to the next buffer when one is full, over empty ones too. */
  const settle = (): void => {
    while (buffers.length < sizes.length && arrived === sizes[buffers.length]) {
      buffers.push(current);
      current = new Uint8Array(0);
      filled = 0;
      arrived = 0;
    }
  };
  const grow = (size: number, proven: number): void => {
    if (size > Math.max(AT_ONCE, 2 * proven)) {
      current = allocate(Math.max(AT_ONCE, proven), operation);
      blocks.push(current);
      filled = 0;
      return;
    }
    current = allocate(size, operation);
    filled = 0;
    for (const block of blocks) {
      current.set(block, filled);
      filled += block.byteLength;
    }
    blocks = [];
  };
  settle();
  return {
    append: (data) => {
      for (let at = 0; at < data.byteLength; ) {
        const size = sizes[buffers.length]!;
        if (filled === current.byteLength) grow(size, Math.min(size, arrived + data.byteLength - at));
        const piece = data.subarray(at, at + current.byteLength - filled);
        current.set(piece, filled);
        filled += piece.byteLength;
        arrived += piece.byteLength;
        at += piece.byteLength;
        settle();
      }
    },
    buffers: () => buffers,
  };
}
