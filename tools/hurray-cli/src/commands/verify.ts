import { type Finding, verify } from "@sw/hurray/verify";
import { type Command, Option } from "commander";
import { EXIT, errorText } from "../failure.js";
import { toJson } from "../json.js";
import { createProgress } from "../progress.js";
import type { Shell } from "../shell.js";
import { openSource } from "../source.js";
import { counted, nameText } from "../words.js";

const EXAMPLES = `
Checks frame, index, metadata, every descriptor, composites and what the data says, and goes on past what is broken.
A violation is a rule of the format that is broken; readers refuse it. A note is allowed, or could not be checked.
A file that cannot be read does not keep the others from being checked; the exit code is 3 then.

Examples:
  sw-hurray verify model.hrry && echo sound
  sw-hurray verify *.hrry --no-notes
  sw-hurray verify recorded.bin --as stream
  sw-hurray verify model.hrry --json | jq '.files[].findings[].rule'`;

interface VerifyCliOptions {
  readonly as?: "file" | "stream";
  readonly notes: boolean;
  readonly private?: boolean;
  readonly json?: boolean;
}

/** What was found in one file. */
interface Report {
  readonly path: string;
  violations: number;
  notes: number;
  readonly findings: Finding[];
  /** Why the file could not be read to its end. */
  error?: string;
}

/** `sw-hurray verify <files...>`. */
export function addVerify(program: Command, shell: Shell): void {
  program
    .command("verify")
    .summary("check files by every rule, and list all that breaks one")
    .description("Checks files by every rule of the format, and lists all that breaks one, with its byte.")
    .argument("<files...>", "Hurray files or raw streams")
    .addOption(
      new Option("--as <kind>", "what the bytes are to be (default: told by them)").choices(["file", "stream"]),
    )
    .option("--private", "accept private layouts, schemes and rules")
    .option("--no-notes", "leave out what breaks no rule")
    .option("--json", "print JSON")
    .addHelpText("after", EXAMPLES)
    .action(async (paths: string[], options: VerifyCliOptions) => {
      const reports: Report[] = [];
      for (const path of paths) reports.push(await verifyOne(path, options, shell));
      if (options.json) shell.io.stdout.write(`${toJson({ files: reports })}\n`);
      if (reports.some(({ error }) => error !== undefined)) shell.exitCode = EXIT.unreadable;
      else if (reports.some(({ violations }) => violations > 0)) shell.exitCode = EXIT.differs;
    });
}

/** Checks one file. One that cannot be read is said to be so, and the next one has its turn. */
async function verifyOne(path: string, options: VerifyCliOptions, shell: Shell): Promise<Report> {
  const report: Report = { path, violations: 0, notes: 0, findings: [] };
  try {
    await verifyInto(report, options, shell);
  } catch (error) {
    shell.io.signal.throwIfAborted();
    report.error = errorText(error, false);
    shell.io.stderr.write(`sw-hurray: ${errorText(error, shell.debug)}\n`);
  }
  return report;
}

async function verifyInto(report: Report, options: VerifyCliOptions, shell: Shell): Promise<void> {
  const { path } = report;
  const { io } = shell;
  const source = await openSource(path, shell);
  const progress = createProgress(io.stderr, "checking", source.byteLength);
  try {
    const findings = verify(source, {
      ...(options.as && { as: options.as }),
      ...(options.private && { accept: () => true }),
      signal: io.signal,
      onProgress: (done) => progress.update(done),
    });
    for await (const finding of findings) {
      if (finding.severity === "violation") report.violations++;
      else report.notes++;
      if (finding.severity === "note" && !options.notes) continue;
      if (options.json) report.findings.push(finding);
      else {
        progress.stop();
        io.stdout.write(`${path}: ${findingText(finding)}\n`);
      }
    }
  } finally {
    progress.stop();
    await source.close();
  }
  if (!options.json) {
    const notes = report.notes === 0 ? "" : `, ${counted(report.notes, "note")}`;
    const verdict = report.violations === 0 ? "sound" : counted(report.violations, "violation");
    io.stdout.write(`${path}: ${verdict}${notes}\n`);
  }
}

function findingText({ severity, rule, name, field, byteOffset, message }: Finding): string {
  const what = severity === "note" ? "note" : rule!;
  const where = name === undefined ? "" : `${nameText(name)}, `;
  return `byte ${byteOffset}: ${what}: ${where}${field}: ${message}`;
}
