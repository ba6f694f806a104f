import { input } from "../src/values.mjs";

const SIDE = 2048;
const HALF = SIDE / 2;
const [BATCH, CHANNELS, PLANE] = [32, 64, 56 * 56];
const IMAGES = [BATCH, CHANNELS, 56, 56];

/** jax-js makes a view of what moves nothing: it has to be told to write it down. */
const realised = (task) => Object.assign(task, { realise: true });
const transpose = (perm, shape) => () => ({
  nodes: (turn) => [{ op: "Transpose", from: ["a"], to: `y${turn}`, with: { perm } }],
  shape,
});

/** Copies into another order, row-major in the end. */
export const MOVEMENT = [
  {
    id: "transpose",
    title: "2048×2048",
    unit: "µs",
    reach: [{ faster: 2, than: "best" }],
    inputs: () => [input(1, [SIDE, SIDE])],
    reference: ({ data }) => ({
      length: SIDE * SIDE,
      at: (i) => data[(i % SIDE) * SIDE + Math.floor(i / SIDE)],
    }),
    runs: {
      strideweave: () => (x) => x.T.contiguous(),
      "ort-web": transpose([1, 0], [SIDE, SIDE]),
      "tfjs-wasm": (tf) => (x) => tf.transpose(x),
      "jax-js": realised(() => (x) => x.transpose()),
      "numpy-ts": (np) => (x) => np.ascontiguousarray(x.T),
    },
  },
  {
    id: "nchw-to-nhwc",
    title: "NCHW to NHWC, 32×64×56×56",
    unit: "µs",
    reach: [{ faster: 1.3, than: "best" }],
    inputs: () => [input(1, IMAGES)],
    reference: ({ data }) => ({
      length: BATCH * CHANNELS * PLANE,
      at(i) {
        const channel = i % CHANNELS;
        const pixel = Math.floor(i / CHANNELS);
        return data[(Math.floor(pixel / PLANE) * CHANNELS + channel) * PLANE + (pixel % PLANE)];
      },
    }),
    runs: {
      strideweave: () => (x) => x.permute([0, 2, 3, 1]).contiguous(),
      "tfjs-wasm": (tf) => (x) => tf.transpose(x, [0, 2, 3, 1]),
      "ort-web": transpose([0, 2, 3, 1], [BATCH, 56, 56, CHANNELS]),
      "jax-js": realised(() => (x) => x.transpose([0, 2, 3, 1])),
      "numpy-ts": (np) => (x) => np.ascontiguousarray(x.transpose([0, 2, 3, 1])),
    },
  },
  {
    id: "strided-slice",
    title: "every second row and column of 2048×2048",
    unit: "µs",
    reach: [{ faster: 1.3, than: "best" }],
    inputs: () => [input(1, [SIDE, SIDE])],
    reference: ({ data }) => ({
      length: HALF * HALF,
      at: (i) => data[2 * Math.floor(i / HALF) * SIDE + 2 * (i % HALF)],
    }),
    runs: {
      strideweave: () => (x) => x.slice(0, 0, SIDE, 2).slice(1, 0, SIDE, 2).contiguous(),
      // It has no slices with a step; a reshape and an index do the same.
      "jax-js": realised(() => (x) => x.reshape([HALF, 2, HALF, 2]).slice([], 0, [], 0)),
      "ort-web": () => ({
        nodes: (turn) => [{ op: "Slice", from: ["a", "start", "end", "axes", "step"], to: `y${turn}` }],
        shape: [HALF, HALF],
        constants: [
          ["start", [2], BigInt64Array.of(0n, 0n)],
          ["end", [2], BigInt64Array.of(BigInt(SIDE), BigInt(SIDE))],
          ["axes", [2], BigInt64Array.of(0n, 1n)],
          ["step", [2], BigInt64Array.of(2n, 2n)],
        ],
      }),
      "numpy-ts": (np) => (x) => np.ascontiguousarray(x.slice("::2", "::2")),
      "tfjs-wasm": (tf) => (x) => tf.stridedSlice(x, [0, 0], [SIDE, SIDE], [2, 2]),
    },
  },
];
