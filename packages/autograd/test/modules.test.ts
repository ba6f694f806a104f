import { Adam, type Module, namedParameters, parameter, parametersOf, requiresGrad } from "@sw/autograd";
import { Conv2d, Dropout, Embedding, LayerNorm, Linear, MultiHeadAttention } from "@sw/autograd/modules";
import { jsKernels } from "@sw/kernels-js";
import {
  add,
  arange,
  attention,
  concat,
  conv2d,
  createArena,
  createGenerator,
  type DType,
  embedding,
  full,
  isTensor,
  layerNorm,
  matmul,
  ones,
  randn,
  setKernels,
  type Tensor,
  tensor,
  withArena,
} from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import { beforeEach, describe, expect, expectTypeOf, test } from "vitest";

beforeEach(() => setKernels(jsKernels));

const generator = () => createGenerator(7);

/** Every module, and what a call of it is given. */
const MODULES: readonly (readonly [string, (dtype: DType) => Module & { dispose(): void }, string[]])[] = [
  ["Linear", (dtype) => new Linear(4, 6, { generator: generator(), dtype }), ["weight", "bias"]],
  ["Linear without bias", (dtype) => new Linear(4, 6, { generator: generator(), dtype, bias: false }), ["weight"]],
  ["Conv2d", (dtype) => new Conv2d(4, 6, [3, 1], { generator: generator(), dtype, groups: 2 }), ["weight", "bias"]],
  ["LayerNorm", (dtype) => new LayerNorm([2, 3], { dtype }), ["weight", "bias"]],
  ["Embedding", (dtype) => new Embedding(5, 3, { generator: generator(), dtype }), ["weight"]],
  [
    "MultiHeadAttention",
    (dtype) => new MultiHeadAttention(4, 2, { generator: generator(), dtype }),
    ["query", "key", "value", "output"].flatMap((layer) => [`${layer}.weight`, `${layer}.bias`]),
  ],
];

describe.each(MODULES)("%s", (_, make, names) => {
  test("its parameters have names, take part in gradients, and are what an optimiser takes", () => {
    const named = namedParameters(make("float32"));
    expect(Object.keys(named)).toEqual(names);
    expect(Object.values(named).every(requiresGrad)).toBe(true);
    expect(new Adam([make("float32")], { learningRate: 0.1 }).parameters).toHaveLength(names.length);
  });
  test("the same seed gives the same bits, and every float dtype is possible", () => {
    for (const dtype of ["float64", "float32", "float16", "bfloat16"] as const) {
      const [a, b] = [parametersOf(make(dtype)), parametersOf(make(dtype))];
      expect(a.map((t) => t.toArray())).toEqual(b.map((t) => t.toArray()));
      expect(a.every((t) => t.dtype === dtype)).toBe(true);
    }
    expect(() => make("int32")).toThrow();
  });
  test("parameters outlive the arena that they are made in, and dispose returns them and their gradients", () => {
    const arena = createArena();
    const { live } = defaultPool().statistics();
    const module = withArena(arena, () => make("float32"));
    arena.reset();
    for (const p of parametersOf(module)) {
      expect(() => p.toArray()).not.toThrow();
      (p.node as { grad: Tensor }).grad = ones(p.shape);
    }
    module.dispose();
    module.dispose();
    expect(defaultPool().statistics().live).toBe(live);
    arena.dispose();
  });
});

