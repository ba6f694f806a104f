import type { Backend } from "@sw/tensor/seam";

/**
 * What a candidate must declare for a case to run; otherwise it is skipped, with the reason.
 *
 * @since 0.1.0
 */
export interface Needs {
  /** The kernel that the case calls. */
  readonly kernel?: string;
  /** `own`: the candidate declares a memory of its own. */
  readonly memory?: "own";
}

/**
 * What became of a case that did not fail: a failure is thrown, as a {@link ConformanceError}.
 *
 * @since 0.1.0
 */
export interface CaseOutcome {
  /** Why nothing was checked; absent when something was. */
  readonly skipped?: string;
  /** How many sets of operands were run and compared. */
  readonly checks: number;
  /** How many sets of operands the candidate's `supports` said no to. */
  readonly declined: number;
}

/**
 * One promise of a contract, as a value. An id never changes its meaning; a new check has a new id and a new `since`.
 *
 * @since 0.1.0
 */
export interface Case<Candidate = Backend> {
  /** Stable, e.g. `kernels/add/float32/transposed`. */
  readonly id: string;
  /** The version of the kit that brought the case. */
  readonly since: string;
  readonly needs: Needs;
  /**
   * Checks a candidate.
   *
   * @throws ConformanceError when the candidate breaks the promise.
   */
  run(candidate: Candidate): CaseOutcome;
}
