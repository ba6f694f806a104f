import { BufferStateError, OutOfMemoryError } from "./errors.js";
import type { Block, MemorySource } from "./memory-source.js";
import { checkByteLength } from "./size.js";

/** A block that carries its own array buffer, so that the source keeps nothing alive. */
interface HeapBlock extends Block {
  readonly buffer: ArrayBuffer;
}

/**
 * Creates a source that makes one ordinary `ArrayBuffer` per block. A block that everybody
 * has forgotten is collected like any object; windows never become invalid.
 * @since 0.1.0
 */
export function heapMemory(): MemorySource {
  return {
    name: "heap",
    epoch: 0,
    allocate(byteLength: number): Block {
      checkByteLength("allocate", byteLength);
      let buffer: ArrayBuffer;
      try {
        buffer = new ArrayBuffer(byteLength);
      } catch (cause) {
        throw new OutOfMemoryError(byteLength, 0, Number.POSITIVE_INFINITY, { cause });
      }
      const block: HeapBlock = { address: 0, byteLength, buffer };
      return block;
    },
    free(): void {
      // The collector frees the buffer as soon as nobody holds the block.
    },
    bytes(block: Block): ArrayBufferLike {
      const buffer = (block as HeapBlock).buffer;
      if (buffer === undefined) {
        throw new BufferStateError(
          "SW_BUFFER_BLOCK",
          "bytes",
          `the block is not of this memory: got address ${block.address}, expected a block of the heap.`,
        );
      }
      return buffer;
    },
  };
}
