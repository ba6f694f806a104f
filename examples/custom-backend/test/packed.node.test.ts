import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

// What somebody outside of this repository has: tarballs as they are published, npm, a compiler, and this example's
// sources. Nothing here resolves into the workspace.

const EXAMPLE = fileURLToPath(new URL("..", import.meta.url));
const ROOT = join(EXAMPLE, "../..");
/** What the example depends on, and what that depends on. */
const PACKAGES = ["autograd", "buffer", "conformance", "kernels-js", "layout", "tensor"];

let outside: string;

function call(command: string, args: readonly string[], cwd: string): string {
  // Without the options that vitest gave its own processes.
  const { NODE_OPTIONS: _, ...env } = process.env;
  return execFileSync(command, args, { cwd, env, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

beforeAll(() => {
  outside = mkdtempSync(join(tmpdir(), "sw-outside-"));
  call("turbo", ["run", "build", "--filter=@sw/example-custom-backend^..."], ROOT);
  for (const name of PACKAGES) call("pnpm", ["pack", "--pack-destination", outside], join(ROOT, "packages", name));
  const tarballs = readdirSync(outside);
  const fromTarball = (name: string): [string, string] => {
    const file = tarballs.find((tarball) => tarball.startsWith(`sw-${name}-`));
    return [`@sw/${name}`, `file:${file}`];
  };
  const manifest = JSON.parse(readFileSync(join(EXAMPLE, "package.json"), "utf8"));
  const dependencies = Object.fromEntries(PACKAGES.map(fromTarball));
  expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
  writeFileSync(join(outside, "package.json"), JSON.stringify({ ...manifest, scripts: {}, dependencies }));
  mkdirSync(join(outside, "src"));
  cpSync(join(EXAMPLE, "src"), join(outside, "src"), { recursive: true });
  const compilerOptions = {
    target: "ES2022",
    module: "NodeNext",
    lib: ["ES2023", "ESNext.Disposable", "DOM"],
    types: [],
    strict: true,
    exactOptionalPropertyTypes: true,
    outDir: "dist",
  };
  writeFileSync(join(outside, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["src"] }));
  call("npm", ["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts"], outside);
}, 600_000);

afterAll(() => rmSync(outside, { recursive: true, force: true }));

test("the sources compile against the packed types, which are checked too, and the model learns", () => {
  call("tsc", ["-p", "."], outside);
  const printed = call("node", ["dist/main.js"], outside);
  expect(printed).toMatch(/after 400 steps: (9[7-9]|100)\.\d %/);
  expect(printed).toContain(
    "matmul by handmade, add by handmade, relu by handmade, matmul by handmade, add by handmade",
  );
});

test("the kit's command passes it, and writes a report", () => {
  const args = ["dist/candidate.js", "--grep", "/(relu|add)/float32/", "--json", "report.json"];
  const command = join(outside, "node_modules", ".bin", "sw-conformance");
  expect(call(command, args, outside)).toMatch(/ passed, 0 failed, /);
  const report = JSON.parse(readFileSync(join(outside, "report.json"), "utf8"));
  expect(report).toMatchObject({ candidate: "handmade", ok: true });
});
