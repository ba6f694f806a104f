import { input } from "../src/values.mjs";

const BATCH = 64;
const PIXELS = 784;
const HIDDEN = 256;
const CLASSES = 10;
const RATE = 0.1;
const CHECKED = 5;

/** The inputs of a training: images, and the weights to begin with. Biases begin at 0; image i is of class i mod 10. */
export const trainingInputs = () => [
  input(1, [BATCH, PIXELS]),
  input(2, [PIXELS, HIDDEN], 2 ** -4),
  input(3, [HIDDEN, CLASSES], 2 ** -3),
];

const isClass = (image, of) => image % CLASSES === of;

/** Our step, as a program would write it: all that a step makes lives in an arena. */
export const ourTraining = (library) => {
  const { add, backward, createArena, crossEntropy, matmul, parameter, relu, Sgd, tensor, withArena, zeros } = library;
  return (images, w1, w2) => {
    const labels = tensor(Int32Array.from({ length: BATCH }, (_, i) => i % CLASSES));
    const model = {
      w1: parameter(w1),
      b1: parameter(zeros([HIDDEN])),
      w2: parameter(w2),
      b2: parameter(zeros([CLASSES])),
    };
    const optimiser = new Sgd(model, { learningRate: RATE });
    const arena = createArena();
    return () => {
      const value = withArena(arena, () => {
        const hidden = relu(add(matmul(images, model.w1), model.b1));
        const loss = crossEntropy(add(matmul(hidden, model.w2), model.b2), labels);
        backward(loss);
        optimiser.step();
        optimiser.zeroGrad();
        return loss.item();
      });
      arena.reset();
      return value;
    };
  };
};

const jaxTraining =
  ({ nn, numpy: np, valueAndGrad }) =>
  (images, w1, w2) => {
    const oneHot = Float32Array.from({ length: BATCH * CLASSES }, (_, k) =>
      isClass(Math.floor(k / CLASSES), k % CLASSES) ? 1 : 0,
    );
    const loss = ([w1, b1, w2, b2], x, y) => {
      const logits = np.matmul(nn.relu(np.matmul(x, w1).add(b1)), w2).add(b2);
      return nn
        .logSoftmax(logits, -1)
        .mul(y)
        .sum()
        .mul(-1 / BATCH);
    };
    return {
      parameters: [w1, np.zeros([HIDDEN]), w2, np.zeros([CLASSES])],
      data: [images, np.array(oneHot).reshape([BATCH, CLASSES])],
      step(parameters, x, y) {
        const own = parameters.map((p) => p.ref);
        const [value, gradients] = valueAndGrad(loss)(own, x, y);
        return [value, parameters.map((p, i) => p.sub(gradients[i].mul(RATE)))];
      },
    };
  };

/** The product of an `m`×`k` and a `k`×`n` matrix, in float64; strides say which of an operand is transposed. */
function product(m, k, n, a, [aRow, aColumn], b, [bRow, bColumn]) {
  const out = new Float64Array(m * n);
  for (let i = 0; i < m; i++)
    for (let p = 0; p < k; p++) {
      const factor = a[i * aRow + p * aColumn];
      for (let j = 0; j < n; j++) out[i * n + j] += factor * b[p * bRow + j * bColumn];
    }
  return out;
}

/** The losses of the first steps, in float64 and by hand. */
function losses(x, first, second) {
  const w1 = Float64Array.from(first);
  const w2 = Float64Array.from(second);
  const b1 = new Float64Array(HIDDEN);
  const b2 = new Float64Array(CLASSES);
  const descend = (parameter, gradient) => {
    for (let i = 0; i < parameter.length; i++) parameter[i] -= RATE * gradient[i];
  };
  const columns = (matrix, width) => {
    const sums = new Float64Array(width);
    for (const [i, value] of matrix.entries()) sums[i % width] += value;
    return sums;
  };
  return Array.from({ length: CHECKED }, () => {
    const before = product(BATCH, PIXELS, HIDDEN, x, [PIXELS, 1], w1, [HIDDEN, 1]).map((v, i) => v + b1[i % HIDDEN]);
    const hidden = before.map((v) => Math.max(v, 0));
    const logits = product(BATCH, HIDDEN, CLASSES, hidden, [HIDDEN, 1], w2, [CLASSES, 1]).map(
      (v, i) => v + b2[i % CLASSES],
    );
    const cotangent = new Float64Array(BATCH * CLASSES);
    let loss = 0;
    for (let i = 0; i < BATCH; i++) {
      const row = logits.subarray(i * CLASSES, (i + 1) * CLASSES);
      const sum = row.reduce((total, v) => total + Math.exp(v), 0);
      loss -= (row[i % CLASSES] - Math.log(sum)) / BATCH;
      for (let j = 0; j < CLASSES; j++)
        cotangent[i * CLASSES + j] = (Math.exp(row[j]) / sum - (isClass(i, j) ? 1 : 0)) / BATCH;
    }
    const toHidden = product(BATCH, CLASSES, HIDDEN, cotangent, [CLASSES, 1], w2, [1, CLASSES]).map((v, i) =>
      before[i] > 0 ? v : 0,
    );
    descend(w2, product(HIDDEN, BATCH, CLASSES, hidden, [1, HIDDEN], cotangent, [CLASSES, 1]));
    descend(b2, columns(cotangent, CLASSES));
    descend(w1, product(PIXELS, BATCH, HIDDEN, x, [1, PIXELS], toHidden, [HIDDEN, 1]));
    descend(b1, columns(toHidden, HIDDEN));
    return loss;
  });
}

/** A step of training: forward, backward and the optimiser. */
export const TRAINING = [
  {
    id: "train-step",
    title: "MLP 784-256-10, batch 64: forward, backward, SGD",
    unit: "µs",
    reach: [{ faster: 1.6, than: "best" }],
    inputs: trainingInputs,
    calls: CHECKED,
    reference({ data: x }, { data: w1 }, { data: w2 }) {
      const expected = losses(x, w1, w2);
      return { length: CHECKED, at: (i) => expected[i] };
    },
    runs: {
      strideweave: Object.assign(ourTraining, { steps: true }),
      "jax-js": Object.assign(jaxTraining, { steps: true }),
    },
  },
];
