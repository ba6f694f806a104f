import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { arange, tensor } from "@sw/tensor";
import { build } from "tsup";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pathOf, putTensors } from "./support.js";

// What only a process of its own shows: exit codes, broken pipes, signals. It is bundled from the sources, with all
// that it stands on, into a folder where nothing else is.

const ROOT = fileURLToPath(new URL("..", import.meta.url));
let folder: string;
let program: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "sw-hurray-program-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", version: "1.2.3" }));
  program = join(folder, "dist", "cli.js");
  await build({
    config: false,
    entry: { cli: join(ROOT, "src/cli.ts") },
    outDir: dirname(program),
    format: ["esm"],
    platform: "node",
    target: "node20",
    noExternal: [/.*/],
    silent: true,
    // Modules of the older kind ask for those of Node when they run.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    esbuildOptions: (options) => {
      options.conditions = ["@sw/source"];
    },
  });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs the program; `during` is told of what it writes to stdout. */
function start(
  args: readonly string[],
  during: (child: ReturnType<typeof spawn>, out: string) => void = () => {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", "pipe", "pipe"] });
    let out = "";
    let err = "";
    child.stdout!.on("data", (chunk: Buffer) => {
      out += chunk.toString();
      during(child, out);
    });
    child.stderr!.on("data", (chunk: Buffer) => {
      err += chunk.toString();
    });
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, out, err }));
  });
}

test("exit codes reach the shell", async () => {
  const path = putTensors("m.hrry", { w: tensor([1, 2]) });
  expect(await start(["--version"])).toEqual({ code: 0, out: "1.2.3\n", err: "" });
  expect(await start(["cat", path])).toEqual({ code: 0, out: "[1. 2.]\n", err: "" });
  expect((await start(["diff", path, putTensors("n.hrry", { w: tensor([1, 3]) })])).code).toBe(1);
  expect((await start(["convert"])).code).toBe(2);
  expect((await start(["cat", "/nowhere"])).code).toBe(3);
  expect((await start(["convert", path, pathOf("o.npz"), "--layout", "csr"])).code).toBe(4);
});

test("a reader that has seen enough ends it quietly", async () => {
  const path = putTensors("m.hrry", { w: arange(50_000) });
  const { code, err } = await start(["cat", path, "--all"], (child) => child.stdout!.destroy());
  expect([code, err]).toEqual([0, ""]);
});

test("results that are lost are an error in one line, code 3", async () => {
  const path = putTensors("m.hrry", { w: arange(50_000) });
  for (const args of [
    ["ls", path],
    ["verify", path],
    ["cat", path, "--all", "--json"],
  ]) {
    // A file that is open for reading takes nothing, as a full disk does.
    const full = openSync(path, "r");
    const child = spawn(process.execPath, [program, ...args], { stdio: ["ignore", full, "pipe"] });
    let err = "";
    child.stderr!.on("data", (chunk: Buffer) => {
      err += chunk.toString();
    });
    const code = await new Promise((resolve) => child.on("close", resolve));
    closeSync(full);
    expect([args[0], code, err]).toEqual([args[0], 3, expect.stringMatching(/^sw-hurray: stdout: EBADF: .*\n$/)]);
  }
});

test("Ctrl-C leaves no part of a file behind, and says 130", async () => {
  const path = putTensors("m.hrry", { w: arange(4_000_000) });
  const args = ["convert", path, pathOf("out.hrry"), "--quantize", "int4", "--axis", "0", "--block", "32"];
  const running = spawn(process.execPath, [program, ...args], { stdio: "ignore" });
  const ended = new Promise<number | null>((resolve) => running.on("close", resolve));
  // As soon as there is a temporary file, it is in the middle of it.
  const watch = setInterval(() => {
    if (readdirSync(dirname(path)).length < 2) return;
    clearInterval(watch);
    // Once from the terminal, once from a program in between.
    running.kill("SIGINT");
    running.kill("SIGTERM");
  }, 5);
  const code = await ended;
  clearInterval(watch);
  expect(code).toBe(130);
  expect(readdirSync(dirname(path))).toEqual(["m.hrry"]);
});

test("a server ends with a signal, which is no error", async () => {
  const path = putTensors("m.hrry", { w: tensor([1]) });
  const { code, out, err } = await start(["serve", path], (child) => child.kill("SIGTERM"));
  expect([code, err]).toEqual([0, ""]);
  expect(out).toMatch(/^serving .* \(1 name\) at hurray:/);
});
