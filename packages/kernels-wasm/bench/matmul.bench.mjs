// How fast is the float32 product, beside a plain triple loop and the limit of the registers in the same run?
//   pnpm build && node packages/kernels-wasm/bench/matmul.bench.mjs [folder of the built package]
import process from "node:process";

const folder = process.argv[2] ?? "../dist";
const { wasmKernelsSync } = await import(`${folder}/index.js`);
const { ModuleBuilder } = await import(`${folder}/assembler/index.js`);

const backend = wasmKernelsSync({ initialBytes: 2 ** 26 });

function matrix(rows, columns, transposed = false) {
  const block = backend.memory.allocate(rows * columns * 4);
  const data = new Float32Array(backend.memory.bytes(block), block.address, rows * columns);
  for (let i = 0; i < data.length; i++) data[i] = Math.sin(i);
  const strides = transposed ? [1, rows] : [columns, 1];
  return { dtype: "float32", data, offset: 0, shape: [rows, columns], strides, block };
}

/** Rows of A times rows of B: the order that a plain loop is fastest in. */
function tripleLoop(out, a, b, m, n, k) {
  out.fill(0);
  for (let i = 0; i < m; i++) {
    const row = i * n;
    for (let p = 0; p < k; p++) {
      const factor = a[i * k + p];
      const from = p * n;
      for (let j = 0; j < n; j++) out[row + j] += factor * b[from + j];
    }
  }
}

/** Best seconds of a call, over samples of at least 0.2 ms: short ones find a quiet moment on a busy machine. */
function best(call, budget = 300) {
  const end = performance.now() + budget;
  let calls = 1;
  let least = Number.POSITIVE_INFINITY;
  do {
    const start = performance.now();
    for (let i = 0; i < calls; i++) call();
    const taken = performance.now() - start;
    if (taken < 0.2) calls *= 2;
    else least = Math.min(least, taken / calls / 1000);
  } while (performance.now() < end || least === Number.POSITIVE_INFINITY);
  return least;
}

/** Twelve accumulators of multiply and add that never leave the registers, in GFLOP/s. */
function registerLimit() {
  const module = new ModuleBuilder();
  module.function("run", { turns: "i32", x: "f32" }, ["f32"], (f, { turns, x }) => {
    const factor = f.local("v128", "factor");
    const term = f.local("v128", "term");
    const sums = Array.from({ length: 12 }, (_, i) => f.local("v128", `sum${i}`));
    f.get(x).op("f32x4.splat").tee(factor).set(term);
    f.loop((top) => {
      for (const sum of sums) f.get(sum).get(factor).op("f32x4.mul").get(term).op("f32x4.add").set(sum);
      f.get(turns).i32(1).op("i32.sub").tee(turns).brIf(top);
    });
    f.get(sums[0]);
    for (const sum of sums.slice(1)) f.get(sum).op("f32x4.add");
    f.op("f32x4.extract_lane", 0);
  });
  const { run } = new WebAssembly.Instance(new WebAssembly.Module(module.toBytes())).exports;
  const turns = 10_000;
  return (turns * 12 * 8) / best(() => run(turns, 1e-3)) / 1e9;
}

const cases = [
  ["64", 64, 64, 64],
  ["128", 128, 128, 128],
  ["256", 256, 256, 256],
  ["512", 512, 512, 512],
  ["1024", 1024, 1024, 1024],
  ["512, A·Bᵀ", 512, 512, 512, false, true],
  ["512, Aᵀ·B", 512, 512, 512, true, false],
  ["64×784 · 784×128", 64, 128, 784],
  ["(784×64) · 64×128, Aᵀ·B", 784, 128, 64, true, false],
  ["64×128 · 128×10", 64, 10, 128],
  ["1×768 · 768×768", 1, 768, 768],
];

const limit = registerLimit();
console.log(`multiply and add in registers alone: ${limit.toFixed(1)} GFLOP/s; best of each, GFLOP/s`);
console.log("size".padEnd(26) + ["wasm", "of limit", "loop", "ratio"].map((text) => text.padStart(10)).join(""));
for (const [label, m, n, k, aTransposed = false, bTransposed = false] of cases) {
  const a = matrix(m, k, aTransposed);
  const b = matrix(k, n, bTransposed);
  const out = matrix(m, n);
  const outputs = [out];
  const inputs = [a, b];
  const flops = 2 * m * n * k;
  const wasm = flops / best(() => backend.kernels.matmul(outputs, inputs, [], [])) / 1e9;
  const loop = flops / best(() => tripleLoop(out.data, a.data, b.data, m, n, k)) / 1e9;
  const columns = [
    wasm.toFixed(1),
    `${((100 * wasm) / limit).toFixed(0)} %`,
    loop.toFixed(2),
    `${(wasm / loop).toFixed(1)}×`,
  ];
  console.log(label.padEnd(26) + columns.map((text) => text.padStart(10)).join(""));
  for (const operand of [a, b, out]) backend.memory.free(operand.block);
}
