import type { DecodeOptions } from "../descriptor/descriptor.js";

/** Bytes of one descriptor, unless the options say otherwise. */
export const MAXIMUM_DESCRIPTOR: number = 16 * 1024 * 1024;

/** Bytes of an index or a metadata section, unless the options say otherwise. */
export const MAXIMUM_SECTION: number = 256 * 1024 * 1024;

/** How much is checked, and against what. @since 0.1.0 */
export interface VerifyOptions {
  /** What the bytes are to be; when absent their beginning tells: `HRRYFILE`, or a descriptor. */
  readonly as?: "file" | "stream";
  /** Tells which private layouts, schemes and rules are known; none when absent. */
  readonly accept?: DecodeOptions["accept"];
  /** Bytes of one descriptor; 16 MiB when absent (R156 in a stream, not checked in a file). */
  readonly maximumDescriptorBytes?: number;
  /** Bytes of the index, and of the metadata; 256 MiB when absent. Beyond it they are not checked. */
  readonly maximumSectionBytes?: number;
  /** Bytes of one tensor whose data has rules; 2³⁰ when absent. Beyond it the data is not checked. */
  readonly maximumDataBytes?: number;
  /** What it may cost to check that members cover a partition; 2²⁰ when absent. */
  readonly coverSteps?: number;
  readonly signal?: AbortSignal;
  /** Told how far the check has come: after each tensor, and at the end of a file, whose padding is looked at last. */
  readonly onProgress?: (done: number, total: number) => void;
}
