import type { ConformanceError } from "./errors.js";

/**
 * A case that failed.
 *
 * @since 0.1.0
 */
export interface FailedCase {
  readonly id: string;
  readonly error: ConformanceError;
}

/**
 * A case that was not run, and why.
 *
 * @since 0.1.0
 */
export interface SkippedCase {
  readonly id: string;
  readonly reason: string;
}

/**
 * A case that was declared to fail, and does.
 *
 * @since 0.1.0
 */
export interface ExceptedCase {
  readonly id: string;
  /** Why it may fail, as declared. */
  readonly reason: string;
  readonly error: ConformanceError;
}

/**
 * A declaration that says too much: the case passes, was skipped, or is not among those that ran.
 *
 * @since 0.1.0
 */
export interface StaleException {
  readonly id: string;
  readonly reason: string;
  readonly because: "passed" | "skipped" | "unknown";
}

/**
 * A case that passed although `supports` declined some of its operands.
 *
 * @since 0.1.0
 */
export interface PartlyDeclinedCase {
  readonly id: string;
  readonly checks: number;
  readonly declined: number;
}

/**
 * What a run found, every case in one of the first four lists.
 *
 * @since 0.1.0
 */
export interface Report {
  readonly candidate: string;
  /** No case failed, and no declared exception passed. */
  readonly ok: boolean;
  readonly passed: readonly string[];
  readonly failed: readonly FailedCase[];
  readonly skipped: readonly SkippedCase[];
  readonly excepted: readonly ExceptedCase[];
  readonly stale: readonly StaleException[];
  readonly partlyDeclined: readonly PartlyDeclinedCase[];
  /** What the candidate has, kernels say, that no case of the run checked; without what only the filter left out. */
  readonly unchecked: readonly string[];
  /** How many sets of operands were run and compared. */
  readonly checks: number;
}

function groupOf(id: string): string {
  return id.split("/").slice(0, 2).join("/");
}

/** Failures of one subject that are shown in full; of the others only the ids. */
const IN_FULL = 3;

/** Failures by subject, `kernels/add`: a kernel that is wrong fails most of its cases, for one reason. */
function failuresOf(failed: readonly FailedCase[]): readonly string[] {
  const groups = new Map<string, FailedCase[]>();
  for (const one of failed) groups.set(groupOf(one.id), [...(groups.get(groupOf(one.id)) ?? []), one]);
  return [...groups].map(([group, own]) => {
    const shown = own.slice(0, IN_FULL).map(({ error }) => error.message);
    const rest = own.slice(IN_FULL).map(({ id }) => id);
    const more = rest.length === 0 ? [] : [`and ${rest.join(", ")}`];
    return [`${group} (${own.length} ${cases(own.length)})`, ...[...shown, ...more].map(indented)].join("\n");
  });
}

function indented(text: string): string {
  return `  ${text.replaceAll("\n", "\n  ")}`;
}

/** Joins ids that were skipped for one reason: `kernels/add` (28 cases). */
function groupsOf(skipped: readonly SkippedCase[]): readonly string[] {
  const groups = new Map<string, { count: number; reason: string; group: string }>();
  for (const { id, reason } of skipped) {
    const group = groupOf(id);
    const key = `${group}\n${reason}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { count: 1, reason, group });
    else known.count += 1;
  }
  return [...groups.values()].map(({ count, reason, group }) => `${group} (${count} ${cases(count)}): ${reason}`);
}

function cases(count: number): string {
  return count === 1 ? "case" : "cases";
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map(indented), ""];
}

/**
 * Writes a report as text: failures by subject, the first ones of each in full, skips grouped by subject and reason, and the counts in the last line.
 *
 * @since 0.1.0
 */
export function formatReport(report: Report): string {
  const { failed, skipped, excepted, stale, partlyDeclined, unchecked, passed } = report;
  return [
    `Conformance of ${report.candidate}`,
    "",
    ...section("Failed", failuresOf(failed)),
    ...section(
      "Declared exceptions that fail as declared",
      excepted.map(({ id, reason }) => `${id}: ${reason}`),
    ),
    ...section(
      "Stale exceptions",
      stale.map(({ id, reason, because }) => `${id} (${because}): ${reason}`),
    ),
    ...section("Skipped", groupsOf(skipped)),
    ...section(
      "Passed on a part of their operands",
      partlyDeclined.map(
        ({ id, checks, declined }) => `${id}: supports() declines ${declined} of ${checks + declined}`,
      ),
    ),
    ...section("Checked by no case", unchecked),
    `${passed.length} passed, ${failed.length} failed, ${skipped.length} skipped, ${excepted.length} excepted, ${stale.length} stale; ${report.checks} calls compared`,
  ].join("\n");
}
