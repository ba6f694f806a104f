import { blockError, OutOfMemoryError, unsupportedError } from "./errors.js";
import type { Block, MemorySource } from "./memory-source.js";
import { checkByteLength } from "./size.js";

/** A block that carries its own array buffer, so that the source keeps nothing alive. */
interface HeapBlock extends Block {
  readonly buffer: ArrayBufferLike;
}

/** Bytes from which on hosts place a buffer of its own 16 bytes into a page. */
const LARGE = 131072;

/**
 * What is left out before a large block. Copying from the beginning of a page, where the bytes of a file lie in the
 * cache of the system, to 16 bytes into one is several times slower on common processors than to any other place.
 */
const ASIDE = 64;

/**
 * Creates a source that makes one ordinary `ArrayBuffer` per block. A block that everybody
 * has forgotten is collected like any object; windows never become invalid.
 * @since 0.1.0
 */
export function heapMemory(): MemorySource {
  return arrayBuffers("heap", ArrayBuffer);
}

/**
 * Creates a source that makes one `SharedArrayBuffer` per block, for memory that other threads
 * look at. Blocks are collected as those of `heapMemory` are, but the collector of V8 does not
 * count their bytes as a reason to run: release them.
 *
 * @throws BufferStateError `SW_BUFFER_UNSUPPORTED` where the host has no `SharedArrayBuffer`: on a page that is not cross-origin isolated.
 * @since 0.1.0
 */
export function sharedMemory(): MemorySource {
  if (typeof SharedArrayBuffer === "undefined") throw unsupportedError("sharedMemory");
  return arrayBuffers("shared", SharedArrayBuffer);
}

function arrayBuffers(name: string, ArrayBufferOfHost: new (byteLength: number) => ArrayBufferLike): MemorySource {
  return {
    name,
    epoch: 0,
    collectable: true,
    allocate(byteLength: number): Block {
      checkByteLength("allocate", byteLength);
      const address = byteLength < LARGE ? 0 : ASIDE;
      try {
        const block: HeapBlock = { address, byteLength, buffer: new ArrayBufferOfHost(address + byteLength) };
        return block;
      } catch (cause) {
        throw new OutOfMemoryError(byteLength, 0, Number.POSITIVE_INFINITY, { cause });
      }
    },
    free(): void {
      // The collector frees the buffer as soon as nobody holds the block.
    },
    bytes(block: Block): ArrayBufferLike {
      const buffer = (block as HeapBlock).buffer;
      if (buffer !== undefined) return buffer;
      throw blockError("bytes", block.address);
    },
  };
}
