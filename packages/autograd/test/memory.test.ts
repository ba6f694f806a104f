import { backward, grad, hook, parameter, Sgd } from "@sw/autograd";
import { Arena, type DataBuffer } from "@sw/buffer";
import { jsKernels } from "@sw/kernels-js";
import {
  add,
  createArena,
  gelu,
  layerNorm,
  logSoftmax,
  matmul,
  mul,
  nllLoss,
  ones,
  randn,
  relu,
  setKernels,
  softmax,
  sub,
  sum,
  type Tensor,
  tensor,
  withArena,
  withKernels,
  zeros,
} from "@sw/tensor";
import { type Backend, type Kernel, record, withScope } from "@sw/tensor/seam";
import { beforeEach, describe, expect, test } from "vitest";
import { Counting } from "./counting.js";

beforeEach(() => setKernels(jsKernels));

const total = (t: Tensor): Tensor => sum(t) as Tensor;
/** Elements of a tensor, and its bytes. */
const N = 1000;
const S = 4 * N;

/** The most bytes that a backward has out beyond what forward left. */
function peak(build: (x: Tensor) => Tensor, elements: number = N): number {
  const memory = new Counting();
  return memory.run(() => {
    const x = parameter(randn([elements], { seed: 1 }));
    const y = build(x);
    const g = randn(y.shape, { seed: 2 });
    const bytes = memory.peakOf(() => backward(y, g));
    return bytes;
  });
}

function chain(step: (y: Tensor, x: Tensor) => Tensor, length: number): (x: Tensor) => Tensor {
  return (x) => {
    let y = x;
    for (let i = 0; i < length; i++) y = step(y, x);
    return y;
  };
}

/** The kernels that a function runs, counted by kind. */
function counted(fn: () => void): Record<string, number> {
  const counts: Record<string, number> = {};
  const kernels = Object.fromEntries(
    Object.entries(jsKernels.kernels).map(([kind, kernel]): [string, Kernel] => [
      kind,
      (...call) => {
        counts[kind] = (counts[kind] ?? 0) + 1;
        (kernel as Kernel)(...call);
      },
    ]),
  );
  const spy: Backend = { ...jsKernels, kernels };
  withKernels([spy], () => fn() as never);
  return counts;
}

describe("the peak of a pass is that of its widest step, whatever its length", () => {
  test.each([
    ["times a number", (y: Tensor) => mul(y, 0.5), 3],
    ["relu", (y: Tensor) => relu(y), 3],
    ["plus the leaf: what arrives is summed in place", (y: Tensor, x: Tensor) => add(y, x), 4],
    ["times the leaf", (y: Tensor, x: Tensor) => mul(y, x), 5],
  ])("%s", (_name, step, bound) => {
    const [short, long] = [10, 1000].map((length) => peak(chain(step, length)));
    expect(long).toBe(short);
    expect(long).toBeLessThanOrEqual(bound * S);
  });
  test("a diamond of depth 60", () => {
    expect(peak(chain((y) => mul(add(y, y), 0.5), 60))).toBeLessThanOrEqual(4 * S);
  });
  test("the cotangents of leaves are held to the end, and copied: all of them or none", () => {
    const memory = new Counting();
    memory.run(() => {
      const leaves = Array.from({ length: 8 }, (_, i) => parameter(randn([N], { seed: i })));
      const y = leaves.reduce((sum, leaf) => add(sum, mul(leaf, 2)), zeros([N]));
      expect(memory.peakOf(() => backward(y, randn([N], { seed: 9 })))).toBeLessThanOrEqual((8 + 8 + 2) * S);
      expect(leaves.every((leaf) => leaf.grad !== undefined)).toBe(true);
    });
  });
});

