// `pnpm check`: every static check, all of them even where one fails, and a table at the end.
// `pnpm check biome types` runs those only.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { install, must, ROOT, run, step, turbo } from "./bootstrap.mjs";

const packages = readdirSync(join(ROOT, "packages")).map((name) => `packages/${name}`);
/** Published as well, but a program: it has no entry points whose types could be wrong, and no page loads it. */
const program = "tools/hurray-cli";
/** Entry points that nobody imports: addresses of what is fetched. */
const FETCHED = ["kernels.wasm", "kernels.shared.wasm", "worker.js"];
const CHECKS = {
  types: () => turbo(["typecheck"]),
  biome: () => run("biome", ["ci", "."]),
  layers: () => run("depcruise", ["--config", ".dependency-cruiser.cjs", "packages", "tools", "examples", "bench"]),
  knip: () => run("knip", []),
  build: () => turbo(["build"]),
  publint: () =>
    each([...packages, program], (folder) => run("publint", ["--strict", "--pack", "pnpm", folder], { quiet: true })),
  attw: () =>
    each(packages, (folder) =>
      run("attw", ["--pack", folder, "--profile", "esm-only", "--exclude-entrypoints", ...FETCHED], { quiet: true }),
    ),
  size: () => run("size-limit", []),
};
/** What reads the built packages says nothing where the build failed. */
const NEED_BUILD = ["publint", "attw", "size"];

function each(folders, check) {
  return folders.map(check).every((code) => code === 0) ? 0 : 1;
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in CHECKS));
if (unknown.length > 0) {
  process.stderr.write(
    `check: no such check: got ${unknown.join(", ")}, expected one of ${Object.keys(CHECKS).join(", ")}.\n`,
  );
  process.exit(1);
}

install();
step("generating sources");
must(turbo(["generate"]));

const needed = asked.some((name) => NEED_BUILD.includes(name)) ? [...asked, "build"] : asked;
const results = new Map();
for (const [name, check] of Object.entries(CHECKS)) {
  if (asked.length > 0 && !needed.includes(name)) continue;
  if (NEED_BUILD.includes(name) && results.get("build") !== "ok") {
    results.set(name, "not run");
    continue;
  }
  step(name);
  results.set(name, check() === 0 ? "ok" : "FAILED");
}
process.stdout.write(`\n${[...results].map(([name, result]) => `${result.padEnd(7)}  ${name}`).join("\n")}\n`);
process.exit([...results.values()].every((result) => result === "ok") ? 0 : 1);
