export type { AllocateOptions, Allocator } from "./allocator.js";
export { Arena, type ArenaOptions, type ArenaStatistics } from "./arena.js";
export { BufferHandle } from "./buffer-handle.js";
export { BufferPool, type BufferPoolOptions, type ClassStatistics, type PoolStatistics } from "./buffer-pool.js";
export { type BufferState, DataBuffer } from "./data-buffer.js";
export {
  BufferAlignmentError,
  type BufferEnd,
  type BufferErrorCode,
  BufferOverrunError,
  BufferSizeError,
  BufferStateError,
  OutOfMemoryError,
  StaleBufferError,
} from "./errors.js";
export { type WrapOptions, wrapMemory } from "./external.js";
export { heapMemory, sharedMemory } from "./heap-memory.js";
export type { Leak } from "./leaks.js";
export type { Block, MemorySource } from "./memory-source.js";
export { sizeClassIndex, sizeClassOf } from "./size-class.js";
export type { HostArrayConstructor, TypedArray, TypedArrayConstructor } from "./typed-array.js";
export { type BufferRef, snapshotVersions, VersionSnapshot } from "./versions.js";
