// Does a tensor come from a file as fast as read() fills a buffer, and faster than other loaders give one? 256 MiB in 64
// tensors, from the cache of the host; the others have one safetensors file, one npy file, or 64 of them. Warm memory has
// been written before, as code has been run often enough for the engine to be done with it, and is compared with what the
// others take after their first rounds: aims are at most 1.2 times read(), and 5 times as fast as the best of the others. Cold memory is new, and is compared with the first round of the
// others: the aim is as fast as the best. Medians; every row that allocates has processes of its own, since memory that
// one row gives back is warm for the next. One tensor of 64 must not take more bytes than its own, and those that say
// where it is. Build first.
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BufferPool, heapMemory } from "@sw/buffer";
import { wasmMemory } from "@sw/buffer/wasm";
import { openHurray, store } from "@sw/hurray";
import { npyBytes, safetensorsBytes } from "@sw/hurray/interchange";
import { createFile, openFile } from "@sw/hurray/node";
import { full } from "@sw/tensor";
import * as npyjs from "npyjs";
import numpyParser from "numpy-parser";
import safetensors from "safetensors";

const COUNT = 64;
const BYTES = 4 * 1024 * 1024;
/** Rounds of rows that allocate in a process of their own, and of all the others. */
const ROUNDS = 8;
const WARM_ROUNDS = 32;
/** Every row runs in this many processes, in turn. */
const PROCESSES = 7;
const NATIVE = "read() into a reused buffer";

/** In a process of its own: the folder of the files, and the rows to time in turn. */
const [given, ...names] = process.argv.slice(2);
const folder = given ?? mkdtempSync(join(tmpdir(), "hurray-bench-"));
const path = join(folder, "weights.hrry");
const safetensorsPath = join(folder, "weights.safetensors");
const npyPath = join(folder, "weights.npy");
const npyPathOf = (k) => join(folder, `layer ${k}.npy`);

async function writeFiles() {
  const writer = await createFile(path);
  for (let k = 0; k < COUNT; k++) await writer.add(`layer ${k}`, full([1024, 1024], k));
  await writer.finish();
  const stored = Array.from({ length: COUNT }, (_, k) => [`layer ${k}`, store(full([1024, 1024], k))]);
  const write = async (to, chunks) => {
    const file = openSync(to, "w");
    for await (const bytes of chunks) writeSync(file, bytes);
    closeSync(file);
  };
  await write(safetensorsPath, safetensorsBytes(stored));
  await write(npyPath, npyBytes(store(full([COUNT, 1024, 1024], 1))));
  for (const [k, [, tensor]] of stored.entries()) await write(npyPathOf(k), npyBytes(tensor));
}

