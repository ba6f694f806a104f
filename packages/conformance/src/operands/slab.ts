import type { Block, MemorySource } from "@sw/buffer";

interface SlabBlock extends Block {
  readonly buffer: ArrayBuffer;
}

const ALIGNMENT = 64;

/**
 * Ordinary memory for operands that belong to no candidate: blocks lie behind one another in one array buffer, so that
 * windows do not begin at byte 0, and all of it is free again when the last block is given back.
 */
export function createSlab(byteLength: number): MemorySource {
  const slab = new ArrayBuffer(byteLength);
  let used = ALIGNMENT;
  let live = 0;
  return {
    name: "heap",
    epoch: 0,
    allocate(size: number): Block {
      const room = Math.ceil(size / ALIGNMENT) * ALIGNMENT;
      live += 1;
      // What is too large gets a buffer of its own.
      if (used + room > byteLength) return { address: 0, byteLength: size, buffer: new ArrayBuffer(size) } as SlabBlock;
      const block: SlabBlock = { address: used, byteLength: size, buffer: slab };
      used += room;
      return block;
    },
    free(): void {
      live -= 1;
      if (live === 0) used = ALIGNMENT;
    },
    bytes: (block) => (block as SlabBlock).buffer,
  };
}
