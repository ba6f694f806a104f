import { input } from "../src/values.mjs";

/**
 * A row of a product of matrices. Per operand, `T` says that memory holds the transposed matrix and a view turns it.
 */
function product(id, title, { m, k, n, batches = [], aT = false, bT = false, reach, best }) {
  const count = batches.reduce((all, extent) => all * extent, 1);
  const aShape = [...batches, ...(aT ? [k, m] : [m, k])];
  const bShape = [...batches, ...(bT ? [n, k] : [k, n])];
  const gemm = aT || bT ? { op: "Gemm", with: { transA: aT ? 1 : 0, transB: bT ? 1 : 0 } } : { op: "MatMul" };
  /** The same product of operands as they lie in memory, which for square ones is one too. */
  const plain = ({ matmul }) => matmul;
  const peers = {
    "tfjs-wasm": (tf) => (a, b) => tf.matMul(a, b, aT, bT),
    "ort-web": () => ({
      nodes: (turn) => [{ ...gemm, from: ["a", "b"], to: `y${turn}` }],
      shape: [...batches, m, n],
    }),
    "jax-js":
      ({ numpy: np }) =>
      (a, b) =>
        np.matmul(aT ? a.transpose() : a, bT ? b.transpose() : b),
    "numpy-ts": (np) => (a, b) => np.matmul(aT ? a.T : a, bT ? b.T : b),
  };
  return {
    id,
    title,
    unit: "GFLOP/s",
    work: 2 * count * m * k * n,
    reach,
    inputs: () => [input(1, aShape), input(2, bShape)],
    reference: productReference(count, m, k, n, aT, bT),
    runs: {
      strideweave:
        aT || bT
          ? ({ matmul }) =>
              (a, b) =>
                matmul(aT ? a.T : a, bT ? b.T : b)
          : plain,
      ...(aT || bT
        ? {
            "strideweave untransposed": Object.assign(plain, {
              reference: productReference(count, m, k, n, false, false),
            }),
          }
        : {}),
      machine: ({ registers }) => registers(),
      [best]: peers[best],
      ...peers,
    },
  };
}

/** The elements of a batch of products, each a sum in float64. */
export function productReference(count, m, k, n, aT, bT) {
  return ({ data: a }, { data: b }) => ({
    length: count * m * n,
    terms: k,
    at(index) {
      const batch = Math.floor(index / (m * n));
      const i = Math.floor(index / n) % m;
      const j = index % n;
      const aAt = batch * m * k + (aT ? i : i * k);
      const bAt = batch * k * n + (bT ? j * k : j);
      let sum = 0;
      for (let p = 0; p < k; p++) sum += a[aAt + p * (aT ? m : 1)] * b[bAt + p * (bT ? 1 : n)];
      return sum;
    },
  });
}

const square = (n) => ({ m: n, k: n, n });
const large = [
  { faster: 1.3, than: "best" },
  { share: 0.88, of: "registers" },
];
const turned = [
  { faster: 1.3, than: "best" },
  { faster: 0.95, than: "strideweave untransposed" },
];

/** On two threads: the tasks are those of one. */
function onThreads(row) {
  const { machine: _, ...runs } = row.runs;
  return {
    ...row,
    id: `${row.id}-2t`,
    title: `${row.title}, 2 threads`,
    ours: "strideweave-2t",
    reach: [
      { faster: 1.6, than: "best" },
      { faster: 1.8, than: "strideweave" },
    ],
    runs: { "strideweave-2t": runs.strideweave, strideweave: runs.strideweave, "ort-web-2t": runs["ort-web"] },
  };
}

const matmul32 = product("matmul-32", "32³", {
  ...square(32),
  best: "ort-web",
  reach: [{ faster: 1.8, than: "best" }],
});
const tf = "tfjs-wasm";
const matmul512 = product("matmul-512", "512³", { ...square(512), best: tf, reach: large });
const matmul1024 = product("matmul-1024", "1024³", { ...square(1024), best: tf, reach: large });

/** Products of matrices. tfjs-wasm keeps the packed B of the call before, so its rows show weights that are packed. */
export const MATMUL = [
  matmul32,
  product("matmul-64", "64³", { ...square(64), best: tf, reach: [{ faster: 1.4, than: "best" }] }),
  product("matmul-128", "128³", { ...square(128), best: tf, reach: [{ faster: 1.4, than: "best" }] }),
  product("matmul-256", "256³", { ...square(256), best: tf, reach: large }),
  matmul512,
  matmul1024,
  product("matmul-64x768x3072", "64×768 · 768×3072", { m: 64, k: 768, n: 3072, best: tf, reach: large }),
  product("matmul-abt", "A·Bᵀ, 512³", { ...square(512), bT: true, best: "jax-js", reach: turned }),
  product("matmul-atb", "Aᵀ·B, 512³", { ...square(512), aT: true, best: "ort-web", reach: turned }),
  product("matmul-batched", "12 × (128×64 · 64×128)", {
    m: 128,
    k: 64,
    n: 128,
    batches: [12],
    best: "ort-web",
    reach: [{ faster: 1.3, than: "best" }],
  }),
  product("matvec", "1×768 · 768×768", { m: 1, k: 768, n: 768, best: "ort-web", reach: [{ faster: 1, than: "best" }] }),
  onThreads(matmul512),
  onThreads(matmul1024),
];
