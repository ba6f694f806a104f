import type { MemoryLimits } from "./assembler/types.js";

/** What a module says of the memory that it imports, so that it links with one that is shared, or with one that is not. */
export function memoryLimits(isShared: boolean): MemoryLimits {
  // A shared memory has a maximum, and links where that is at most the one of the import.
  return isShared ? { minimum: 0, maximum: 65536, shared: true } : { minimum: 0 };
}
