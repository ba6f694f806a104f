import type { Case } from "./case.js";

/**
 * A contract, as the cases that check it and what they ask of a candidate.
 *
 * @since 0.1.0
 */
export interface Kit<Candidate> {
  readonly name: string;
  /**
   * Checks that a value can be a candidate.
   *
   * @throws TypeError for what cannot; ConformanceRunError for a candidate of another version of the contract.
   */
  check(operation: string, candidate: unknown): asserts candidate is Candidate;
  nameOf(candidate: Candidate): string;
  /** What the candidate says that it has: a report names those that no case checked. */
  subjects(candidate: Candidate): readonly string[];
  /** Says why the candidate does not meet a need of a case; `undefined` where it does. */
  lacks(candidate: Candidate, need: string): string | undefined;
  /** Builds the cases whose ids pass the filter; nothing is built before. */
  cases(filter?: (id: string) => boolean): readonly Case<Candidate>[];
}
