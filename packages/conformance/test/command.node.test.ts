import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, test } from "vitest";
import { command } from "../src/node/index.js";
import { parseXml } from "./xml.js";

const HERE = fileURLToPath(new URL("./candidates", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "sw-conformance-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Result {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function called(args: readonly string[], isTTY = false): Promise<Result> {
  let out = "";
  let err = "";
  const code = await command(args, {
    stdout: {
      write: (text) => {
        out += text;
      },
    },
    stderr: {
      write: (text) => {
        err += text;
      },
      isTTY,
      columns: 60,
    },
    folder: HERE,
  });
  return { code, out, err };
}

const NOT = ["--grep", "^kernels/logicalNot/"];

describe("sw-conformance", () => {
  test("runs a backend that an asynchronous factory makes, and answers 0", async () => {
    const { code, out, err } = await called(["./right.mjs", ...NOT]);
    expect(out).toMatch(/^Conformance of right\n/);
    expect(out).toMatch(/\n\d+ passed, 0 failed, 2 skipped, 0 excepted, 0 stale; \d+ calls compared\n$/);
    expect([code, err]).toEqual([0, ""]);
  });

  test("answers 2 where all cases are skipped, after the report", async () => {
    const { code, out, err } = await called(["./right.mjs", "--grep", "^kernels/add/float32/"]);
    expect(out).toMatch(/\n0 passed, 0 failed, \d+ skipped,/);
    expect(err).toMatch(/^sw-conformance: nothing was run: got skipped cases only, expected one/);
    expect(code).toBe(2);
  });

  test("answers 1 where a case fails, and writes the report as JSON and as JUnit XML", async () => {
    const [json, junit] = [join(folder, "report.json"), join(folder, "report.xml")];
    const { code, out } = await called(["wrong.mjs", ...NOT, "--json", json, "--junit", junit]);
    expect(code).toBe(1);
    expect(out).toContain("Failed:\n  kernels/logicalNot (");
    const data = JSON.parse(readFileSync(json, "utf8"));
    expect(data).toMatchObject({ candidate: 'wrong <&"> one', ok: false });
    // It does take nothing of the heap.
    expect(data.passed).toEqual(["kernels/logicalNot/bool/no-allocation"]);
    expect(data.failed[0]).toMatchObject({ id: "kernels/logicalNot/bool/contiguous", code: "SW_CONFORMANCE_VALUE" });
    expect(data.failed[0].operands).toContain("kernel logicalNot");

    const root = parseXml(readFileSync(junit, "utf8"));
    const [suite] = root.children;
    expect(root).toMatchObject({ name: "testsuites", attributes: { name: 'conformance of wrong <&"> one' } });
    expect(Number(suite!.attributes["failures"])).toBe(data.failed.length);
    expect(suite!.children).toHaveLength(data.failed.length + data.skipped.length + data.passed.length);
    const [failure] = suite!.children.find(({ attributes }) => attributes["name"] === data.failed[0].id)!.children;
    expect(failure).toMatchObject({ name: "failure", attributes: { type: "SW_CONFORMANCE_VALUE" } });
    expect(failure!.text).toBe(data.failed[0].message);
  });

  test("shows on a terminal how far it is, and leaves nothing of it", async () => {
    const { err } = await called(["right.mjs", ...NOT], true);
    const cleared = "\r\u001b[K";
    expect(err.startsWith(`${cleared}1 of `), err).toBe(true);
    expect(err.endsWith(cleared)).toBe(true);
    for (const line of err.split(cleared)) expect(line.length).toBeLessThan(60);
  });

  test("runs the kit of memory on a function that makes sources", async () => {
    const { code, out } = await called(["memory.mjs", "--kit", "memory"]);
    expect(out).toContain("8 passed, 0 failed, 3 skipped");
    expect(code).toBe(0);
  });

  test("takes vectors from a folder", async () => {
    writeFileSync(
      join(folder, "manifest.json"),
      JSON.stringify({ cases: [{ id: "x", kind: "invalid-descriptor", file: "x.bin" }] }),
    );
    writeFileSync(join(folder, "x.bin"), Uint8Array.of(1, 2, 3));
    writeFileSync(
      join(folder, "codec.mjs"),
      'export default { name: "codec", decode() { throw Object.assign(new Error("no"), { byteOffset: 0 }); } };',
    );
    const { code, out } = await called([join(folder, "codec.mjs"), "--kit", "format", "--vectors", folder]);
    expect(out).toContain("1 passed, 0 failed");
    expect(code).toBe(0);
  });

  test("--since leaves out what came later", async () => {
    expect((await called(["right.mjs", ...NOT, "--since", "0.1.0"])).code).toBe(0);
    const { code, err } = await called(["right.mjs", ...NOT, "--since", "0.0.9"]);
    expect(err).toMatch(/^sw-conformance: no case was chosen: got 0, expected some\./);
    expect(code).toBe(2);
  });

  test("--help says what there is", async () => {
    const { code, out } = await called(["--help"]);
    expect(out).toMatch(/^sw-conformance <module> \[options\]\n/);
    expect(code).toBe(0);
  });

  test.each([
    [[], "one module is tested: got 0, expected a path or the name of a package."],
    [["a.mjs", "b.mjs"], "one module is tested: got 2"],
    [
      ["right.mjs", "--kit", "kernel"],
      "--kit is none of the kits: got kernel, expected kernels, exact, memory, format, layout, gradients.",
    ],
    [["right.mjs", "--grep", "("], "--grep is no regular expression: got (."],
    [["right.mjs", "--since", "one"], "run: since is no version: got one, expected three numbers, e.g. 0.1.0."],
    [["right.mjs", "--vectors", "."], "--vectors is for the kits format and layout: got the kit kernels."],
    [["right.mjs", "--kit", "layout", "--vectors", "nowhere"], "--vectors is no folder of vectors: got nowhere."],
    [["right.mjs", "--colour"], "Unknown option '--colour'"],
    [["nowhere.mjs"], "nowhere.mjs cannot be loaded: "],
    [["none.mjs"], "none.mjs has no default export: got backend, expected a candidate"],
    [["memory.mjs"], "run: the candidate is no backend: got object"],
    [["right.mjs", ...NOT, "--json", "nowhere/x.json"], "nowhere/x.json cannot be written: "],
  ])("answers 2 to %j, and says why", async (args, message) => {
    const { code, err } = await called(args);
    expect(err.startsWith(`sw-conformance: ${message}`), err).toBe(true);
    expect(code).toBe(2);
  });
});
