// Many operations of many kinds and sizes, all disposed: afterwards the pool lends what it lent before.
import process from "node:process";
import { backward, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { wasmKernels } from "@sw/kernels-wasm";
import * as sw from "@sw/tensor";
import { current } from "@sw/tensor/seam";

const operations = Number(process.argv[2]);
sw.setKernels(await wasmKernels(), jsKernels);
const generator = sw.createGenerator(9);
const sizes = [2, 3, 4, 17, 32, 100];
const matrices = sizes.map((n) => sw.randn([n, n], { generator }));
const image = sw.randn([1, 2, 8, 8], { generator });
const filter = sw.randn([3, 2, 3, 3], { generator });

/** The leaf is no memory of its own. Its gradient is. */
function gradient(x) {
  const leaf = parameter(x);
  const square = sw.mul(leaf, leaf);
  const total = sw.sum(square);
  backward(total);
  total.dispose();
  square.dispose();
  return leaf.grad;
}

const KINDS = [
  (x) => sw.add(x, x),
  (x) => sw.mul(x.T, x),
  (x) => sw.matmul(x, x.T),
  (x) => sw.exp(x),
  (x) => sw.softmax(x, 1),
  (x) => sw.sum(x, { axes: 0 }),
  (x) => sw.layerNorm(x, [x.shape[1]]),
  (x) => sw.cast(x, "float64"),
  (x) => x.T.contiguous(),
  (x) => sw.gt(x, 0),
  (x) => sw.concat([x, x], 0),
  (x) => sw.argmax(x, 1),
  () => sw.conv2d(image, filter, { padding: 1 }),
  () => sw.maxPool2d(image, { kernel: 2 }),
  gradient,
];

const lent = () => current().memory.statistics();
let before;
for (let i = 0; i < operations; i++) {
  const kind = KINDS[i % KINDS.length];
  kind(matrices[Math.floor(i / KINDS.length) % matrices.length]).dispose();
  // Once every kind has met every size, nothing new has to be made.
  if (i === KINDS.length * sizes.length) before = lent();
}
const after = lent();
process.stdout.write(JSON.stringify({ lent: after.live - before.live, bytes: after.liveBytes - before.liveBytes }));