describe("after a pass", () => {
  const build = (memory: Counting) =>
    memory.run(() => {
      const x = parameter(randn([N], { seed: 1 }));
      const y = total(relu(mul(x, x)));
      return { x, y };
    });
  test("what is left is the gradients", () => {
    const memory = new Counting();
    const { x, y } = build(memory);
    const before = memory.bytes;
    memory.run(() => backward(y));
    expect(memory.bytes - before).toBe(S);
    x.grad?.dispose();
    expect(memory.bytes).toBe(before);
  });
  test("that threw, nothing", () => {
    const memory = new Counting();
    const { x, y } = build(memory);
    hook(x, () => {
      throw new Error("mine");
    });
    const before = memory.bytes;
    expect(() => memory.run(() => backward(y))).toThrow("mine");
    expect(memory.bytes).toBe(before);
    expect(x.grad).toBeUndefined();
  });
  test("buffers that the pass did not make are never returned or written by it: cotangents, saved tensors, gradients", () => {
    const memory = new Counting();
    memory.run(() => {
      const x = parameter(tensor([1, 2]));
      const kept = tensor([5, 6]);
      // A rule that gives what it was given, and what it keeps, to one node.
      const odd = (t: Tensor): Tensor =>
        record(zeros([2]), { kind: "odd", inputs: [t, t, t], rule: (_record, g) => [g, kept, kept] });
      const g = tensor([1, 1]);
      backward(odd(x), g);
      backward(odd(x), x.grad);
      expect(x.grad?.toArray()).toEqual([2 * 11 + 10, 2 * 13 + 12]);
      expect([g.toArray(), kept.toArray()]).toEqual([
        [1, 1],
        [5, 6],
      ]);
    });
  });
});

describe("sums in place", () => {
  test.each(["float16", "bfloat16", "float32", "float64"] as const)("have the bits of add: %s", (dtype) => {
    const parts = [1, 2, 3, 4].map((seed) => randn([64], { seed, dtype }));
    const x = parameter(zeros([64], { dtype }));
    const out = record(zeros([64], { dtype }), {
      kind: "parts",
      inputs: parts.map(() => x),
      rule: () => parts.map((part) => mul(part, 1)),
    });
    backward(out, zeros([64], { dtype }));
    const expected = parts.slice(1).reduce((sum, part) => add(sum, part) as typeof sum, parts[0] as Tensor);
    expect(x.grad?.data()).toEqual(expected.data());
  });
  test("never into a cotangent that another node still waits for, nor one that repeats elements", () => {
    const [a, b] = [parameter(tensor([1, 2])), parameter(tensor([3, 4]))];
    const y = add(a, b);
    backward(total(add(mul(add(y, a), 1), b)));
    expect([a.grad?.toArray(), b.grad?.toArray()]).toEqual([
      [2, 2],
      [2, 2],
    ]);
    const x = parameter(tensor([1, 2, 3]));
    backward(add(add(total(x), total(mul(x, x))), total(x)));
    expect(x.grad?.toArray()).toEqual([4, 6, 8]);
  });
});

describe("a pass runs what leads to what is asked for, and nothing else", () => {
  const product = (count: number) => {
    const x = parameter(randn([4, 4], { seed: 0 }));
    const weights = Array.from({ length: count }, (_, i) => parameter(randn([4, 4], { seed: i + 1 })));
    const layers: Tensor[] = [x];
    for (const w of weights) layers.push(matmul(layers.at(-1) as Tensor, w));
    return { x, weights, layers, y: layers.at(-1) as Tensor };
  };
  test("of five products to the first factor: 5 of the 10 backward products; to the last result none", () => {
    const { x, layers, y, weights } = product(5);
    const g = randn([4, 4], { seed: 9 });
    const run = (inputs: readonly Tensor[]) =>
      counted(() => {
        grad([y], inputs, [g], { retainGraph: true });
      })["matmul"] ?? 0;
    expect(run([x])).toBe(5);
    expect(run([y])).toBe(0);
    expect(run([layers[4] as Tensor])).toBe(1);
    expect(run([weights[4] as Tensor])).toBe(1);
    expect(run([weights[0] as Tensor])).toBe(5);
    expect(run([x, ...weights])).toBe(10);
  });
  test("what is passed over is released all the same (VA-84)", () => {
    const [x, z] = [parameter(tensor([1, 2])), parameter(tensor([1, 2]))];
    const side = mul(z, z);
    grad([total(add(mul(x, x), side))], [x]);
    expect(() => backward(total(side))).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_RELEASED" }));
  });
});

