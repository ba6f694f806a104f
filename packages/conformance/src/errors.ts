/**
 * The codes of the errors that `@sw/conformance` throws.
 *
 * @since 0.1.0
 */
export type ConformanceErrorCode =
  /** An element differs from the reference by more than the bound. */
  | "SW_CONFORMANCE_VALUE"
  /** Memory outside the output's elements was written. */
  | "SW_CONFORMANCE_CANARY"
  /** An input was written. */
  | "SW_CONFORMANCE_INPUT"
  /** The same operands gave other bits the second time. */
  | "SW_CONFORMANCE_REPEAT"
  /** The result depends on what the output held before. */
  | "SW_CONFORMANCE_PREVIOUS"
  /** What is taken of the heap grows with the operands. */
  | "SW_CONFORMANCE_ALLOCATED"
  /** Memory is still taken after the calls that needed it. */
  | "SW_CONFORMANCE_LEAK"
  /** A gradient is not that of the values. */
  | "SW_CONFORMANCE_GRADIENT"
  /** The kernel threw on operands that it supports, or an error of another kind than the contract's. */
  | "SW_CONFORMANCE_THROWN"
  /** The kernel accepted what the contract says it refuses. */
  | "SW_CONFORMANCE_ACCEPTED"
  /** A case that was declared to fail passes. */
  | "SW_CONFORMANCE_STALE"
  /** The candidate is written for another version of the seam. */
  | "SW_CONFORMANCE_SEAM_VERSION"
  /** What is to be a version is none. */
  | "SW_CONFORMANCE_SINCE"
  /** Two cases of one run have the same id. */
  | "SW_CONFORMANCE_CASE_ID";

/**
 * What is known of a failure beside its text.
 *
 * @since 0.1.0
 */
export interface FailureFacts {
  /** The operands, one a line: dtype, shape, strides, offset, and the seed of their values. */
  readonly operands?: string;
  /** The first coordinate that differs. */
  readonly coordinate?: readonly number[];
  readonly got?: string;
  readonly expected?: string;
  readonly bound?: string;
  readonly cause?: unknown;
}

/**
 * A promise that a candidate breaks. Its message says everything that is needed to do the call again.
 *
 * @since 0.1.0
 */
export class ConformanceError extends Error {
  readonly code: ConformanceErrorCode;
  readonly caseId: string;
  readonly operands: string | undefined;
  readonly coordinate: readonly number[] | undefined;
  readonly got: string | undefined;
  readonly expected: string | undefined;
  readonly bound: string | undefined;
  constructor(code: ConformanceErrorCode, caseId: string, problem: string, facts: FailureFacts = {}) {
    const operands = facts.operands === undefined ? "" : `\n${facts.operands}`;
    super(`${caseId}: ${problem}${operands}`, facts.cause === undefined ? {} : { cause: facts.cause });
    this.name = "ConformanceError";
    this.code = code;
    this.caseId = caseId;
    this.operands = facts.operands;
    this.coordinate = facts.coordinate;
    this.got = facts.got;
    this.expected = facts.expected;
    this.bound = facts.bound;
  }
}

/**
 * A run that cannot begin: the candidate or the cases are not what a run needs.
 *
 * @since 0.1.0
 */
export class ConformanceRunError extends RangeError {
  readonly code: ConformanceErrorCode;
  /** The version or the id that is wrong. */
  readonly given: unknown;
  constructor(code: ConformanceErrorCode, message: string, given: unknown) {
    super(message);
    this.name = "ConformanceRunError";
    this.code = code;
    this.given = given;
  }
}
