// How fast is the exact matmul on the shapes of a training step, beside a plain triple loop? Best of the rounds.
// Run: pnpm --filter @sw/kernels-js build && node packages/kernels-js/bench/matmul.bench.mjs
import { jsKernels } from "../dist/index.js";

const ROUNDS = 15;

/** A float32 operand of `shape`, in memory ordered by `order` (the last axis of it varies fastest). */
function operand(shape, order = shape.map((_, axis) => axis)) {
  const strides = shape.map(() => 0);
  let size = 1;
  for (const axis of [...order].reverse()) {
    strides[axis] = size;
    size *= shape[axis];
  }
  const data = new Float32Array(size);
  for (let i = 0; i < size; i++) data[i] = ((i * 7919) % 1013) / 506 - 1;
  return { dtype: "float32", data, offset: 0, shape, strides };
}

/** What is compared with: three loops, a float64 accumulator, indices computed by strides. */
function naive(out, a, b) {
  const [m, n] = out.shape;
  const k = a.shape[1];
  const [ar, ac] = a.strides;
  const [br, bc] = b.strides;
  const x = a.data;
  const y = b.data;
  const r = out.data;
  for (let i = 0; i < m; i++) {
    for (let j = 0; j < n; j++) {
      let sum = 0;
      for (let p = 0; p < k; p++) sum += x[i * ar + p * ac] * y[p * br + j * bc];
      r[i * n + j] = sum;
    }
  }
}

function time(fn) {
  const start = performance.now();
  fn();
  return performance.now() - start;
}

const T = [1, 0];
const CASES = [
  ["forward   [64,784] x [784,128]", [64, 784, 128]],
  ["forward   [64,784] x [128,784].T", [64, 784, 128], undefined, T],
  ["backward  [64,784].T x [64,128]", [784, 64, 128], T],
  ["backward  [64,128] x [784,128].T", [64, 128, 784], undefined, T],
  ["head      [64,128] x [128,10]", [64, 128, 10]],
  ["head      [64,128].T x [64,10]", [128, 64, 10], T],
  ["one row   [1,784] x [784,128]", [1, 784, 128]],
  ["column    [784,128] x [128,1]", [784, 128, 1]],
  ["square    256", [256, 256, 256]],
  ["square    512", [512, 512, 512]],
  ["square    512, both transposed", [512, 512, 512], T, T],
];

console.log("case".padEnd(36), "GFLOP/s".padStart(8), "naive".padStart(7), "ratio".padStart(6));
for (const [name, [m, k, n], aOrder, bOrder] of CASES) {
  const a = operand([m, k], aOrder);
  const b = operand([k, n], bOrder);
  const out = operand([m, n]);
  const expected = operand([m, n]);
  const repeat = Math.max(1, Math.floor(2e7 / (m * n * k)));
  const ours = () => {
    for (let i = 0; i < repeat; i++) jsKernels.kernels.matmul([out], [a, b], [], []);
  };
  const plain = () => {
    for (let i = 0; i < repeat; i++) naive(expected, a, b);
  };
  const times = { ours: [], plain: [] };
  for (let round = 0; round < ROUNDS + 3; round++) {
    const pair = [time(ours), time(plain)];
    if (round < 3) continue;
    times.ours.push(pair[0]);
    times.plain.push(pair[1]);
  }
  if (!out.data.every((value, i) => Object.is(value, expected.data[i]))) throw new Error(`${name}: results differ`);
  // The best round: what the machine does when nothing else runs on it.
  const rate = (list) => (2 * m * n * k * repeat) / Math.min(...list) / 1e6;
  const [fast, slow] = [rate(times.ours), rate(times.plain)];
  console.log(
    name.padEnd(36),
    fast.toFixed(2).padStart(8),
    slow.toFixed(2).padStart(7),
    (fast / slow).toFixed(2).padStart(6),
  );
}