/** A transformer of one block, 8 tokens, width 16 and 2 heads, normalised before each half, with a loss. */
function transformer() {
  const weight = (shape: number[], seed: number): Tensor => parameter(mul(randn(shape, { seed }), 0.1));
  const [query, key, value, output] = [1, 2, 3, 4].map((seed) => weight([16, 16], seed)) as Tensor[] as [
    Tensor,
    Tensor,
    Tensor,
    Tensor,
  ];
  const [up, down, scores] = [weight([16, 64], 5), weight([64, 16], 6), weight([16, 8], 7)];
  const [first, second] = [parameter(ones([16])), parameter(ones([16]))];
  const x = randn([8, 16], { seed: 8 });
  const targets = tensor([0, 1, 2, 3, 4, 5, 6, 7], { dtype: "int32" });
  const heads = (t: Tensor): Tensor => t.reshape([8, 2, 8]).permute([1, 0, 2]);
  const loss = (): Tensor => {
    const a = layerNorm(x, [16], { weight: first });
    const [q, k, v] = [query, key, value].map((w) => heads(matmul(a, w))) as [Tensor, Tensor, Tensor];
    const p = softmax(mul(matmul(q, k.transpose(-2, -1)), 8 ** -0.5), -1);
    const mixed = add(x, matmul(matmul(p, v).permute([1, 0, 2]).reshape([8, 16]), output));
    const b = layerNorm(mixed, [16], { weight: second });
    const out = add(mixed, matmul(gelu(matmul(b, up)), down));
    return nllLoss(logSoftmax(matmul(out, scores), 1), targets);
  };
  return { parameters: [query, key, value, output, up, down, scores, first, second], loss };
}

/** The perceptron 16-32-8 on 4 rows, with a loss. */
function perceptron() {
  const w1 = parameter(mul(randn([16, 32], { seed: 1 }), 0.1));
  const w2 = parameter(mul(randn([32, 8], { seed: 2 }), 0.1));
  const x = randn([4, 16], { seed: 3 });
  const targets = tensor([0, 3, 5, 7], { dtype: "int32" });
  const loss = (): Tensor => nllLoss(logSoftmax(matmul(relu(matmul(x, w1)), w2), 1), targets);
  return { parameters: [w1, w2], loss };
}

/** The perceptron of the MNIST example, 784-128-10, on its 60 images a step. */
function mnist() {
  const layer = (inputs: number, outputs: number) => ({
    weight: parameter(mul(randn([inputs, outputs], { seed: inputs }), Math.sqrt(2 / inputs))),
    bias: parameter(zeros([outputs])),
  });
  const [hidden, output] = [layer(784, 128), layer(128, 10)];
  const x = randn([60, 784], { seed: 3 });
  const targets = tensor(
    Array.from({ length: 60 }, (_, i) => i % 10),
    { dtype: "int32" },
  );
  const apply = ({ weight, bias }: typeof hidden, t: Tensor): Tensor => add(matmul(t, weight), bias);
  const loss = (): Tensor => nllLoss(logSoftmax(apply(output, relu(apply(hidden, x))), 1), targets);
  return { parameters: [hidden.weight, hidden.bias, output.weight, output.bias], loss };
}

