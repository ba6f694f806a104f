import { input } from "../src/values.mjs";

const SIDE = 1000;
const ROWS = 512;
const WIDTH = 768;
const EPSILON = 1e-5;

/** The rows of a matrix, each with something that is worked out once for all of its elements. */
function byRow(data, width, work) {
  const known = new Map();
  return (row) => {
    if (!known.has(row)) known.set(row, work(data.subarray(row * width, (row + 1) * width)));
    return known.get(row);
  };
}

const compound = (task) => Object.assign(task, { compound: true });

/** What is normalised along rows. */
export const NORMALISE = [
  {
    id: "softmax",
    title: "softmax of 1000×1000 along axis 1",
    unit: "µs",
    reach: [{ faster: 1.3, than: "best" }],
    inputs: () => [input(1, [SIDE, SIDE], 4)],
    reference({ data }) {
      const rowOf = byRow(data, SIDE, (row) => {
        const most = row.reduce((a, b) => Math.max(a, b));
        return { most, sum: row.reduce((sum, x) => sum + Math.exp(x - most), 0) };
      });
      return {
        length: SIDE * SIDE,
        at(i) {
          const { most, sum } = rowOf(Math.floor(i / SIDE));
          return Math.exp(data[i] - most) / sum;
        },
      };
    },
    runs: {
      strideweave:
        ({ softmax }) =>
        (x) =>
          softmax(x, 1),
      "tfjs-wasm": (tf) => (x) => tf.softmax(x),
      "ort-web": () => ({
        nodes: (turn) => [{ op: "Softmax", from: ["a"], to: `y${turn}`, with: { axis: -1 } }],
        shape: [SIDE, SIDE],
      }),
      "jax-js":
        ({ nn }) =>
        (x) =>
          nn.softmax(x, -1),
    },
  },
  {
    id: "layer-norm",
    title: "layerNorm of 512×768 with weight and bias",
    unit: "µs",
    reach: [{ faster: 3, than: "best" }],
    inputs: () => [input(1, [ROWS, WIDTH]), input(2, [WIDTH]), input(3, [WIDTH])],
    reference({ data }, { data: weight }, { data: bias }) {
      const rowOf = byRow(data, WIDTH, (row) => {
        const mean = row.reduce((sum, x) => sum + x, 0) / WIDTH;
        const variance = row.reduce((sum, x) => sum + (x - mean) ** 2, 0) / WIDTH;
        return { mean, factor: 1 / Math.sqrt(variance + EPSILON) };
      });
      return {
        length: ROWS * WIDTH,
        at(i) {
          const { mean, factor } = rowOf(Math.floor(i / WIDTH));
          return (data[i] - mean) * factor * weight[i % WIDTH] + bias[i % WIDTH];
        },
      };
    },
    runs: {
      strideweave:
        ({ layerNorm }) =>
        (x, weight, bias) =>
          layerNorm(x, [WIDTH], { weight, bias }),
      "tfjs-wasm": compound((tf) => (x, weight, bias) => {
        const centred = tf.sub(x, tf.mean(x, 1, true));
        const variance = tf.mean(tf.mul(centred, centred), 1, true);
        return tf.add(tf.mul(tf.mul(centred, tf.rsqrt(tf.add(variance, EPSILON))), weight), bias);
      }),
      "jax-js":
        ({ nn }) =>
        (x, weight, bias) =>
          nn.standardize(x, -1, { epsilon: EPSILON }).mul(weight).add(bias),
      "ort-web": () => ({
        nodes: (turn) => [
          {
            op: "LayerNormalization",
            from: ["a", "b", "c"],
            to: `y${turn}`,
            with: { axis: -1, epsilon: { float: EPSILON } },
          },
        ],
        shape: [ROWS, WIDTH],
      }),
    },
  },
];
