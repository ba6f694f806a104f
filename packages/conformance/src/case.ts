/**
 * What became of a case that did not fail: a failure is thrown, as a {@link ConformanceError}.
 *
 * @since 0.1.0
 */
export interface CaseOutcome {
  /** Why nothing was checked; absent when something was. */
  readonly skipped?: string;
  /** How many sets of operands, or of other input, were run and compared. */
  readonly checks: number;
  /** How many of them the candidate said no to, as a backend does by `supports`. */
  readonly declined: number;
}

/**
 * What a case may use that only some hosts have, handed in by who runs it.
 *
 * @since 0.1.0
 */
export interface Tools {
  /** Measures what some work takes. A case that needs it has `meter` among its needs. */
  readonly meter?: Meter;
}

/**
 * Runs some work and tells how many bytes it took of the heap of objects and of array buffers.
 *
 * @since 0.1.0
 */
export type Meter = (work: () => void) => { readonly heap: number; readonly buffers: number };

/**
 * One promise of a contract, as a value. An id never changes its meaning; a new check has a new id and a new `since`.
 *
 * @since 0.1.0
 */
export interface Case<Candidate> {
  /** Stable, e.g. `kernels/add/float32/transposed`. */
  readonly id: string;
  /** The version of the kit that brought the case. */
  readonly since: string;
  /** What of the candidate is in question, e.g. the kernel `add`. */
  readonly subject: string;
  /** What a candidate must have for the case to run, in words that its kit knows; otherwise it is skipped. */
  readonly needs: readonly string[];
  /**
   * Checks a candidate.
   *
   * @throws ConformanceError when the candidate breaks the promise.
   */
  run(candidate: Candidate, tools: Tools): CaseOutcome | Promise<CaseOutcome>;
}
