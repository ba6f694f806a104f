/// <reference types="vite/client" />
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setKernels } from "@sw/tensor";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";

// Every example of the documentation, as `extract-examples.mjs` wrote it down.
const examples = import.meta.glob("../generated/*.ts");

describe("the documentation's examples run", () => {
  const home = process.cwd();
  let scratch = "";

  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), "sw-examples-"));
    process.chdir(scratch);
  });
  afterAll(() => {
    process.chdir(home);
    rmSync(scratch, { recursive: true, force: true });
  });
  beforeEach(() => {
    // No example may live on the kernels that another one chose.
    setKernels();
    vi.spyOn(console, "log").mockImplementation(() => undefined);
  });

  test.each([
    "README",
    ...readdirSync(new URL("../../packages", import.meta.url)).map((name) => `packages-${name}-README`),
  ])("%s has an example", (page) => {
    expect(Object.keys(examples)).toContain(`../generated/${page}-1.ts`);
  });

  for (const [path, load] of Object.entries(examples)) {
    test(path.replace("../generated/", ""), async () => {
      await expect(load()).resolves.toBeDefined();
    });
  }
});
