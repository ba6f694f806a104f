import { input } from "../src/values.mjs";

const CHANNELS = 64;
const SIDE = 56;
const PLANE = SIDE * SIDE;
const HALF = SIDE / 2;
const TAPS = 9 * CHANNELS;
const IMAGE = [1, CHANNELS, SIDE, SIDE];

/** Convolution and pooling of an image of 64 channels of 56×56. */
export const IMAGES = [
  {
    id: "conv-3x3",
    title: "3×3, 64 → 64 channels, padding 1",
    unit: "GFLOP/s",
    work: 2 * CHANNELS * PLANE * TAPS,
    reach: [{ faster: 1.25, than: "best" }],
    inputs: () => [input(1, IMAGE), input(2, [CHANNELS, CHANNELS, 3, 3])],
    reference: ({ data: x }, { data: weight }) => ({
      length: CHANNELS * PLANE,
      terms: TAPS,
      at(index) {
        const to = Math.floor(index / PLANE);
        const row = Math.floor(index / SIDE) % SIDE;
        const column = index % SIDE;
        let sum = 0;
        for (let tap = 0; tap < TAPS; tap++) {
          const y = row + (Math.floor(tap / 3) % 3) - 1;
          const z = column + (tap % 3) - 1;
          if (y < 0 || y >= SIDE || z < 0 || z >= SIDE) continue;
          sum += weight[to * TAPS + tap] * x[Math.floor(tap / 9) * PLANE + y * SIDE + z];
        }
        return sum;
      },
    }),
    runs: {
      strideweave:
        ({ conv2d }) =>
        (x, weight) =>
          conv2d(x, weight, { padding: 1 }),
      "tfjs-wasm": Object.assign((tf) => (x, weight) => tf.conv2d(x, weight, 1, 1), {
        orders: [
          [0, 2, 3, 1],
          [2, 3, 1, 0],
        ],
      }),
      "ort-web": () => ({
        nodes: (turn) => [
          { op: "Conv", from: ["a", "b"], to: `y${turn}`, with: { pads: [1, 1, 1, 1], kernel_shape: [3, 3] } },
        ],
        shape: IMAGE,
      }),
      "jax-js":
        ({ lax }) =>
        (x, weight) =>
          lax.conv(
            x,
            weight,
            [1, 1],
            [
              [1, 1],
              [1, 1],
            ],
          ),
    },
  },
  {
    id: "max-pool",
    title: "the largest of 2×2",
    unit: "µs",
    reach: [{ faster: 0.9, than: "best" }],
    inputs: () => [input(1, IMAGE)],
    reference: ({ data }) => ({
      length: CHANNELS * HALF * HALF,
      at(index) {
        const plane = Math.floor(index / (HALF * HALF));
        const from = plane * PLANE + 2 * (Math.floor(index / HALF) % HALF) * SIDE + 2 * (index % HALF);
        return Math.max(data[from], data[from + 1], data[from + SIDE], data[from + SIDE + 1]);
      },
    }),
    runs: {
      strideweave:
        ({ maxPool2d }) =>
        (x) =>
          maxPool2d(x, { kernel: 2 }),
      "tfjs-wasm": Object.assign((tf) => (x) => tf.maxPool(x, 2, 2, "valid"), { orders: [[0, 2, 3, 1]] }),
      "ort-web": () => ({
        nodes: (turn) => [
          { op: "MaxPool", from: ["a"], to: `y${turn}`, with: { kernel_shape: [2, 2], strides: [2, 2] } },
        ],
        shape: [1, CHANNELS, HALF, HALF],
      }),
      "jax-js":
        ({ lax, numpy: np }) =>
        (x) =>
          lax.reduceWindow(x, (v) => np.max(v), [1, 1, 2, 2], [1, 1, 2, 2]),
    },
  },
];
