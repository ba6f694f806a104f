// How fast are the element-wise kernels, beside those in JavaScript in the same run?
//   pnpm build && node packages/kernels-wasm/bench/elementwise.bench.mjs [elements] [kinds, by comma]
import process from "node:process";
import { jsKernels } from "@sw/kernels-js";
import { wasmKernelsSync } from "../dist/index.js";

const count = Number(process.argv[2] ?? 1_000_000);
const backend = wasmKernelsSync({ initialBytes: 2 ** 26 });
const side = Math.floor(Math.sqrt(count));

function operand(shape, strides, value) {
  const block = backend.memory.allocate(count * 4);
  const data = new Float32Array(backend.memory.bytes(block), block.address, count);
  for (let i = 0; i < count; i++) data[i] = value(i);
  return { dtype: "float32", data, offset: 0, shape, strides };
}

/** The time of a call in µs: the least of samples of at least 0.5 ms, in turns with the others of the row. */
function least(calls, budget) {
  const best = calls.map(() => Number.POSITIVE_INFINITY);
  const times = calls.map(() => 1);
  const end = performance.now() + budget;
  for (let rounds = 0; performance.now() < end || rounds < 20; rounds++) {
    calls.forEach((call, i) => {
      const start = performance.now();
      for (let k = 0; k < times[i]; k++) call();
      const taken = performance.now() - start;
      if (taken < 0.5) times[i] *= 2;
      else best[i] = Math.min(best[i], (taken * 1000) / times[i]);
    });
  }
  return best;
}

const flat = [count];
const square = [side, side];
const out = operand(flat, [1], () => 0);
const a = operand(flat, [1], (i) => Math.sin(i) * 3);
const b = operand(flat, [1], (i) => Math.cos(i) + 1.5);
const positive = operand(flat, [1], (i) => Math.abs(Math.sin(i)) * 10 + 0.1);
const squared = (of, strides) => ({ ...of, shape: square, strides });
const rows = squared(a, [side, 1]);

const binary = ["add", "sub", "mul", "div", "minimum", "maximum", "reluBackward"];
const unary = Object.keys(backend.kernels).filter((kind) => kind !== "matmul" && !binary.includes(kind));
const cases = [
  ...binary.map((kind) => [kind, kind, out, [a, b]]),
  ["add a scalar", "add", out, [a, { ...b, strides: [0] }]],
  ["add a row", "add", squared(out, [side, 1]), [rows, squared(b, [0, 1])]],
  ["add a column", "add", squared(out, [side, 1]), [rows, squared(b, [1, 0])]],
  ["add a transposed", "add", squared(out, [side, 1]), [rows, squared(b, [1, side])]],
  ["add a reversed", "add", out, [a, { ...b, offset: count - 1, strides: [-1] }]],
  ...unary.map((kind) => [kind, kind, out, [/log|sqrt/.test(kind) ? positive : a]]),
];
const only = process.argv[3]?.split(",");

console.log(`${count} elements; least µs, ns an element, and how many times the JavaScript kernel takes`);
for (const [label, kind, output, inputs] of cases) {
  if (only !== undefined && !only.includes(label)) continue;
  const run = (kernels) => () => kernels[kind]([output], inputs, [], []);
  const [wasm, js] = least([run(backend.kernels), run(jsKernels.kernels)], 400);
  const columns = [wasm.toFixed(1), ((wasm * 1000) / count).toFixed(3), `${(js / wasm).toFixed(1)}×`];
  console.log(label.padEnd(20) + columns.map((text) => text.padStart(12)).join(""));
}
