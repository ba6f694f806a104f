import {
  AdamW,
  backward,
  clipByNorm,
  cosine,
  gradcheck,
  type Module,
  namedParameters,
  parameter,
  Sgd,
  valueAndGrad,
  warmup,
} from "@sw/autograd";
import { Conv2d, Dropout, Embedding, LayerNorm, Linear, MultiHeadAttention } from "@sw/autograd/modules";
import { jsKernels } from "@sw/kernels-js";
import {
  add,
  arange,
  createArena,
  createGenerator,
  crossEntropy,
  gelu,
  mseLoss,
  randint,
  randn,
  setKernels,
  sum,
  type Tensor,
  tensor,
  withArena,
} from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import { beforeEach, describe, expect, test } from "vitest";

beforeEach(() => setKernels(jsKernels));

type F64 = Tensor<"float64">;
const options = () => ({ generator: createGenerator(7), dtype: "float64" as const });
const normal = (shape: readonly number[], seed: number): F64 => randn(shape, { seed, dtype: "float64" });

describe("gradients of modules agree with differences, in what they are given and in each parameter", () => {
  /** Checks a function of an operand and of parameters, which are handed over. */
  function check(module: Module, x: F64 | undefined, call: (x: F64, own: Record<string, Tensor>) => F64): void {
    const own = namedParameters(module);
    const names = Object.keys(own);
    const inputs = Object.values(own) as F64[];
    const { compared } = gradcheck(
      (...given) => {
        const [first, ...rest] = (x === undefined ? [undefined, ...given] : given) as F64[];
        return call(first as F64, Object.fromEntries(names.map((name, i) => [name, rest[i] as Tensor])));
      },
      x === undefined ? inputs : [x, ...inputs],
    );
    expect(compared).toBe([...(x === undefined ? [] : [x]), ...inputs].reduce((count, t) => count + t.size, 0));
  }

  test("Linear", () => {
    const layer = new Linear(3, 2, options());
    check(layer, normal([2, 4, 3], 1), (x, own) => layer.forward(x, own as typeof layer.parameters));
  });
  test("Conv2d", () => {
    const layer = new Conv2d(2, 4, [3, 2], { ...options(), stride: 2, padding: 1, groups: 2 });
    check(layer, normal([2, 2, 5, 4], 1), (x, own) => layer.forward(x, own as typeof layer.parameters));
  });
  test("LayerNorm", () => {
    const layer = new LayerNorm([2, 3], { dtype: "float64" });
    check(layer, normal([4, 2, 3], 1), (x, own) => layer.forward(x, own as typeof layer.parameters));
  });
  test("Embedding", () => {
    const layer = new Embedding(4, 3, options());
    const ids = tensor(
      [
        [1, 3, 1],
        [0, 1, 3],
      ],
      { dtype: "int32" },
    );
    check(layer, undefined, (_, own) => layer.forward(ids, own as typeof layer.parameters));
  });
  test.each([
    ["alone", {}],
    ["causal", { causal: true }],
    [
      "masked",
      {
        mask: tensor([
          [true, false, true],
          [false, true, true],
          [true, true, true],
        ]),
      },
    ],
  ])("MultiHeadAttention, %s", (_, call) => {
    const layer = new MultiHeadAttention(4, 2, options());
    check(layer, normal([2, 3, 4], 1), (x, own) => {
      const part = (name: string) => ({ weight: own[`${name}.weight`] as F64, bias: own[`${name}.bias`] as F64 });
      const [query, key, value, output] = ["query", "key", "value", "output"].map(part) as [
        ReturnType<typeof part>,
        ReturnType<typeof part>,
        ReturnType<typeof part>,
        ReturnType<typeof part>,
      ];
      return layer.forward(x, call, { query, key, value, output });
    });
  });
  test("Dropout: what was kept passes 1/(1-p), what was left out 0", () => {
    const dropout = new Dropout({ p: 0.5, generator: createGenerator(7) });
    const x = parameter(arange(1, 33));
    const out = dropout.forward(x, { training: true });
    backward(sum(out) as Tensor);
    const kept = Array.from(out.data(), (element) => (element === 0 ? 0 : 2));
    expect(new Set(kept)).toEqual(new Set([0, 2]));
    expect(x.grad?.toArray()).toEqual(kept);
  });
});

test("the row of skipId gets no gradient, and stays zeros", () => {
  const layer = new Embedding(3, 2, { generator: createGenerator(7), skipId: 0 });
  const sgd = new Sgd(layer, { learningRate: 1 });
  backward(sum(layer.forward(tensor([0, 1, 1], { dtype: "int32" }))) as Tensor);
  expect(layer.parameters.weight.grad?.toArray()).toEqual([
    [0, 0],
    [2, 2],
    [0, 0],
  ]);
  sgd.step();
  expect(layer.parameters.weight.select(0, 0).toArray()).toEqual([0, 0]);
});

