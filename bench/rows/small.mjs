import { input } from "../src/values.mjs";

const SHAPE = [4, 6];
const NOTE = "after the conformance kit ran in the same process";
const eager = (task) => Object.assign(task, { eager: true });
/** What computes nothing: for jax-js there is nothing to wait for, for us nothing to dispose. */
const view = (task) => Object.assign(eager(task), { view: true });

function viewing(id, title, { at, length, ...runs }) {
  return {
    id,
    title,
    unit: "µs",
    note: NOTE,
    afterKit: true,
    reach: [{ atMost: 0.06 }],
    inputs: () => [input(1, SHAPE)],
    reference: ({ data }) => ({ length, at: (i) => data[at(i)] }),
    runs,
  };
}

/**
 * What takes no time but that of the call. In our process every call site has seen every dtype before: the conformance
 * kit ran there. Peers dispose their views; ours are no memory of their own, and are dropped.
 */
export const SMALL = [
  {
    id: "add-4",
    title: "a + b, 4 elements",
    unit: "µs",
    note: NOTE,
    afterKit: true,
    reach: [{ atMost: 0.15 }],
    inputs: () => [input(1, [4]), input(2, [4])],
    reference: ({ data: a }, { data: b }) => ({ length: 4, at: (i) => a[i] + b[i] }),
    runs: {
      strideweave: ({ add }) => add,
      "numpy-ts": (np) => np.add,
      "tfjs-wasm": (tf) => tf.add,
      "jax-js": eager(() => (a, b) => a.add(b)),
    },
  },
  viewing("view-transpose", "transpose of 4×6", {
    length: 24,
    at: (i) => (i % 4) * 6 + Math.floor(i / 4),
    strideweave: view(() => (x) => x.transpose(0, 1)),
    "jax-js": view(() => (x) => x.transpose()),
    "numpy-ts": () => (x) => x.T,
    "tfjs-wasm": (tf) => (x) => tf.transpose(x),
  }),
  viewing("view-slice", "rows 1 to 3 of 4×6", {
    length: 12,
    at: (i) => 6 + i,
    strideweave: view(() => (x) => x.slice(0, 1, 3)),
    "numpy-ts": () => (x) => x.slice("1:3"),
    "jax-js": view(() => (x) => x.slice([1, 3])),
    "tfjs-wasm": (tf) => (x) => tf.slice(x, [1, 0], [2, 6]),
  }),
  viewing("view-reshape", "reshape of 4×6 to 6×4", {
    length: 24,
    at: (i) => i,
    strideweave: view(() => (x) => x.reshape([6, 4])),
    "numpy-ts": () => (x) => x.reshape([6, 4]),
    "tfjs-wasm": (tf) => (x) => tf.reshape(x, [6, 4]),
    "jax-js": view(() => (x) => x.reshape([6, 4])),
  }),
];
