import type { Backend } from "@sw/tensor/seam";
import type { Case, CaseOutcome } from "./case.js";
import { ConformanceError, ConformanceRunError } from "./errors.js";
import { kernelCases } from "./kernels/cases.js";
import type { ExceptedCase, FailedCase, PartlyDeclinedCase, Report, SkippedCase, StaleException } from "./report.js";

/**
 * Options of {@link run}.
 *
 * @since 0.1.0
 */
export interface RunOptions {
  /** Cases that are known to fail, by exact id, and why. One that passes is reported as stale. */
  readonly expectFail?: { readonly [id: string]: string };
  /** Called after every case: for a progress display. */
  readonly onCase?: (
    id: string,
    status: "passed" | "failed" | "skipped" | "excepted",
    done: number,
    of: number,
  ) => void;
}

/** Runs one case; what it throws beside a failure of its own counts as one. */
export function attempt<C>(one: Case<C>, candidate: C): CaseOutcome | ConformanceError {
  try {
    return one.run(candidate);
  } catch (error) {
    if (error instanceof ConformanceError) return error;
    const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
    const problem = `the candidate threw outside of a kernel: got ${text}, expected no error.`;
    return new ConformanceError("SW_CONFORMANCE_THROWN", one.id, problem, { cause: error });
  }
}

/**
 * Checks that a value can be a candidate of kernel cases.
 *
 * @throws TypeError for what is no backend; ConformanceRunError `SW_CONFORMANCE_SEAM_VERSION`.
 */
export function checkBackend(operation: string, candidate: unknown): void {
  const value = candidate as Partial<Backend> | null | undefined;
  if (typeof value !== "object" || value === null || typeof value.kernels !== "object" || value.kernels === null) {
    throw new TypeError(
      `${operation}: the candidate is no backend: got ${value === null ? "null" : typeof value}, expected an object with name, seamVersion and kernels.`,
    );
  }
  if ((value.seamVersion as unknown) === 1) return;
  throw new ConformanceRunError(
    "SW_CONFORMANCE_SEAM_VERSION",
    `${operation}: the candidate is of another seam version: got ${value.seamVersion}, expected 1. Use the version of this kit that knows it.`,
    value.seamVersion,
  );
}

/** @throws ConformanceRunError `SW_CONFORMANCE_CASE_ID` when two cases have one id. */
export function checkIds(operation: string, cases: readonly Case<never>[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const { id } of cases) {
    if (ids.has(id)) {
      throw new ConformanceRunError(
        "SW_CONFORMANCE_CASE_ID",
        `${operation}: two cases have one id: got ${id} twice, expected every id once. Drop the list that is contained in another.`,
        id,
      );
    }
    ids.add(id);
  }
  return ids;
}

/**
 * Runs cases on a backend and reports. Nothing is thrown for a failure: it is in the report. What runs is decided by
 * what the candidate declares; all else is listed as skipped, with the reason.
 *
 * @param cases - default: {@link kernelCases}.
 * @throws TypeError for what is no backend.
 * @throws ConformanceRunError `SW_CONFORMANCE_SEAM_VERSION` or `SW_CONFORMANCE_CASE_ID`.
 * @example
 * ```ts
 * import { formatReport, kernelCases, run } from "@sw/conformance";
 * import { jsKernels } from "@sw/kernels-js";
 * const report = run(jsKernels, kernelCases.filter((one) => one.needs.kernel === "matmul"));
 * console.log(formatReport(report));
 * ```
 * @since 0.1.0
 */
export function run(candidate: Backend, cases: readonly Case[] = kernelCases, options: RunOptions = {}): Report {
  checkBackend("run", candidate);
  const ids = checkIds("run", cases);
  const declared = options.expectFail ?? {};
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
    const outcome = attempt(one, candidate);
    const reason = Object.hasOwn(declared, id) ? declared[id] : undefined;
    done += 1;
    if (outcome instanceof ConformanceError) {
      if (one.needs.kernel !== undefined) checked.add(one.needs.kernel);
      if (reason === undefined) failed.push({ id, error: outcome });
      else excepted.push({ id, reason, error: outcome });
      options.onCase?.(id, reason === undefined ? "failed" : "excepted", done, cases.length);
      continue;
    }
    checks += outcome.checks;
    if (outcome.skipped === undefined) {
      passed.push(id);
      if (one.needs.kernel !== undefined) checked.add(one.needs.kernel);
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
  const unchecked = Object.keys(candidate.kernels).filter(
    (kernel) => candidate.kernels[kernel] !== undefined && !checked.has(kernel),
  );
  const ok = failed.length === 0 && !stale.some(({ because }) => because === "passed");
  return {
    candidate: candidate.name,
    ok,
    passed,
    failed,
    skipped,
    excepted,
    stale,
    partlyDeclined,
    unchecked,
    checks,
  };
}
