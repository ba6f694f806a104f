// What `npm start`, `npm test` and `pnpm check` share: a machine that has only
// Node and npm gets the pinned pnpm into `.tools/` (no global install), then the
// workspace's dependencies. Where both are there already this takes a second.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";

export const ROOT = fileURLToPath(new URL("..", import.meta.url));

const { packageManager } = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
const PNPM_VERSION = packageManager.replace("pnpm@", "");
const PNPM_HOME = join(ROOT, ".tools", `pnpm-${PNPM_VERSION}`);
const NPM = process.platform === "win32" ? "npm.cmd" : "npm";

/** The environment in which turbo finds pnpm, and every tool its own binaries. */
export function environment(extra = {}) {
  const plain = process.stdout.isTTY ? {} : { NO_COLOR: "1" };
  const path = [join(PNPM_HOME, "node_modules", ".bin"), join(ROOT, "node_modules", ".bin"), process.env.PATH];
  return { ...process.env, TURBO_TELEMETRY_DISABLED: "1", ...plain, ...extra, PATH: path.join(delimiter) };
}

/** Runs a command in the repository's root with its output shown; returns its exit code. */
export function run(command, args, options = {}) {
  const { quiet = false, env = {}, cwd = ROOT } = options;
  const result = spawnSync(command, args, {
    cwd,
    env: environment(env),
    stdio: quiet ? ["ignore", "pipe", "pipe"] : ["ignore", "inherit", "inherit"],
    encoding: "utf8",
    shell: process.platform === "win32",
    maxBuffer: 1 << 28,
  });
  const code = result.status ?? 1;
  if (quiet && code !== 0) process.stderr.write(`${result.stdout ?? ""}${result.stderr ?? ""}`);
  if (result.error) process.stderr.write(`${command}: ${result.error.message}\n`);
  return code;
}

/** Installs pnpm and the workspace. Ends the process where that fails. */
export function install() {
  if (!existsSync(join(PNPM_HOME, "node_modules", ".bin", "pnpm"))) {
    mkdirSync(PNPM_HOME, { recursive: true });
    step(`installing pnpm ${PNPM_VERSION} into .tools`);
    must(
      run(NPM, ["install", "--no-save", "--no-audit", "--no-fund", "--prefix", PNPM_HOME, `pnpm@${PNPM_VERSION}`], {
        quiet: true,
      }),
    );
  }
  step("installing the workspace");
  must(run("pnpm", ["install", "--frozen-lockfile", "--prefer-offline"], { quiet: true, env: { CI: "true" } }));
}

/** Says what happens now. On stdout: stderr is for what goes wrong. */
export function step(text) {
  process.stdout.write(`· ${text}\n`);
}

export function must(code) {
  if (code !== 0) process.exit(code);
}

/** Runs turbo tasks over the workspace. */
export function turbo(tasks, filters = []) {
  const args = ["run", ...tasks, "--output-logs=errors-only", "--log-order=grouped"];
  return run("turbo", [...args, ...filters.map((f) => `--filter=${f}`)], { quiet: true });
}
