import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";

// What somebody outside of this repository has: tarballs as they are published, npm, a compiler, and the sources of this
// example and of the custom operation: they share one installation and one compilation, which take long. Nothing here
// resolves into the workspace.

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const EXAMPLES = ["custom-backend", "custom-operation"] as const;
/** What the examples depend on, and what that depends on. */
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
  const dependencies = Object.fromEntries(PACKAGES.map(fromTarball));
  writeFileSync(join(outside, "package.json"), JSON.stringify({ private: true, type: "module", dependencies }));
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
  for (const name of EXAMPLES) {
    const example = join(ROOT, "examples", name);
    const manifest = JSON.parse(readFileSync(join(example, "package.json"), "utf8"));
    expect(Object.keys(dependencies)).toEqual(expect.arrayContaining(Object.keys(manifest.dependencies)));
    cpSync(join(example, "src"), join(outside, "src", name), { recursive: true });
  }
  call("npm", ["install", "--offline", "--no-audit", "--no-fund", "--ignore-scripts"], outside);
}, 600_000);

afterAll(() => rmSync(outside, { recursive: true, force: true }));

test("the sources compile against the packed types, which are checked too", () => {
  call("tsc", ["-p", "."], outside);
});

test("the model of the backend learns", () => {
  const printed = call("node", ["dist/custom-backend/main.js"], outside);
  expect(printed).toMatch(/after 400 steps: (9[7-9]|100)\.\d %/);
  expect(printed).toContain(
    "matmul by handmade, add by handmade, relu by handmade, matmul by handmade, add by handmade",
  );
});

test("the operation has the right gradients, notices a write, and its model learns", () => {
  const printed = call("node", ["dist/custom-operation/main.js"], outside);
  expect(printed).toContain("gradcheck: 24 derivatives agree");
  expect(printed).toMatch(/a write in between: .* swiglu saved .*: got version 1, expected version 0/);
  expect(printed).toMatch(/loss: 0\.1\d+ at first, 0\.00\d+ after 300 steps/);
});

test("the kit's command passes the backend, and writes a report", () => {
  const args = ["dist/custom-backend/candidate.js", "--grep", "/(relu|add)/float32/", "--json", "report.json"];
  const command = join(outside, "node_modules", ".bin", "sw-conformance");
  expect(call(command, args, outside)).toMatch(/ passed, 0 failed, /);
  const report = JSON.parse(readFileSync(join(outside, "report.json"), "utf8"));
  expect(report).toMatchObject({ candidate: "handmade", ok: true });
});
