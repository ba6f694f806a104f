import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "vite";
import { afterAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "sw-conformance-"));
afterAll(() => rmSync(folder, { recursive: true }));

const CONDITIONS = ["@sw/source", "module", "node", "import"];

test("all four kits are registered with node:test, which passes, skips and fails as they say", async () => {
  await build({
    configFile: false,
    logLevel: "silent",
    ssr: { noExternal: true, resolve: { conditions: CONDITIONS } },
    build: {
      ssr: fileURLToPath(new URL("./candidates/node-test-suite.ts", import.meta.url)),
      outDir: folder,
      target: "node20",
      rollupOptions: { output: { entryFileNames: "suite.mjs" } },
    },
  });
  // A runner in a runner would answer to the outer one.
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const { status, stdout } = spawnSync(process.execPath, ["--test-reporter=tap", join(folder, "suite.mjs")], {
    encoding: "utf8",
    env,
  });
  for (const name of [
    "conformance of js",
    "conformance of heap",
    "conformance of @sw/layout",
    "conformance of refuser",
  ]) {
    expect(stdout).toContain(`# Subtest: ${name}`);
  }
  expect(stdout).toMatch(/ok \d+ - kernels\/relu\/float32\/transposed/);
  expect(stdout).toMatch(
    /ok \d+ - memory\/churn # SKIP the candidate names no limit: running out of memory is not tried/,
  );
  expect(stdout).toMatch(/not ok \d+ - format\/descriptor\/scalar-float32/);
  expect(stdout).toContain("code: 'SW_CONFORMANCE_THROWN'");
  expect(stdout.match(/\bnot ok \d+ - [a-z]+\//g)).toHaveLength(1);
  expect(status).toBe(1);
});