describe("a step in an arena", () => {
  const LINE = 64;
  const perceptronBytes = 4 * (2 * 4 * 32 + 2 * 4 * 8) + LINE;
  const norm = 4 * (2 * 8 * 16) + LINE;
  const attended = 4 * (3 * 8 * 16 + 4 * 2 * 8 * 8 + 3 * 8 * 16);
  const mlp = 4 * (2 * 8 * 64 + 2 * 8 * 16);
  // Last, the loss, and three numbers that were operands of kernels: the scale, and the bias of each norm.
  const transformerBytes = 2 * norm + attended + mlp + 4 * (2 * 8 * 8) + LINE + 3 * LINE;
  const scores = Math.ceil((4 * 60 * 10) / LINE) * LINE;
  const mnistBytes = 3 * 4 * 60 * 128 + 3 * scores + LINE;
  // Behind the arena, at the end of a pass: of each parameter its cotangent and the gradient that is copied from it.
  const twice = (...elements: readonly number[]): number => elements.reduce((bytes, n) => bytes + 2 * 4 * n, 0);
  const perceptronPass = twice(16 * 32, 32 * 8);
  const mnistPass = twice(784 * 128, 128, 128 * 10, 10);
  // More is out while the rule of gelu runs: eleven tensors of its size, beside the cotangents of its result, of the two
  // parameters after it, and of the sum that its branch is added to.
  const transformerPass = 11 * 4 * 8 * 64 + 4 * (64 * 16 + 16 * 8) + 4 * 8 * 64 + 4 * 8 * 16;
  test("the README's figures", () => {
    expect([perceptronBytes, perceptronPass]).toEqual([1344, 6144]);
    expect([transformerBytes, transformerPass]).toEqual([13_184, 29_696]);
    expect([mnistBytes, mnistPass]).toEqual([99_520, 814_160]);
  });
  test.each([
    ["perceptron", perceptron, 50, perceptronBytes, perceptronPass],
    ["transformer", transformer, 50, transformerBytes, transformerPass],
    ["MNIST's perceptron", mnist, 10, mnistBytes, mnistPass],
  ] as const)(
    "%s: nothing new after two steps, each with the statistics of the one before",
    (_name, build, steps, bytes, peak) => {
      const pool = new Counting();
      const arena = new Arena(pool);
      const { parameters, loss } = pool.run(build);
      const optimiser = new Sgd(parameters, { learningRate: 0.1, momentum: 0.9 });
      const losses: number[] = [];
      const step = () => {
        const start = pool.bytes;
        pool.peak = start;
        withArena(arena, () => {
          const value = loss();
          losses.push(value.item() as number);
          const before = arena.statistics().usedBytes;
          backward(value);
          optimiser.step();
          optimiser.zeroGrad();
          expect(arena.statistics().usedBytes).toBe(before);
        });
        const { live, liveBytes, usedBytes, peakBytes, chunks, created } = arena.statistics();
        arena.reset();
        const { misses, live: pooled, liveBytes: pooledBytes } = pool.statistics();
        const behind = pool.peak - start;
        return { live, liveBytes, usedBytes, peakBytes, chunks, created, misses, pooled, pooledBytes, behind };
      };
      step();
      const expected = step();
      for (let i = 0; i < steps; i++) expect(step()).toEqual(expected);
      expect(losses.at(-1)).toBeLessThan((losses[0] as number) / 2);
      expect(expected.usedBytes).toBe(bytes);
      expect(expected.peakBytes).toBe(bytes);
      expect(expected.behind).toBe(peak);
      arena.dispose();
    },
  );
  test("a pass takes its memory from behind the arena, which takes nothing back before its reset", () => {
    const arena = createArena();
    withArena(arena, () => {
      const x = parameter(randn([N], { seed: 1 }));
      const y = chain((t) => mul(t, 2), 50)(x);
      const g = randn([N], { seed: 2 });
      const { usedBytes } = arena.statistics();
      backward(y, g);
      // The leaf lives in the arena, so its gradient does too.
      expect(arena.statistics().usedBytes - usedBytes).toBe(Math.ceil(S / 64) * 64);
    });
    arena.dispose();
  });
  test("buffers of a pass are returned when they were read last, also those that views share", () => {
    const x = parameter(randn([4, 4], { seed: 1 }));
    const seen: [DataBuffer, number][] = [];
    const y = mul(x.T, 2);
    hook(y, (g) => {
      seen.push([g.buffer, g.generation]);
      return undefined;
    });
    const z = mul(sub(y.T, 1), 3);
    hook(x, () => {
      expect(seen.every(([buffer, generation]) => buffer.generation > generation)).toBe(true);
      return undefined;
    });
    withScope({}, () => backward(z, randn([4, 4], { seed: 2 })));
    expect(seen.length).toBe(1);
  });
});
