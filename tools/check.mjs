// `pnpm check`: every static check, all of them even where one fails, and a table at the end.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { install, must, ROOT, run, step, turbo } from "./bootstrap.mjs";

install();
step("generating and building");
must(turbo(["generate", "build"]));

const packages = readdirSync(join(ROOT, "packages"));
const CHECKS = [
  ["types", () => turbo(["typecheck"])],
  ["biome", () => run("biome", ["ci", "."])],
  ["layers", () => run("depcruise", ["--config", ".dependency-cruiser.cjs", "packages", "tools", "examples"])],
  ["knip", () => run("knip", [])],
  [
    "publint",
    () => all(packages, (name) => run("publint", ["--strict", "--pack", "pnpm", `packages/${name}`], { quiet: true })),
  ],
  [
    "attw",
    () =>
      all(packages, (name) => run("attw", ["--pack", `packages/${name}`, "--profile", "esm-only"], { quiet: true })),
  ],
  ["size", () => run("size-limit", [])],
];

function all(names, check) {
  return names.map(check).every((code) => code === 0) ? 0 : 1;
}

const only = process.argv.slice(2);
const results = CHECKS.filter(([name]) => only.length === 0 || only.includes(name)).map(([name, check]) => {
  step(name);
  return [name, check() === 0];
});
process.stdout.write(`\n${results.map(([name, ok]) => `${ok ? "ok    " : "FAILED"}  ${name}`).join("\n")}\n`);
process.exit(results.every(([, ok]) => ok) ? 0 : 1);