describe("forward", () => {
  test("Linear: x · weight + bias, whatever the axes before", () => {
    const layer = new Linear(3, 2, { generator: generator() });
    const { weight, bias } = layer.parameters;
    const x = randn([2, 5, 3], { seed: 1 });
    expect(layer.forward(x).toArray()).toEqual(add(matmul(x, weight), bias as Tensor<"float32">).toArray());
    expect(layer.forward(x).shape).toEqual([2, 5, 2]);
    const bare = new Linear(3, 2, { generator: generator(), bias: false });
    expect(bare.forward(x).toArray()).toEqual(matmul(x, bare.parameters.weight).toArray());
    expectTypeOf(layer.forward(x)).toEqualTypeOf<Tensor<"float32">>();
    expectTypeOf(new Linear(1, 1, { generator: generator(), dtype: "float64" })).toEqualTypeOf<Linear<"float64">>();
  });
  test("first weights lie within ±1/√fan, and fill it", () => {
    const layer = new Linear(16, 500, { generator: generator() });
    const conv = new Conv2d(4, 500, 2, { generator: generator() });
    for (const p of [...parametersOf(layer), ...parametersOf(conv)]) {
      const largest = Math.max(...Array.from(p.data() as Float32Array, Math.abs));
      expect(largest).toBeLessThanOrEqual(0.25);
      expect(largest).toBeGreaterThan(0.24);
    }
  });
  test("Conv2d: conv2d with its options", () => {
    const options = { stride: 2, padding: [1, 0], dilation: [1, 2], groups: 2 } as const;
    const layer = new Conv2d(4, 6, 3, { generator: generator(), ...options });
    const { weight, bias } = layer.parameters;
    const x = randn([2, 4, 9, 9], { seed: 1 });
    expect(weight.shape).toEqual([6, 2, 3, 3]);
    expect(layer.forward(x).toArray()).toEqual(
      conv2d(x, weight, { ...options, bias: bias as Tensor<"float32"> }).toArray(),
    );
  });
  test("LayerNorm: at first mean 0 and variance 1, then the parameters", () => {
    const layer = new LayerNorm(4, { epsilon: 0 });
    const x = tensor([[1, 2, 3, 4]]);
    expect(layer.forward(x).toArray()).toEqual(layerNorm(x, [4], { epsilon: 0 }).toArray());
    const parameters = { weight: full([4], 2), bias: full([4], 1) };
    expect(layer.forward(x, parameters).toArray()).toEqual(layerNorm(x, [4], { ...parameters, epsilon: 0 }).toArray());
  });
  test("Embedding: rows of the table, zeros for skipId", () => {
    const layer = new Embedding(4, 3, { generator: generator(), skipId: 1 });
    const ids = tensor(
      [
        [1, 3],
        [0, 1],
      ],
      { dtype: "int32" },
    );
    expect(layer.forward(ids).toArray()).toEqual(embedding(layer.parameters.weight, ids).toArray());
    expect(layer.forward(ids).index("0, 0").toArray()).toEqual([0, 0, 0]);
  });
  test("MultiHeadAttention: each head is attention over its part of the width", () => {
    const layer = new MultiHeadAttention(6, 3, { generator: generator(), dtype: "float64" });
    const x = randn([2, 5, 6], { seed: 1, dtype: "float64" });
    const context = randn([2, 4, 6], { seed: 2, dtype: "float64" });
    const mask = tensor([[[[true, false, true, true]]], [[[true, true, true, false]]]]);
    const { query, key, value, output } = layer.parameters;
    const apply = (t: Tensor<"float64">, { weight, bias }: typeof query) =>
      add(matmul(t, weight), bias as Tensor<"float64">);
    const [q, k, v] = [apply(x, query), apply(context, key), apply(context, value)];
    const heads = [0, 2, 4].map((start) => {
      const part = (t: Tensor<"float64">) => t.slice(2, start, start + 2);
      return attention(part(q), part(k), part(v), { mask: mask.select(1, 0) });
    });
    const expected = apply(concat(heads, 2), output).data();
    const given = layer.forward(x, { context, mask }).data();
    expect(given.length).toBe(60);
    for (const [i, element] of given.entries()) expect(element).toBeCloseTo(expected[i] as number, 13);
  });
  test("MultiHeadAttention, causal: what comes later changes nothing before", () => {
    const layer = new MultiHeadAttention(4, 2, { generator: generator() });
    const x = randn([5, 4], { seed: 1 });
    const changed = tensor(x.data(), { shape: [5, 4] });
    changed.select(0, 4).fill(9);
    const [a, b] = [layer.forward(x, { causal: true }), layer.forward(changed, { causal: true })];
    expect(a.slice(0, 0, 4).toArray()).toEqual(b.slice(0, 0, 4).toArray());
    expect(a.select(0, 4).toArray()).not.toEqual(b.select(0, 4).toArray());
  });
  test("parameters may be handed over, as functions of parameters want them", () => {
    const layer = new Linear(2, 2, { generator: generator() });
    const own = {
      weight: parameter(
        tensor([
          [1, 0],
          [0, 2],
        ]),
      ),
    };
    expect(layer.forward(tensor([[3, 4]]), own).toArray()).toEqual([[3, 8]]);
  });
});

