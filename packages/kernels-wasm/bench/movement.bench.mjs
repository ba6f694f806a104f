// How fast are copies of any strides and casts, beside a typed array's own copy of as many bytes in the same run?
//   pnpm build && node packages/kernels-wasm/bench/movement.bench.mjs
import { wasmKernelsSync } from "../dist/index.js";

const backend = wasmKernelsSync({ initialBytes: 2 ** 28 });
const { memory } = backend;

/** A window over a block of its own. */
function windowOf(array, count) {
  const block = memory.allocate(count * array.BYTES_PER_ELEMENT);
  return new array(memory.memory.buffer, block.address, count);
}

/** Least times of calls in µs, in turns. */
function least(calls, rounds = 15) {
  const best = calls.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < rounds; round++) {
    calls.forEach((call, i) => {
      const start = performance.now();
      call();
      best[i] = Math.min(best[i], (performance.now() - start) * 1000);
    });
  }
  return best;
}

const large = windowOf(Float32Array, 32 * 64 * 3136).map((_, i) => Math.sin(i) * 300);
const floats = windowOf(Float32Array, large.length);
floats.set(large);
const result = windowOf(Float32Array, large.length);

function copyRow(label, shape, outStrides, strides, offset = 0) {
  const count = shape.reduce((product, extent) => product * extent, 1);
  const out = { dtype: "float32", data: result, offset: 0, shape, strides: outStrides };
  const input = { dtype: "float32", data: floats, offset, shape, strides };
  const from = floats.subarray(0, count);
  const [copied, plain] = least([() => backend.kernels.copy([out], [input], [], []), () => result.set(from)]);
  print(label, copied, plain);
}

function print(label, own, plain) {
  const columns = [own.toFixed(0), plain.toFixed(0), `${(own / plain).toFixed(1)}×`];
  console.log(label.padEnd(32) + columns.map((text) => text.padStart(10)).join(""));
}

console.log("least µs; those of a typed array's copy of as many elements (of casts: bytes); how many times that");
copyRow("contiguous 2048²", [2048 * 2048], [1], [1]);
copyRow("transpose 2048²", [2048, 2048], [2048, 1], [1, 2048]);
copyRow("transpose 1000²", [1000, 1000], [1000, 1], [1, 1000]);
copyRow("NCHW to NHWC 32×64×56²", [32, 3136, 64], [200704, 64, 1], [200704, 1, 3136]);
copyRow("NHWC to NCHW 32×64×56²", [32, 64, 3136], [200704, 3136, 1], [200704, 1, 64]);
copyRow("every second of every second row", [1024, 1024], [1024, 1], [4096, 2]);
copyRow("reversed 10⁶", [1_000_000], [1], [-1], 999_999);
copyRow("a row, 1000 times", [1000, 1000], [1000, 1], [0, 1]);
copyRow("a column, 1000 times", [1000, 1000], [1000, 1], [1, 0]);

const ARRAYS = {
  float32: Float32Array,
  float64: Float64Array,
  float16: Uint16Array,
  bfloat16: Uint16Array,
  int8: Int8Array,
  uint8: Uint8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  bool: Uint8Array,
};
const PAIRS = [
  ["float32", "float64"],
  ["float64", "float32"],
  ["float32", "int32"],
  ["int32", "float32"],
  ["float32", "uint8"],
  ["uint8", "float32"],
  ["float32", "float16"],
  ["float16", "float32"],
  ["float32", "bfloat16"],
  ["bfloat16", "float32"],
  ["float32", "bool"],
  ["int32", "int8"],
  ["int64", "int32"],
  ["int32", "int64"],
  ["int64", "float32"],
];
const COUNT = 1_000_000;
for (const [from, to] of backend.kernels.cast === undefined ? [] : PAIRS) {
  const [source, target] = [windowOf(ARRAYS[from], COUNT), windowOf(ARRAYS[to], COUNT)];
  for (let i = 0; i < COUNT; i++) source[i] = from === "int64" ? BigInt(i) : i % 100;
  const operand = (dtype, data) => ({ dtype, data, offset: 0, shape: [COUNT], strides: [1] });
  const half = (source.byteLength + target.byteLength) / 2;
  const bytes = new Uint8Array(memory.memory.buffer, floats.byteOffset, half);
  const place = new Uint8Array(memory.memory.buffer, result.byteOffset, half);
  const call = () => backend.kernels.cast([operand(to, target)], [operand(from, source)], [], []);
  print(`${from} to ${to} 10⁶`, ...least([call, () => place.set(bytes)]));
}
