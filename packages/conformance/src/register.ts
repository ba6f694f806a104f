import { attempt, checkIds } from "./attempt.js";
import { ConformanceError } from "./errors.js";
import type { Kit } from "./kit.js";
import type { RunOptions } from "./run.js";

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
  test(name: string, body: (context: TestContext) => Promise<void>): unknown;
}

/**
 * Options of {@link registerCases}, as those of `run`. A test of a case that was declared to fail fails when it passes.
 *
 * @since 0.1.0
 */
export type RegisterOptions = Pick<RunOptions, "filter" | "expectFail" | "tools">;

/**
 * Registers a test for each case of a kit, named by the case's id, under one `describe`. A case that does not apply is
 * skipped by the runner, with the reason. No runner is imported: hand over yours.
 *
 * @throws TypeError for what is no candidate of the kit.
 * @throws ConformanceRunError `SW_CONFORMANCE_SEAM_VERSION` or `SW_CONFORMANCE_CASE_ID`.
 * @example
 * ```ts no-run
 * // It registers tests, so it belongs into a test file.
 * import { kernelKit } from "@sw/conformance";
 * import { registerCases } from "@sw/conformance/vitest";
 * import { describe, test } from "vitest";
 * registerCases({ describe, test }, kernelKit, myBackend);
 * ```
 * @since 0.1.0
 */
export function registerCases<C>(runner: TestRunner, kit: Kit<C>, candidate: C, options: RegisterOptions = {}): void {
  kit.check("registerCases", candidate);
  const cases = kit.cases(options.filter);
  checkIds("registerCases", cases);
  const declared = options.expectFail ?? {};
  runner.describe(`conformance of ${kit.nameOf(candidate)}`, () => {
    for (const one of cases) {
      runner.test(one.id, async (context) => {
        const reason = Object.hasOwn(declared, one.id) ? declared[one.id] : undefined;
        const outcome = await attempt(kit, one, candidate, options.tools ?? {});
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
