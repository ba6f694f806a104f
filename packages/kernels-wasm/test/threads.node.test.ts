import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { type WasmBackend, wasmKernels } from "@sw/kernels-wasm";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WORKER_SOURCE } from "../src/generated/worker.js";
import { WORD } from "../src/threads/control.js";
import { place, values } from "./operands.js";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sw-threads-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** A script at a URL; what it does with its start message is given. */
async function script(name: string, text: string): Promise<URL> {
  const path = join(folder, `${name}.cjs`);
  await writeFile(path, text);
  return pathToFileURL(path);
}

const answering = (body: string): string => `
const { parentPort } = require("node:worker_threads");
parentPort.once("message", ({ memory, control }) => {
  const words = new Int32Array(memory.buffer, control, 32);
  parentPort.postMessage("ready");
  ${body}
});`;

/** A product that is worth a thread, its exact values being known. */
function product({ memory, kernels }: WasmBackend): { readonly run: () => void; readonly check: () => void } {
  const n = 200;
  const a = place(memory, [n, n], (i) => ((i * 7) % 5) - 2);
  const b = place(memory, [n, n], (i) => ((i * 3) % 7) - 3);
  const out = place(memory, [n, n], () => 0);
  const [x, y] = [values(a), values(b)];
  return {
    run: () => kernels.matmul([out], [a, b], [], []),
    check: () => {
      const got = values(out);
      for (const at of [0, 57, n * n - 1]) {
        let sum = 0;
        for (let k = 0; k < n; k++) sum += x[Math.floor(at / n) * n + k]! * y[k * n + (at % n)]!;
        expect(got[at]).toBe(sum);
      }
    },
  };
}

const load = (url: URL): Promise<WasmBackend> => wasmKernels({ threads: { count: 2, url } });

describe("a thread", () => {
  test("may have its script at a URL", async () => {
    const backend = await load(await script("own", WORKER_SOURCE));
    const { run, check } = product(backend);
    run();
    check();
    expect(backend.threads.count).toBe(2);
    backend.dispose();
  });

  test("that fails gives an error, and kernels go on with one", async () => {
    const body = `for (let last = 0; ; ) { words[${WORD.sleeps}] = 1; Atomics.wait(words, ${WORD.job}, last); last = Atomics.load(words, ${WORD.job}); if (last < 0) break; words[${WORD.failed}] = 1; Atomics.store(words, ${WORD.done}, last); }`;
    const backend = await load(await script("failing", answering(body)));
    const { run, check } = product(backend);
    expect(run).toThrow(expect.objectContaining({ name: "WasmThreadError", code: "SW_WASM_THREAD" }));
    expect(backend.threads).toMatchObject({ count: 1, reason: "a thread of the kernels failed" });
    run();
    check();
    backend.dispose();
  });

  test("that does not come back gives an error, not a hang", async () => {
    const backend = await load(await script("silent", answering("")));
    const { run, check } = product(backend);
    expect(run).toThrow(expect.objectContaining({ code: "SW_WASM_THREAD" }));
    expect(backend.threads).toMatchObject({ count: 1, reason: "a thread of the kernels did not come back" });
    run();
    check();
    backend.dispose();
  });

  test("that ends is missed before the next call", async () => {
    const backend = await load(await script("ending", answering("process.exit(0);")));
    while (backend.threads.count > 1) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(backend.threads.reason).toMatch(/ended/);
    const { run, check } = product(backend);
    run();
    check();
    backend.dispose();
  });

  test("that cannot be started rejects", async () => {
    await expect(load(pathToFileURL(join(folder, "gone.cjs")))).rejects.toThrow(
      expect.objectContaining({ code: "SW_WASM_THREAD" }),
    );
    await expect(load(await script("broken", "throw new RangeError('mine');"))).rejects.toThrow(/mine/);
  });
});

test("a program with threads ends by itself", async () => {
  const path = join(folder, "program.mjs");
  const text = `
    import { wasmKernels } from "@sw/kernels-wasm";
    import { matmul, ones, setKernels } from "@sw/tensor";
    const backend = await wasmKernels({ threads: 2 });
    setKernels(backend);
    console.log(backend.threads.count, matmul(ones([256, 256]), ones([256, 256])).at(3, 4));
  `;
  await build({
    stdin: { contents: text, resolveDir: fileURLToPath(new URL(".", import.meta.url)) },
    bundle: true,
    format: "esm",
    platform: "neutral",
    conditions: ["@sw/source"],
    outfile: path,
    logLevel: "silent",
  });
  const { stdout } = await promisify(execFile)(process.execPath, [path], { timeout: 60_000 });
  expect(stdout.trim()).toBe("2 256");
});
