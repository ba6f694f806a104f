import type { ConformanceError } from "./errors.js";
import type { FailedCase, Report } from "./report.js";

/** A failure as plain data. @since 0.1.0 */
export interface FailureData {
  readonly id: string;
  readonly code: string;
  readonly message: string;
  readonly operands?: string;
  readonly coordinate?: readonly number[];
  readonly got?: string;
  readonly expected?: string;
  readonly bound?: string;
}

/** A report as plain data: what `JSON.stringify` keeps whole. @since 0.1.0 */
export interface ReportData extends Omit<Report, "failed" | "excepted"> {
  readonly failed: readonly FailureData[];
  readonly excepted: readonly (FailureData & { readonly reason: string })[];
}

/** Makes plain data of a report, for a file of JSON. @since 0.1.0 */
export function reportData(report: Report): ReportData {
  return {
    ...report,
    failed: report.failed.map(failureData),
    excepted: report.excepted.map((one) => ({ ...failureData(one), reason: one.reason })),
  };
}

function failureData({ id, error }: FailedCase): FailureData {
  const facts = ["operands", "coordinate", "got", "expected", "bound"] as const;
  const known = facts.filter((fact) => error[fact] !== undefined);
  return {
    id,
    code: error.code,
    message: error.message,
    ...Object.fromEntries(known.map((fact) => [fact, error[fact]])),
  };
}

/**
 * Writes a report as JUnit XML, which build servers read: a suite for each subject, a test for each case. An exception
 * that is declared counts as skipped, one that is stale as a failure.
 *
 * @since 0.1.0
 */
export function formatJUnit(report: Report): string {
  const tests: readonly Test[] = [
    ...report.passed.map((id): Test => ({ id, body: staleOf(report, id) })),
    ...report.failed.map(({ id, error }): Test => ({ id, body: failure(error) })),
    ...report.skipped.map(({ id, reason }): Test => ({ id, body: skipped(reason) })),
    ...report.excepted.map(({ id, reason }): Test => ({ id, body: skipped(`declared to fail: ${reason}`) })),
  ];
  const suites = new Map<string, Test[]>();
  for (const test of tests) {
    const name = test.id.split("/").slice(0, 2).join("/");
    suites.set(name, [...(suites.get(name) ?? []), test]);
  }
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name=${quoted(`conformance of ${report.candidate}`)} ${counts(tests)}>`,
    ...[...suites].flatMap(([name, own]) => [
      `  <testsuite name=${quoted(name)} ${counts(own)}>`,
      ...own.map(({ id, body }) => {
        const open = `    <testcase classname=${quoted(name.replaceAll("/", "."))} name=${quoted(id)}`;
        return body === "" ? `${open}/>` : `${open}>${body}</testcase>`;
      }),
      "  </testsuite>",
    ]),
    "</testsuites>",
    "",
  ].join("\n");
}

interface Test {
  readonly id: string;
  /** The elements within: none for a test that passed. */
  readonly body: string;
}

function counts(tests: readonly Test[]): string {
  const failures = tests.filter(({ body }) => body.startsWith("<failure")).length;
  const skips = tests.filter(({ body }) => body.startsWith("<skipped")).length;
  return `tests="${tests.length}" failures="${failures}" skipped="${skips}" errors="0"`;
}

function failure({ code, message }: ConformanceError): string {
  return `<failure type=${quoted(code)} message=${quoted(message.split("\n", 1)[0]!)}>${escaped(message)}</failure>`;
}

function skipped(reason: string): string {
  return `<skipped message=${quoted(reason)}/>`;
}

function staleOf({ stale }: Report, id: string): string {
  const found = stale.find((one) => one.id === id && one.because === "passed");
  if (found === undefined) return "";
  return `<failure type="SW_CONFORMANCE_STALE" message=${quoted(`declared to fail, and passes: ${found.reason}`)}/>`;
}

/** What XML 1.0 cannot have at all, not even escaped: control characters, and halves of surrogate pairs. */
const UNWRITABLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function escaped(text: string): string {
  return text.replaceAll(UNWRITABLE, "\ufffd").replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** An attribute's value: line ends and tabs would be read as blanks. */
function quoted(text: string): string {
  const value = escaped(text)
    .replaceAll('"', "&quot;")
    .replaceAll("\n", "&#10;")
    .replaceAll("\r", "&#13;")
    .replaceAll("\t", "&#9;");
  return `"${value}"`;
}
