// `npm test`: install, generate what is generated, run every test of every package with
// coverage. The last line is `N passed, N failed`. An option chooses another lane, `--browser`
// prints `not run: no browser` where there is none, which only `--require-browser` calls an error.
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { install, must, run, step, turbo } from "./bootstrap.mjs";
import { chromium } from "./browser.mjs";

const IN_BROWSER = ["--config", "vitest.browser.config.ts"];
const LANES = {
  "--long": { runs: "the long lane", env: { SW_LONG: "1" }, args: [] },
  "--checked": { runs: "the tests in checked mode", env: { SW_CHECKED: "1" }, args: [] },
  "--wasm-memory": { runs: "the tests over WebAssembly memory", env: { SW_TEST_MEMORY: "wasm" }, args: [] },
  // Those of `tensor` run no kernels but their own, those of `kernels-js` say what exact means, which others need not be.
  "--wasm-kernels": {
    runs: "the tests with the kernels in WebAssembly",
    env: { SW_TEST_KERNELS: "wasm" },
    args: ["--project", "autograd", "--project", "hurray"],
  },
  "--browser": { runs: "the tests in a browser", env: {}, args: IN_BROWSER },
  "--require-browser": { runs: "the tests in a browser", env: {}, args: IN_BROWSER },
};

const given = process.argv.slice(2).filter((arg) => arg !== "--");
const chosen = given.filter((arg) => arg in LANES);
const only = given.filter((arg) => !(arg in LANES));
if (chosen.length > 1) {
  process.stderr.write(`test: more than one lane: got ${chosen.join(" ")}, expected at most one of them.\n`);
  process.exit(1);
}
const lane = LANES[chosen[0]];
const env = { ...lane?.env };

install();
step("generating sources");
must(turbo(["generate"]));

if (lane?.args === IN_BROWSER) {
  const path = chromium();
  if (path === undefined) {
    process.stdout.write("not run: no browser\n");
    process.exit(chosen[0] === "--require-browser" ? 1 : 0);
  }
  env.CHROME_PATH = path;
}

const scratch = mkdtempSync(join(tmpdir(), "sw-test-"));
const report = join(scratch, "report.json");
step(`running ${lane?.runs ?? "the tests"}`);
// The other lanes measure no coverage, and a run of chosen files cannot meet that of the whole.
const args = lane?.args ?? (only.length > 0 ? [] : ["--coverage"]);
const code = run(
  "vitest",
  ["run", "--reporter=default", "--reporter=json", `--outputFile.json=${report}`, ...args, ...only],
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