describe("Dropout", () => {
  test("leaves out about p of the elements in training and scales the others; else hands its operand on", () => {
    const dropout = new Dropout({ p: 0.25, generator: generator() });
    const x = full([10_000], 3);
    const out = dropout.forward(x, { training: true });
    const kept = Array.from(out.data()).filter((element) => element !== 0);
    expect(new Set(kept)).toEqual(new Set([4]));
    expect(Math.abs(kept.length / 10_000 - 0.75)).toBeLessThan(0.02);
    expect(dropout.forward(x, { training: false })).toBe(x);
    expect(new Dropout({ p: 0, generator: generator() }).forward(x, { training: true })).toBe(x);
  });
  test("the same state of the generator leaves out the same; each call draws anew", () => {
    const dropout = new Dropout({ p: 0.5, generator: generator() });
    const x = arange(64);
    const state = dropout.generator.state();
    const first = dropout.forward(x, { training: true }).toArray();
    expect(dropout.forward(x, { training: true }).toArray()).not.toEqual(first);
    dropout.generator.restore(state);
    expect(dropout.forward(x, { training: true }).toArray()).toEqual(first);
  });
  test("what is left out is 0 even where it was not finite", () => {
    const dropout = new Dropout({ p: 0.999, generator: generator() });
    expect(dropout.forward(full([8], Number.NaN), { training: true }).toArray()).toEqual(Array(8).fill(0));
  });
  test("has no parameters, and a place in a tree all the same", () => {
    const tree = { drop: new Dropout({ p: 0.5, generator: generator() }), layer: new LayerNorm(2) };
    expect(Object.keys(namedParameters(tree))).toEqual(["layer.weight", "layer.bias"]);
    expect(Object.values(namedParameters(tree)).every(isTensor)).toBe(true);
  });
});

test.each<[string, () => unknown]>([
  ["Linear: inputs is not possible", () => new Linear(0, 1, { generator: generator() })],
  ["Linear: outputs is not possible", () => new Linear(1, 1.5, { generator: generator() })],
  ["Conv2d: height is not possible", () => new Conv2d(1, 1, [0, 1], { generator: generator() })],
  ["Conv2d: groups is not possible", () => new Conv2d(4, 6, 1, { generator: generator(), groups: 4 })],
  ["LayerNorm: an extent is not possible", () => new LayerNorm([2, 0])],
  ["LayerNorm: epsilon is not possible", () => new LayerNorm(2, { epsilon: -1 })],
  ["Embedding: count is not possible", () => new Embedding(0, 1, { generator: generator() })],
  ["Embedding: skipId is not possible", () => new Embedding(3, 1, { generator: generator(), skipId: 3 })],
  ["MultiHeadAttention: heads is not possible", () => new MultiHeadAttention(4, 3, { generator: generator() })],
  ["Dropout: p is not possible", () => new Dropout({ p: 1, generator: generator() })],
])("refused: %s", (message, make) => {
  const { live } = defaultPool().statistics();
  expect(make).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_OPTION" }));
  expect(make).toThrow(message);
  expect(defaultPool().statistics().live).toBe(live);
});

test("without a generator, or with something else, nothing is made", () => {
  for (const options of [{}, { generator: 7 }, undefined]) {
    const wrong = options as never;
    for (const make of [
      () => new Linear(1, 1, wrong),
      () => new Conv2d(1, 1, 1, wrong),
      () => new Embedding(1, 1, wrong),
      () => new MultiHeadAttention(2, 1, wrong),
    ]) {
      expect(make).toThrow(TypeError);
    }
  }
  expect(() => new Linear(1, 1, {} as never)).toThrow(
    "Linear: no generator: got undefined, expected one made by createGenerator. Pass { generator }.",
  );
  expect(() => new Dropout({ p: 0.5, generator: {} as never })).toThrow(TypeError);
  const dropout = new Dropout({ p: 0.5, generator: generator() });
  expect(() => dropout.forward(ones([2]), {} as never)).toThrow(TypeError);
});
