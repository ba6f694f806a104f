// Adds 10⁵ floats many times (0.4 MB of results each) and drops or disposes each. Nothing yields: no finalizer gets a turn.
import process from "node:process";
import { jsKernels } from "@sw/kernels-js";
import { wasmKernels } from "@sw/kernels-wasm";
import { add, full, setKernels } from "@sw/tensor";

const [, , what, times] = process.argv;
const CALLS = Number(times);
const disposes = what === "disposed";

setKernels(await wasmKernels(), jsKernels);
const a = full([100_000], 1);
const b = full([100_000], 2);
for (let i = 0; i < 100; i++) add(a, b).dispose();

const before = process.memoryUsage.rss();
let most = before;
const start = process.hrtime.bigint();
for (let i = 0; i < CALLS; i++) {
  const sum = add(a, b);
  if (disposes) sum.dispose();
  if (i % 250 === 0) most = Math.max(most, process.memoryUsage.rss());
}
const time = Number(process.hrtime.bigint() - start) / CALLS / 1000;
process.stdout.write(JSON.stringify({ growth: (most - before) / 1e6, time }));
