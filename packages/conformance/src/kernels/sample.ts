import type { Placement } from "../operands/placing.js";
import type { DType, Value } from "../values.js";

/** One operand of a call, as data. */
export interface Plan {
  readonly dtype: DType;
  readonly placement: Placement;
  /** Row-major; absent for an output that a kernel has no business to read. */
  readonly values?: readonly Value[];
  /** How many of the loops tell elements apart; all but those that a reduction's output does not move along. */
  readonly loops: number;
}

/** What the reference says of an output: its elements, row-major, not yet rounded to the dtype. */
export interface Expected {
  readonly values: readonly Value[];
  /** Terms that an element is computed of. */
  readonly terms?: number;
  /** By element; the value's own size where absent. */
  readonly magnitudes?: readonly number[];
  /** By element; see `AccumulatedBound`. */
  readonly distances?: readonly number[];
}

/** One call of a kernel, with what is to come of it. */
export interface Sample {
  readonly outputs: readonly Plan[];
  readonly inputs: readonly Plan[];
  readonly ints: readonly number[];
  readonly floats: readonly number[];
  /** The input that the first output is: the two are one operand, which is read and written. */
  readonly inPlaceOf?: number;
  /**
   * Computes what is to come of the call, one an output. Absent where the kernel must refuse the operands by a
   * `RangeError`. A function, so that nothing is computed for operands that the candidate declines.
   */
  readonly expected?: () => readonly Expected[];
}

/** Where the operands of a call lie: in the candidate's memory (the heap if it declares none), or not. */
export type Whereabouts = "own" | "foreign" | "foreign inputs" | "foreign outputs";
