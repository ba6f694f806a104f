// `npm test`: install, generate what is generated, run every test of every package with
// coverage. The last line is `N passed, N failed`. `--long` runs the long lane instead.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install, must, run, step, turbo } from "./bootstrap.mjs";

const long = process.argv.includes("--long");
const only = process.argv.slice(2).filter((arg) => arg !== "--long" && arg !== "--");

install();
step("generating sources");
must(turbo(["generate"]));

const scratch = mkdtempSync(join(tmpdir(), "sw-test-"));
const report = join(scratch, "report.json");
step(long ? "running the long lane" : "running the tests");
// A run of chosen files cannot meet the coverage of the whole.
const coverage = long || only.length > 0 ? [] : ["--coverage"];
const env = long ? { SW_LONG: "1" } : {};
const code = run(
  "vitest",
  ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...coverage, ...only],
  { env },
);

let passed = 0;
let failed = 0;
let skipped = 0;
try {
  const result = JSON.parse(readFileSync(report, "utf8"));
  passed = result.numPassedTests;
  skipped = result.numPendingTests;
  // A file that does not load runs no test, and is a failure all the same.
  const brokenFiles = result.testResults.filter((f) => f.status === "failed" && f.assertionResults.length === 0);
  failed = result.numFailedTests + brokenFiles.length;
} catch {
  failed = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (code !== 0 && failed === 0) {
  const reason =
    passed === 0
      ? "No test was found."
      : "No test failed, but the run did: see above (coverage, errors outside tests).";
  process.stdout.write(`${reason}\n`);
  failed = 1;
}
if (skipped > 0) process.stdout.write(`${skipped} skipped, for lack of what they need: see above\n`);
process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exit(code !== 0 || failed > 0 || passed === 0 ? 1 : 0);
