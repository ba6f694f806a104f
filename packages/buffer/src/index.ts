export type { AllocateOptions, Allocator } from "./allocator.js";
export { Arena, type ArenaOptions, type ArenaStatistics } from "./arena.js";
export { BufferPool, type BufferPoolOptions, type PoolStatistics } from "./buffer-pool.js";
export { type BufferState, DataBuffer } from "./data-buffer.js";
export {
  BufferAlignmentError,
  type BufferEnd,
  type BufferErrorCode,
  BufferSizeError,
  BufferStateError,
  OutOfMemoryError,
  StaleBufferError,
} from "./errors.js";
export { type WrapOptions, wrapMemory } from "./external.js";
export { heapMemory, sharedMemory } from "./heap-memory.js";
export type { Block, MemorySource } from "./memory-source.js";
export { sizeClassIndex, sizeClassOf } from "./size-class.js";
export type { HostArrayConstructor, TypedArray, TypedArrayConstructor } from "./typed-array.js";
export { WasmMemory, type WasmMemoryInit, type WasmMemoryOptions, wasmMemory } from "./wasm-memory.js";
