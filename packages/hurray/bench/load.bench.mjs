// Does a tensor come from a file as fast as read() fills a buffer? 256 MiB in 64 tensors, from the cache of the host.
// Beside it what loaders of safetensors and npy do in JavaScript: read the whole file, then slice or view; build first.
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BufferPool, heapMemory } from "@sw/buffer";
import { wasmMemory } from "@sw/buffer/wasm";
import { createFile, openFile } from "@sw/hurray/node";
import { full } from "@sw/tensor";

const COUNT = 64;
const BYTES = 4 * 1024 * 1024;
const ROUNDS = 20;
/** The rows that allocate nothing come first. */
const WARM = 4;

const folder = mkdtempSync(join(tmpdir(), "hurray-bench-"));
const path = join(folder, "weights.hrry");
try {
  const writer = await createFile(path);
  for (let k = 0; k < COUNT; k++) await writer.add(`layer ${k}`, full([1024, 1024], k));
  await writer.finish();

  const reused = new Uint8Array(BYTES);
  const native = () => {
    const file = openSync(path, "r");
    for (let k = 0; k < COUNT; k++) readSync(file, reused, 0, BYTES, 4096 + k * (BYTES + 4096));
    closeSync(file);
  };
  /** As loaders of safetensors do: the whole file in memory, and a copy of each tensor. */
  const slices = () => {
    const file = readFileSync(path);
    const kept = [];
    for (let k = 0; k < COUNT; k++) {
      const start = file.byteOffset + 4096 + k * (BYTES + 4096);
      kept.push(new Float32Array(file.buffer.slice(start, start + BYTES)));
    }
    return kept;
  };
  /** As loaders of npy do at best: a file in fresh memory, viewed. */
  const views = () => {
    const file = readFileSync(path);
    return Array.from({ length: COUNT }, (_, k) => new Uint8Array(file.buffer, file.byteOffset + k * BYTES, BYTES));
  };
  const into = (memory) => async (options) => {
    const file = await openFile(path, options);
    for (const name of file.names()) (await file.tensor(name, { memory })).dispose();
    await file.close();
  };
  const kept = (source) => async () => {
    const memory = new BufferPool({ source: source() });
    const file = await openFile(path);
    const tensors = [];
    for (const name of file.names()) tensors.push(await file.tensor(name, { memory }));
    await file.close();
    for (const tensor of tensors) tensor.dispose();
  };
  const wasm = () => wasmMemory({ initialBytes: 64 * 1024, maximumBytes: 1024 * 1024 * 1024 });
  const heapPool = into(new BufferPool({ source: heapMemory() }));
  const wasmPool = into(new BufferPool({ source: wasm() }));
  const rows = {
    "read() into a reused buffer": native,
    "warm pool": heapPool,
    "warm WebAssembly memory": wasmPool,
    "warm pool, in the background": () => heapPool({ background: true }),
    "cold pool, all tensors kept": kept(heapMemory),
    "cold WebAssembly memory, all tensors kept": kept(wasm),
    "readFile and a slice a tensor (safetensors loaders)": slices,
    "readFile and a view a tensor": views,
  };
  const times = Object.fromEntries(Object.keys(rows).map((row) => [row, []]));
  // What allocates disturbs what does not: one kind after the other.
  const allocating = Object.entries(rows).splice(WARM);
  for (const part of [Object.entries(rows).slice(0, WARM), allocating]) {
    for (let round = 0; round < ROUNDS; round++) {
      for (const [row, run] of part) {
        if (part === allocating) globalThis.gc?.();
        const begin = performance.now();
        await run();
        // The first rounds warm up.
        if (round >= 3) times[row].push(performance.now() - begin);
      }
    }
  }
  // The fastest round of each: other work on the machine only ever adds.
  const base = Math.min(...times["read() into a reused buffer"]);
  for (const [row, list] of Object.entries(times)) {
    const best = Math.min(...list);
    const speed = ((COUNT * BYTES) / 1e6 / best).toFixed(1).padStart(6);
    console.log(`${row.padEnd(54)} ${speed} GB/s  ${(best / base).toFixed(2).padStart(6)} × read()`);
  }
} finally {
  rmSync(folder, { recursive: true });
}