test("valueAndGrad differentiates a module by the parameters that are handed over", () => {
  const layer = new Linear(2, 1, { generator: createGenerator(7) });
  const x = tensor([
    [1, 2],
    [3, 4],
  ]);
  const f = valueAndGrad((own: typeof layer.parameters) => sum(layer.forward(x, own)) as Tensor);
  const { value, gradients } = f(layer.parameters);
  expect(value.item()).toBeCloseTo(Number(sum(layer.forward(x)).item()), 6);
  expect(gradients.weight.toArray()).toEqual([[4], [6]]);
  expect(gradients.bias?.toArray()).toEqual([2]);
  expect(layer.parameters.weight.grad).toBeUndefined();
});

test("AdamW with clipping and a schedule learns a plane", () => {
  const layer = new Linear(2, 1, { generator: createGenerator(7) });
  const x = randn([64, 2], { seed: 1 });
  const y = x.index(":, :1").contiguous();
  const rate = warmup(5, cosine(0.1, 0, 195));
  using adam = new AdamW(layer, { learningRate: rate(0), weightDecay: 0 });
  let loss = Number.POSITIVE_INFINITY;
  for (let step = 0; step < 200; step++) {
    adam.zeroGrad();
    const error = mseLoss(layer.forward(x), y);
    backward(error);
    expect(clipByNorm(layer, 1)).toBeLessThan(100);
    adam.learningRate = rate(step);
    adam.step();
    loss = error.item();
  }
  expect(loss).toBeLessThan(1e-4);
  expect(layer.parameters.weight.at(0, 0)).toBeCloseTo(1, 2);
});

/** One block of a transformer, with a head for the next of 11 tokens. */
function transformer() {
  const given = { generator: createGenerator(7) };
  const model = {
    tokens: new Embedding(11, 16, given),
    places: new Embedding(8, 16, given),
    first: new LayerNorm(16),
    attention: new MultiHeadAttention(16, 4, given),
    second: new LayerNorm(16),
    wide: new Linear(16, 64, given),
    narrow: new Linear(64, 16, given),
    head: new Linear(16, 11, given),
  };
  const places = tensor([0, 1, 2, 3, 4, 5, 6, 7], { dtype: "int32" });
  const loss = (ids: Tensor, targets: Tensor): Tensor => {
    const x = add(model.tokens.forward(ids), model.places.forward(places));
    const y = add(x, model.attention.forward(model.first.forward(x), { causal: true }));
    const z = add(y, model.narrow.forward(gelu(model.wide.forward(model.second.forward(y)))));
    return crossEntropy(model.head.forward(z).reshape([-1, 11]), targets.reshape([-1]));
  };
  return { model, loss };
}

/** A perceptron with dropout over the same ids, as numbers. */
function perceptron() {
  const given = { generator: createGenerator(7) };
  const model = { hidden: new Linear(8, 32, given), output: new Linear(32, 11, given) };
  const dropout = new Dropout({ p: 0.25, generator: createGenerator(8) });
  const x = randn([4, 8], { seed: 1 });
  const loss = (_: Tensor, targets: Tensor): Tensor => {
    const hidden = dropout.forward(gelu(model.hidden.forward(x)), { training: true });
    return crossEntropy(model.output.forward(hidden), targets.select(1, 0));
  };
  return { model, loss };
}

describe.each([
  ["a perceptron with dropout", perceptron],
  ["a transformer", transformer],
])("a step of %s in an arena", (_, make) => {
  test("after two steps allocates nothing, and has the statistics of the one before", () => {
    const { model, loss } = make();
    const [ids, targets] = [randint([4, 8], { high: 11, seed: 1 }), randint([4, 8], { high: 11, seed: 2 })];
    using adam = new AdamW(model, { learningRate: 0.01 });
    const arena = createArena();
    const losses: number[] = [];
    const seen: object[] = [];
    for (let step = 0; step < 52; step++) {
      const value = withArena(arena, () => {
        adam.zeroGrad();
        const out = loss(ids, targets);
        backward(out);
        clipByNorm(model, 1);
        adam.step();
        return Number(out.item());
      });
      losses.push(value);
      const { peakBytes } = arena.statistics();
      arena.reset();
      const { misses, created, live, liveBytes } = defaultPool().statistics();
      const { chunks } = arena.statistics();
      if (step >= 2) seen.push({ misses, created, live, liveBytes, chunks, peakBytes });
    }
    expect(seen).toHaveLength(50);
    for (const statistics of seen) expect(statistics).toEqual(seen[0]);
    expect(losses.at(-1)).toBeLessThan((losses[0] as number) / 2);
    arena.dispose();
  });
});
