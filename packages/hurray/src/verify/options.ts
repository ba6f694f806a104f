import { COVER_STEPS } from "../composite/bind.js";
import type { DecodeOptions } from "../descriptor/descriptor.js";
import { countOption } from "../number-option.js";

const MAXIMUM_DESCRIPTOR = 16 * 1024 * 1024;
const MAXIMUM_SECTION = 256 * 1024 * 1024;
const MAXIMUM_DATA = 2 ** 30;

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

type Limit = "maximumDescriptorBytes" | "maximumSectionBytes" | "maximumDataBytes" | "coverSteps";

/** Options whose numbers were checked. */
export type CheckedOptions = VerifyOptions & Required<Pick<VerifyOptions, Limit>>;

/** Checks the options that are numbers. @throws TypeError, HurrayValueError `SW_HURRAY_VALUE`. */
export function checkedOptions(operation: string, options: VerifyOptions): CheckedOptions {
  const limit = (field: Limit, usual: number): number => countOption(operation, field, options[field], 0, usual);
  return {
    ...options,
    maximumDescriptorBytes: limit("maximumDescriptorBytes", MAXIMUM_DESCRIPTOR),
    maximumSectionBytes: limit("maximumSectionBytes", MAXIMUM_SECTION),
    maximumDataBytes: limit("maximumDataBytes", MAXIMUM_DATA),
    coverSteps: limit("coverSteps", COVER_STEPS),
  };
}
