import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { ConformanceRunError } from "../errors.js";
import { formatReport, type Report } from "../report.js";
import { formatJUnit, reportData } from "../report-data.js";
import { run } from "../run.js";
import { type Asked, argumentsOf, HELP, UsageError } from "./arguments.js";
import { candidateOf } from "./candidate.js";
import { kitNamed } from "./kits.js";
import { heapMeter } from "./meter.js";
import { progressOn, type Terminal } from "./progress.js";

/** Where a command is called. @since 0.1.0 */
export interface CommandHost {
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  /** The folder that paths are relative to. */
  readonly folder: string;
}

/**
 * Runs the command `sw-conformance`, and answers with its exit code: 0 where all is well, 1 where a case fails or an
 * exception is stale, 2 where nothing could be run.
 *
 * @since 0.1.0
 */
export async function command(argv: readonly string[], host: CommandHost): Promise<number> {
  try {
    const asked = argumentsOf(argv);
    if (asked === undefined) {
      host.stdout.write(HELP);
      return 0;
    }
    const report = await reportOf(asked, host);
    host.stdout.write(`${formatReport(report)}\n`);
    await writeFiles(asked, report, host.folder);
    if (!report.ok) return 1;
    if (report.passed.length > 0) return 0;
    host.stderr.write(
      "sw-conformance: nothing was run: got skipped cases only, expected one that the candidate takes.\n",
    );
    return 2;
  } catch (error) {
    if (!isExpected(error)) throw error;
    const hint = error instanceof UsageError ? "\nsw-conformance --help shows what there is.\n" : "\n";
    host.stderr.write(`sw-conformance: ${error.message}${hint}`);
    return 2;
  }
}

/** What a call may be wrong about; all else is a fault, and ends the process with its stack. */
function isExpected(error: unknown): error is Error {
  return error instanceof UsageError || error instanceof TypeError || error instanceof ConformanceRunError;
}

async function reportOf(asked: Asked, host: CommandHost): Promise<Report> {
  const kit = await kitNamed(asked.kit, asked.vectors);
  const candidate = await candidateOf(asked.module, host.folder, asked.kit);
  const { grep, since } = asked;
  const progress = progressOn(host.stderr);
  try {
    const report = await run(kit, candidate, {
      tools: { meter: heapMeter() },
      onCase: progress.show,
      ...(grep === undefined ? {} : { filter: (id: string) => grep.test(id) }),
      ...(since === undefined ? {} : { since }),
    });
    if (report.passed.length + report.failed.length + report.skipped.length > 0) return report;
  } finally {
    progress.clear();
  }
  throw new UsageError("no case was chosen: got 0, expected some. Look at --grep and --since.");
}

async function writeFiles({ json, junit }: Asked, report: Report, folder: string): Promise<void> {
  const files: readonly (readonly [string | undefined, () => string])[] = [
    [json, () => `${JSON.stringify(reportData(report), undefined, 2)}\n`],
    [junit, () => formatJUnit(report)],
  ];
  for (const [path, text] of files) {
    if (path === undefined) continue;
    try {
      await writeFile(resolve(folder, path), text());
    } catch (error) {
      throw new UsageError(`${path} cannot be written: ${(error as Error).message}`, { cause: error });
    }
  }
}
