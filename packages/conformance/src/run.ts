import { attempt, checkIds } from "./attempt.js";
import type { Tools } from "./case.js";
import { ConformanceError } from "./errors.js";
import type { Kit } from "./kit.js";
import type { ExceptedCase, FailedCase, PartlyDeclinedCase, Report, SkippedCase, StaleException } from "./report.js";
import { notAfter } from "./since.js";

/**
 * Options of {@link run}.
 *
 * @since 0.1.0
 */
export interface RunOptions {
  /** Chooses cases by id. Default: all of the kit. */
  readonly filter?: (id: string) => boolean;
  /** Leaves out what came with a later version of the kit, e.g. `0.1.0`: a profile that a candidate was good for. */
  readonly since?: string;
  /** Cases that are known to fail, by exact id, and why. One that passes is reported as stale. */
  readonly expectFail?: { readonly [id: string]: string };
  /** Ends the run early. Default: every case runs. */
  readonly until?: "first failure";
  /** What only some hosts have. A case that needs what is not handed in is skipped. */
  readonly tools?: Tools;
  /** Called after every case: for a progress display. */
  readonly onCase?: (
    id: string,
    status: "passed" | "failed" | "skipped" | "excepted",
    done: number,
    of: number,
  ) => void;
}

/**
 * Runs the cases of a kit on a candidate and reports. Nothing is thrown for a failure: it is in the report. What runs is
 * decided by what the candidate declares; all else is listed as skipped, with the reason.
 *
 * @throws TypeError, as a rejection, for what is no candidate of the kit.
 * @throws ConformanceRunError `SW_CONFORMANCE_SEAM_VERSION`, `SW_CONFORMANCE_CASE_ID` or `SW_CONFORMANCE_SINCE`, as a
 * rejection.
 * @example
 * ```ts
 * import { formatReport, kernelKit, run } from "@sw/conformance";
 * import { jsKernels } from "@sw/kernels-js";
 * const report = await run(kernelKit, jsKernels, { filter: (id) => id.startsWith("kernels/matmul/") });
 * console.log(formatReport(report));
 * ```
 * @since 0.1.0
 */
export async function run<C>(kit: Kit<C>, candidate: C, options: RunOptions = {}): Promise<Report> {
  kit.check("run", candidate);
  const { since } = options;
  const isOlder = since === undefined ? undefined : notAfter("run", since);
  const isRun = (one: { readonly since: string }): boolean => isOlder === undefined || isOlder(one.since);
  const cases = kit.cases(options.filter).filter(isRun);
  const ids = checkIds("run", cases);
  const declared = options.expectFail ?? {};
  const tools = options.tools ?? {};
  const passed: string[] = [];
  const failed: FailedCase[] = [];
  const skipped: SkippedCase[] = [];
  const excepted: ExceptedCase[] = [];
  const stale: StaleException[] = [];
  const partlyDeclined: PartlyDeclinedCase[] = [];
  const checked = new Set<string>();
  let checks = 0;
  let done = 0;
  for (const one of cases) {
    const { id } = one;
    const outcome = await attempt(kit, one, candidate, tools);
    const reason = Object.hasOwn(declared, id) ? declared[id] : undefined;
    done += 1;
    if (outcome instanceof ConformanceError) {
      checked.add(one.subject);
      if (reason === undefined) failed.push({ id, error: outcome });
      else excepted.push({ id, reason, error: outcome });
      options.onCase?.(id, reason === undefined ? "failed" : "excepted", done, cases.length);
      if (reason === undefined && options.until === "first failure") break;
      continue;
    }
    checks += outcome.checks;
    if (outcome.skipped === undefined) {
      passed.push(id);
      checked.add(one.subject);
      if (outcome.declined > 0) partlyDeclined.push({ id, checks: outcome.checks, declined: outcome.declined });
      if (reason !== undefined) stale.push({ id, reason, because: "passed" });
    } else {
      skipped.push({ id, reason: outcome.skipped });
      if (reason !== undefined) stale.push({ id, reason, because: "skipped" });
    }
    options.onCase?.(id, outcome.skipped === undefined ? "passed" : "skipped", done, cases.length);
  }
  for (const [id, reason] of Object.entries(declared)) {
    if (!ids.has(id)) stale.push({ id, reason, because: "unknown" });
  }
  /** Without what the filter left out: to name all of that would hide what no case knows. */
  const unchecked = (subjects: readonly string[]): readonly string[] => {
    const asked = new Set(cases.map(({ subject }) => subject));
    if (options.filter === undefined || subjects.every((subject) => asked.has(subject))) return subjects;
    const known = new Set(
      kit
        .cases()
        .filter(isRun)
        .map(({ subject }) => subject),
    );
    return subjects.filter((subject) => asked.has(subject) || !known.has(subject));
  };
  return {
    candidate: kit.nameOf(candidate),
    ok: failed.length === 0 && !stale.some(({ because }) => because === "passed"),
    passed,
    failed,
    skipped,
    excepted,
    stale,
    partlyDeclined,
    unchecked: unchecked(kit.subjects(candidate).filter((subject) => !checked.has(subject))),
    checks,
  };
}
