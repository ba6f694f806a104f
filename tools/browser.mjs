// Where the browser lane gets its Chromium from. Nothing is downloaded by the test runner: an installed
// one is found, or, on Debian and its kin as root, the distribution's own package is installed.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { run, step } from "./bootstrap.mjs";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "chrome"];
const APT = { quiet: true, env: { DEBIAN_FRONTEND: "noninteractive" } };

/** The path of a Chromium that starts, or `undefined`. A `CHROME_PATH` that does not start ends the process. */
export function chromium() {
  const chosen = process.env.CHROME_PATH;
  if (chosen !== undefined && chosen !== "") {
    if (starts(chosen)) return chosen;
    process.stderr.write(
      `browser: CHROME_PATH does not start: got ${chosen}, expected the path of an installed Chromium.\n`,
    );
    process.exit(1);
  }
  return onPath() ?? (installs() ? onPath() : undefined);
}

function onPath() {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(starts);
}

/** Some distributions put a script of that name that only says how to install it. */
function starts(path) {
  return existsSync(path) && spawnSync(path, ["--version", "--no-sandbox"], { timeout: 60_000 }).status === 0;
}

function installs() {
  if (!existsSync("/etc/debian_version") || process.getuid?.() !== 0) return false;
  step("installing chromium");
  return run("apt-get", ["update"], APT) === 0 && run("apt-get", ["install", "-y", "chromium"], APT) === 0;
}
