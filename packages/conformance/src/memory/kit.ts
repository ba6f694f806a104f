import type { MemorySource } from "@sw/buffer";
import type { Kit } from "../kit.js";
import { memoryCases } from "./cases.js";

/**
 * Makes memory sources, a new one at each call, which share nothing that is lent.
 *
 * @since 0.1.0
 */
export interface MemoryCandidate {
  (): MemorySource;
  /** How many bytes a source can lend at once, where that is little: cases about running out need it. */
  readonly limit?: number;
}

/**
 * What the contract of `MemorySource` says: `memory/<what is in question>`.
 *
 * @example
 * ```ts
 * import { memoryKit, run } from "@sw/conformance";
 * import { heapMemory } from "@sw/buffer";
 * const report = await run(memoryKit, heapMemory);
 * console.log(report.ok); // true
 * ```
 * @since 0.1.0
 */
export const memoryKit: Kit<MemoryCandidate> = {
  name: "memory",
  check(operation, candidate): asserts candidate is MemoryCandidate {
    if (typeof candidate === "function") return;
    throw new TypeError(
      `${operation}: the candidate makes no memory: got ${candidate === null ? "null" : typeof candidate}, expected a function that returns a MemorySource.`,
    );
  },
  nameOf: (candidate) => String(candidate().name),
  subjects: () => [],
  lacks(candidate, need) {
    if (need !== "limit" || candidate.limit !== undefined) return undefined;
    return "the candidate names no limit: running out of memory is not tried";
  },
  cases: (filter = () => true) => memoryCases().filter(({ id }) => filter(id)),
};
