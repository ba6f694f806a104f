// What would kernels cost if they called back for each run of `forEachRun`, instead of turning the refined loops by
// themselves? Best of the rounds, in processor time. The layouts of both ways are refined outside the time that counts.
// Run: pnpm build && node packages/kernels-js/bench/drive.bench.mjs
import process from "node:process";
import { refine, rowMajor, strided } from "../../layout/dist/index.js";
import { forEachRun } from "../../layout/dist/walk.js";
import { COPY, choose } from "../../tensor/dist/seam.js";
import { jsKernels } from "../dist/index.js";

const ROUNDS = 40;
const ROUND_MS = 4;

const floats = (count) => Float32Array.from({ length: count }, (_, i) => ((i * 7919) % 1013) - 506);

function addRow(n, r, ro, rs, x, xo, xs, y, yo, ys) {
  for (let i = 0; i < n; i++) {
    r[ro] = x[xo] + y[yo];
    ro += rs;
    xo += xs;
    yo += ys;
  }
}

function copyRow(n, r, ro, rs, x, xo, xs) {
  for (let i = 0; i < n; i++) {
    r[ro] = x[xo];
    ro += rs;
    xo += xs;
  }
}

const WAYS = {
  copy: (d) => (starts, steps, n) => copyRow(n, d[0], starts[0], steps[0], d[1], starts[1], steps[1]),
  add: (d) => (s, t, n) => addRow(n, d[0], s[0], t[0], d[1], s[1], t[1], d[2], s[2], t[2]),
};

/** Operands over one refined nest of loops, and the same loops as layouts, which the walk need not refine again. */
function prepare(kernel, layouts, counts) {
  const { extents, strides } = refine(layouts);
  const data = counts.map(floats);
  const operands = data.map((d, k) => ({ dtype: "float32", data: d, offset: 0, shape: extents, strides: strides[k] }));
  const [out, ...inputs] = operands;
  const run = kernel === "copy" ? choose(COPY, [out], inputs, [], []) : jsKernels.kernels[kernel];
  const refined = strides.map((list) => strided(extents, list));
  const visit = WAYS[kernel](data);
  return { kernel: () => run([out], inputs, [], []), walk: () => forEachRun(refined, visit) };
}

const CASES = {
  "copy [250000,4] out of rows of 8": ["copy", [rowMajor([250000, 4]), strided([250000, 4], [8, 1])], [1e6, 2e6]],
  "copy [2048,2048] transposed": [
    "copy",
    [rowMajor([2048, 2048]), strided([2048, 2048], [1, 2048])],
    [2 ** 22, 2 ** 22],
  ],
  "copy [4,4] transposed": ["copy", [rowMajor([4, 4]), strided([4, 4], [1, 4])], [16, 16]],
  "add [1000,1000] and a row": [
    "add",
    [rowMajor([1000, 1000]), rowMajor([1000, 1000]), strided([1000, 1000], [0, 1])],
    [1e6, 1e6, 1e3],
  ],
  "add [250000,4] and a column": [
    "add",
    [rowMajor([250000, 4]), rowMajor([250000, 4]), strided([250000, 4], [1, 0])],
    [1e6, 1e6, 25e4],
  ],
  "add [4,4] and a column": ["add", [rowMajor([4, 4]), rowMajor([4, 4]), strided([4, 4], [1, 0])], [16, 16, 4]],
};

/** Microseconds of one call: the mean over a round. */
function time(fn, calls) {
  const start = process.cpuUsage();
  for (let i = 0; i < calls; i++) fn();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / calls;
}

console.log("".padEnd(34), "kernel µs".padStart(10), "forEachRun µs".padStart(14), "×".padStart(6));
for (const [name, args] of Object.entries(CASES)) {
  const ways = prepare(...args);
  const calls = Math.max(1, Math.round((1000 * ROUND_MS) / time(ways.walk, 3)));
  const best = { kernel: Number.POSITIVE_INFINITY, walk: Number.POSITIVE_INFINITY };
  for (let round = 0; round < ROUNDS; round++) {
    for (const way of Object.keys(best)) best[way] = Math.min(best[way], time(ways[way], calls));
  }
  const { kernel, walk } = best;
  console.log(
    name.padEnd(34),
    kernel.toFixed(2).padStart(10),
    walk.toFixed(2).padStart(14),
    (walk / kernel).toFixed(1).padStart(6),
  );
}