// Not at the 16 bytes into a page where malloc puts it: copying there from pages of a file takes several times as long.
const reused = new Uint8Array(BYTES + 64).subarray(64);
const native = () => {
  const file = openSync(path, "r");
  for (let k = 0; k < COUNT; k++) readSync(file, reused, 0, BYTES, 4096 + k * (BYTES + 4096));
  closeSync(file);
};
const whole = (parse) => () => parse(readFileSync(npyPath).buffer);
const each = (parse) => () => Array.from({ length: COUNT }, (_, k) => parse(readFileSync(npyPathOf(k)).buffer));
const views = () => {
  const { buffer } = readFileSync(safetensorsPath);
  const file = new safetensors.SafeTensor(new Uint8Array(buffer));
  return Array.from({ length: COUNT }, (_, k) => file.getTensor(`layer ${k}`));
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
const warm = {
  [NATIVE]: native,
  "warm pool": heapPool,
  "warm WebAssembly memory": wasmPool,
  "in the background, warm pool": () => heapPool({ background: true }),
};
const cold = {
  "cold pool": kept(heapMemory),
  "cold WebAssembly memory": kept(wasm),
};
const peers = {
  "safetensors 0.0.1": views,
  "npyjs 1.2.0": whole((buffer) => npyjs.parse(buffer)),
  "npyjs 1.2.0, 64 files": each((buffer) => npyjs.parse(buffer)),
  "numpy-parser 1.2.3": whole((buffer) => numpyParser.fromArrayBuffer(buffer)),
  "numpy-parser 1.2.3, 64 files": each((buffer) => numpyParser.fromArrayBuffer(buffer)),
};
const rows = { ...warm, ...cold, ...peers };

/** The time of every round of every row, in milliseconds. */
async function timed(names) {
  const times = Object.fromEntries(names.map((row) => [row, []]));
  for (let round = 0; round < (names.length > 1 ? WARM_ROUNDS : ROUNDS); round++) {
    for (const row of names) {
      const begin = performance.now();
      await rows[row]();
      times[row].push(performance.now() - begin);
    }
  }
  return times;
}

/** Of every row the median of first rounds and that of those of the second half, over processes of their own. */
function inProcesses() {
  const first = Object.fromEntries(Object.keys(rows).map((row) => [row, []]));
  const later = structuredClone(first);
  const alone = Object.keys({ ...cold, ...peers }).map((row) => [row]);
  for (let k = 0; k < PROCESSES; k++) {
    for (const names of [Object.keys(warm), ...alone]) {
      const printed = execFileSync(process.execPath, [process.argv[1], folder, ...names], { encoding: "utf8" });
      for (const [row, times] of Object.entries(JSON.parse(printed))) {
        first[row].push(times[0]);
        later[row].push(...times.slice(times.length / 2));
      }
    }
  }
  const medians = (times) => Object.fromEntries(Object.entries(times).map(([row, list]) => [row, median(list)]));
  return { first: medians(first), later: medians(later) };
}

function median(list) {
  return list.sort((a, b) => a - b)[list.length >> 1];
}

if (given) {
  console.log(JSON.stringify(await timed(names)));
} else {
  try {
    await writeFiles();
    await report(inProcesses());
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function report({ first, later }) {
  const best = (times) => Math.min(...Object.keys(peers).map((row) => times[row]));
  const line = (row, times, aim) => {
    const speed = ((COUNT * BYTES) / 1e6 / times[row]).toFixed(2).padStart(6);
    const native = `${(times[row] / later[NATIVE]).toFixed(2).padStart(6)} × read()`;
    console.log(
      `${row.padEnd(34)} ${speed} GB/s ${native} ${(best(times) / times[row]).toFixed(2).padStart(6)} × the best other  ${aim}`,
    );
  };
  console.log("In memory that was written before:");
  for (const row of Object.keys(warm)) line(row, later, row.startsWith("warm") ? "aims 1.20 and 5.0" : "");
  for (const row of Object.keys(peers)) line(row, later, "");
  console.log("In new memory, the first of a process:");
  for (const row of Object.keys(cold)) line(row, first, "aim 1.0");
  for (const row of Object.keys(peers)) line(row, first, "");

  const file = readFileSync(path);
  let [asked, reads] = [0, 0];
  const counting = {
    byteLength: file.byteLength,
    slice: async (start, end) => {
      asked += end - start;
      reads++;
      return file.subarray(start, end);
    },
  };
  await (await openHurray(counting)).tensor("layer 40");
  const memory = new BufferPool({ source: heapMemory() });
  const one = async () => {
    const file = await openFile(path);
    (await file.tensor("layer 40", { memory })).dispose();
    await file.close();
  };
  const times = [];
  for (let round = 0; round < 3 * ROUNDS; round++) {
    const begin = performance.now();
    await one();
    times.push(performance.now() - begin);
  }
  const share = (later["warm pool"] / median(times)).toFixed(0);
  console.log(
    `one tensor of ${COUNT}: ${reads} reads of ${asked} bytes, aim ${BYTES} and a few; all of them take ${share} times as long`,
  );
}
