/// <reference types="vite/client" />
import { mkdtempSync, rmSync } from "node:fs";
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

  test("there are examples", () => {
    expect(Object.keys(examples).length).toBeGreaterThan(8);
  });

  for (const [path, load] of Object.entries(examples)) {
    test(path.replace("../generated/", ""), async () => {
      await expect(load()).resolves.toBeDefined();
    });
  }
});
