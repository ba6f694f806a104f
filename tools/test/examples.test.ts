/// <reference types="vite/client" />
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { format } from "node:util";
import { setKernels } from "@sw/tensor";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { brokenPromises, promisedLines } from "./promises.js";

// Every example of the documentation, as `extract-examples.mjs` wrote it down.
const examples = import.meta.glob("../generated/*.ts");

/** The pictures of the documentation: an example that writes `name.svg` draws `docs/pictures/name.svg`. */
const PICTURES = fileURLToPath(new URL("../../docs/pictures/", import.meta.url));

describe("the documentation's examples run", () => {
  const home = process.cwd();
  let scratch = "";
  let printed: string[] = [];
  const drawn: string[] = [];

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
    printed = [];
    vi.spyOn(console, "log").mockImplementation((...values) => {
      printed.push(...format(...values).split("\n"));
    });
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
      const promised = promisedLines(readFileSync(new URL(path, import.meta.url), "utf8"));
      expect(brokenPromises(promised, printed), `not printed; printed were:\n${printed.join("\n")}`).toEqual([]);
      for (const name of readdirSync(scratch).filter((file) => file.endsWith(".svg"))) {
        const svg = readFileSync(join(scratch, name), "utf8");
        rmSync(join(scratch, name));
        drawn.push(name);
        // Written anew by `vitest run -u`.
        await expect(svg).toMatchFileSnapshot(join(PICTURES, name));
      }
    });
  }

  test("each picture of docs/pictures is drawn by one example, and shown", () => {
    expect(readdirSync(PICTURES)).toEqual([...drawn].sort());
    const guide = readFileSync(new URL("../../docs/layouts-in-fifteen-minutes.md", import.meta.url), "utf8");
    const shown = [...guide.matchAll(/^!\[.+\]\(pictures\/(.+)\)$/gm)].map((match) => match[1]);
    expect(shown.sort()).toEqual([...drawn].sort());
  });
});
