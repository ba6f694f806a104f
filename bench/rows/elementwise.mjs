import { input } from "../src/values.mjs";

const MILLION = 1_000_000;
const best = (faster) => [{ faster, than: "best" }];
const node = (op, from, shape, attributes) => () => ({
  nodes: (turn) => [{ op, from, to: `y${turn}`, ...(attributes === undefined ? {} : { with: attributes }) }],
  shape,
});

/** The peers in another order: the first is the one that a quick run measures. */
const first = (name, peers) => ({ [name]: peers[name], ...peers });

const ADD = {
  "tfjs-wasm": (tf) => tf.add,
  "numpy-ts": (np) => np.add,
  "jax-js": () => (a, b) => a.add(b),
};

function addition(length, name, reach, strongest) {
  return {
    id: `add-${name}`,
    title: `a + b, ${length.toLocaleString("en-US")} elements`,
    unit: "µs",
    work: 12 * length,
    reach,
    inputs: () => [input(1, [length]), input(2, [length])],
    reference: ({ data: a }, { data: b }) => ({ length, at: (i) => a[i] + b[i] }),
    runs: {
      strideweave: ({ add }) => add,
      machine: ({ stream }) => stream(length),
      ...first(strongest, { ...ADD, "ort-web": node("Add", ["a", "b"], [length]) }),
    },
  };
}

function unary(id, title, faster, { at, ours, strongest, onnx, peers }) {
  return {
    id,
    title,
    unit: "µs",
    reach: best(faster),
    inputs: () => [input(1, [MILLION], 4)],
    reference: ({ data }) => ({ length: MILLION, at: (i) => at(data[i]) }),
    runs: { strideweave: ours, ...first(strongest, { ...peers, "ort-web": node(...onnx) }) },
  };
}

const square = [1000, 1000];
const ROOT = Math.sqrt(2 / Math.PI);

/** Gelu with tanh, by small operations: tfjs in a compound, numpy-ts with each intermediate kept to be given back. */
const compound = (task) => Object.assign(task, { compound: true });

/** Element-wise operations, where memory, arithmetic and broadcasting are the limit in turns. */
export const ELEMENTWISE = [
  addition(100_000, "1e5", best(1.15), "numpy-ts"),
  addition(MILLION, "1e6", best(1), "tfjs-wasm"),
  addition(10 * MILLION, "1e7", best(1), "tfjs-wasm"),
  {
    id: "add-row",
    title: "1000×1000 + a row of 1000",
    unit: "µs",
    reach: best(1),
    inputs: () => [input(1, square), input(2, [1000])],
    reference: ({ data: a }, { data: b }) => ({ length: MILLION, at: (i) => a[i] + b[i % 1000] }),
    runs: { strideweave: ({ add }) => add, ...ADD, "ort-web": node("Add", ["a", "b"], square) },
  },
  {
    id: "add-transposed",
    title: "Aᵀ + B, 1000×1000",
    unit: "µs",
    reach: best(2),
    inputs: () => [input(1, square), input(2, square)],
    reference: ({ data: a }, { data: b }) => ({
      length: MILLION,
      at: (i) => a[(i % 1000) * 1000 + Math.floor(i / 1000)] + b[i],
    }),
    runs: {
      strideweave:
        ({ add }) =>
        (a, b) =>
          add(a.T, b),
      "ort-web": () => ({
        nodes: (turn) => [
          { op: "Transpose", from: ["a"], to: `t${turn}`, with: { perm: [1, 0] } },
          { op: "Add", from: [`t${turn}`, "b"], to: `y${turn}` },
        ],
        shape: square,
      }),
      "tfjs-wasm": compound((tf) => (a, b) => tf.add(tf.transpose(a), b)),
      "jax-js": () => (a, b) => a.transpose().add(b),
      "numpy-ts": (np) => (a, b) => np.add(a.T, b),
    },
  },
  unary("exp", "exp of 10⁶", 1.5, {
    at: Math.exp,
    ours: ({ exp }) => exp,
    strongest: "numpy-ts",
    onnx: ["Exp", ["a"], [MILLION]],
    peers: { "tfjs-wasm": (tf) => tf.exp, "jax-js": ({ numpy: np }) => np.exp, "numpy-ts": (np) => np.exp },
  }),
  unary("tanh", "tanh of 10⁶", 1.5, {
    at: Math.tanh,
    ours: ({ tanh }) => tanh,
    strongest: "ort-web",
    onnx: ["Tanh", ["a"], [MILLION]],
    peers: { "tfjs-wasm": (tf) => tf.tanh, "jax-js": ({ numpy: np }) => np.tanh, "numpy-ts": (np) => np.tanh },
  }),
  unary("gelu", "gelu by tanh of 10⁶", 1.5, {
    at: (x) => 0.5 * x * (1 + Math.tanh(ROOT * (x + 0.044715 * x ** 3))),
    ours: ({ geluTanh }) => geluTanh,
    strongest: "ort-web",
    onnx: ["Gelu", ["a"], [MILLION], { approximate: "tanh" }],
    peers: {
      "jax-js":
        ({ nn }) =>
        (x) =>
          nn.gelu(x),
      "tfjs-wasm": compound((tf) => (x) => {
        const inner = tf.mul(tf.add(x, tf.mul(tf.mul(tf.mul(x, x), x), 0.044715)), ROOT);
        return tf.mul(tf.mul(x, 0.5), tf.add(tf.tanh(inner), 1));
      }),
      "numpy-ts": (np, keep) => (x) => {
        const cube = keep(np.multiply(keep(np.multiply(keep(np.multiply(x, x)), x)), 0.044715));
        const inner = keep(np.multiply(keep(np.add(x, cube)), ROOT));
        return np.multiply(keep(np.multiply(x, 0.5)), keep(np.add(keep(np.tanh(inner)), 1)));
      },
    },
  }),
  {
    id: "fused",
    title: "relu(a·b + c), 10⁶ elements, in one pass where there is one",
    unit: "µs",
    reach: best(1.8),
    inputs: () => [input(1, [MILLION]), input(2, [MILLION]), input(3, [MILLION])],
    reference: ({ data: a }, { data: b }, { data: c }) => ({
      length: MILLION,
      at: (i) => Math.max(0, a[i] * b[i] + c[i]),
    }),
    runs: {
      strideweave: ({ fuse, mul, add, relu }) =>
        fuse((a, b, c) => {
          const product = mul(a, b);
          const sum = add(product, c);
          const result = relu(sum);
          product.dispose();
          sum.dispose();
          return result;
        }),
      "jax-js":
        ({ nn }) =>
        (a, b, c) =>
          nn.relu(a.mul(b).add(c)),
      "tfjs-wasm": compound((tf) => (a, b, c) => tf.relu(tf.add(tf.mul(a, b), c))),
      "numpy-ts": (np, keep) => (a, b, c) => np.maximum(keep(np.add(keep(np.multiply(a, b)), c)), 0),
      "ort-web": () => ({
        nodes: (turn) => [
          { op: "Mul", from: ["a", "b"], to: `m${turn}` },
          { op: "Add", from: [`m${turn}`, "c"], to: `s${turn}` },
          { op: "Relu", from: [`s${turn}`], to: `y${turn}` },
        ],
        shape: [MILLION],
      }),
    },
  },
];
