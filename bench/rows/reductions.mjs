import { input } from "../src/values.mjs";

const SIDE = 1000;
const COUNT = SIDE * SIDE;
/** As a part of the sum of magnitudes: what pairwise sums keep, with room for the last rounding. */
const PAIRWISE = (16 + 2 * Math.ceil(Math.log2(COUNT))) * 2 ** -24;

const onnxSum = (axis, shape) => () => ({
  nodes: (turn) => [{ op: "ReduceSum", from: ["a", "axes"], to: `y${turn}`, with: { keepdims: 0 } }],
  shape,
  constants: [["axes", [1], BigInt64Array.of(BigInt(axis))]],
});

function sums(id, title, faster, strongest, { shape, axis, length, at }) {
  const peers = {
    "jax-js": () => (x) => x.sum(...axis),
    "numpy-ts": () => (x) => x.sum(...axis),
    "tfjs-wasm": (tf) => (x) => tf.sum(x, ...axis),
    "ort-web": onnxSum(axis[0] ?? 0, length === 1 ? [] : [length]),
  };
  return {
    id,
    title,
    unit: "µs",
    reach: [{ faster, than: "best" }],
    inputs: () => [input(1, shape)],
    tolerance: PAIRWISE,
    reference: ({ data }) => ({
      length,
      terms: COUNT / length,
      at: (i) => at(data, i),
      scale: magnitude(data) / length,
    }),
    runs: {
      strideweave: ({ sum }) => (axis.length === 0 ? (x) => sum(x) : (x) => sum(x, { axes: axis })),
      [strongest]: peers[strongest],
      ...peers,
    },
  };
}

/** The sum of magnitudes: sums of numbers of both signs are judged by it. */
function magnitude(data) {
  let sum = 0;
  for (const value of data) sum += Math.abs(value);
  return sum;
}

function strided(data, from, count, step) {
  let sum = 0;
  for (let k = 0; k < count; k++) sum += data[from + k * step];
  return sum;
}

/** Sums, which for us have the accuracy of pairwise ones. */
export const REDUCTIONS = [
  sums("sum", "sum of 10⁶", 2.2, "numpy-ts", {
    shape: [COUNT],
    axis: [],
    length: 1,
    at: (data) => strided(data, 0, COUNT, 1),
  }),
  sums("sum-axis-0", "1000×1000 along axis 0", 1, "jax-js", {
    shape: [SIDE, SIDE],
    axis: [0],
    length: SIDE,
    at: (data, i) => strided(data, i, SIDE, SIDE),
  }),
  sums("sum-axis-1", "1000×1000 along axis 1", 1, "jax-js", {
    shape: [SIDE, SIDE],
    axis: [1],
    length: SIDE,
    at: (data, i) => strided(data, i * SIDE, SIDE, 1),
  }),
];
