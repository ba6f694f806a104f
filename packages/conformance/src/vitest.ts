import type { Backend } from "@sw/tensor/seam";
import type { Case } from "./case.js";
import { ConformanceError } from "./errors.js";
import { attempt, checkBackend, checkIds } from "./run.js";

/**
 * What a test function is handed by its runner: the part of it that lists a test as skipped.
 *
 * @since 0.1.0
 */
export interface TestContext {
  skip?(reason: string): unknown;
}

/**
 * The two functions of a runner that cases are registered with: those of vitest fit, and those of node:test.
 *
 * @since 0.1.0
 */
export interface TestRunner {
  describe(name: string, body: () => void): unknown;
  test(name: string, body: (context: TestContext) => void): unknown;
}

/**
 * Options of {@link registerCases}.
 *
 * @since 0.1.0
 */
export interface RegisterOptions {
  /** Cases that are known to fail, by exact id, and why. A test of such a case fails when the case passes. */
  readonly expectFail?: { readonly [id: string]: string };
}

/**
 * Registers a test for each case, named by the case's id, under one `describe`. A case that does not apply is skipped
 * by the runner, with the reason. No runner is imported: hand over yours.
 *
 * @throws TypeError for what is no backend.
 * @throws ConformanceRunError `SW_CONFORMANCE_SEAM_VERSION` or `SW_CONFORMANCE_CASE_ID`.
 * @example
 * ```ts no-run
 * // It registers tests, so it belongs into a test file.
 * import { kernelCases } from "@sw/conformance";
 * import { registerCases } from "@sw/conformance/vitest";
 * import { describe, test } from "vitest";
 * registerCases({ describe, test }, myBackend, kernelCases);
 * ```
 * @since 0.1.0
 */
export function registerCases(
  runner: TestRunner,
  candidate: Backend,
  cases: readonly Case[],
  options: RegisterOptions = {},
): void {
  checkBackend("registerCases", candidate);
  checkIds("registerCases", cases);
  const declared = options.expectFail ?? {};
  runner.describe(`conformance of ${candidate.name}`, () => {
    for (const one of cases) {
      runner.test(one.id, (context) => {
        const reason = Object.hasOwn(declared, one.id) ? declared[one.id] : undefined;
        const outcome = attempt(one, candidate);
        if (outcome instanceof ConformanceError) {
          if (reason === undefined) throw outcome;
        } else if (outcome.skipped !== undefined) {
          context.skip?.(outcome.skipped);
        } else if (reason !== undefined) {
          const problem = `the case was declared to fail and passes: got "${reason}", expected a reason that still holds. Drop the exception.`;
          throw new ConformanceError("SW_CONFORMANCE_STALE", one.id, problem);
        }
      });
    }
  });
}
