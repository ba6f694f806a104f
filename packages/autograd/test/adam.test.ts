import { Adam, AdamW, backward, loadParameters, namedParameters, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { mul, randn, setKernels, sum, type Tensor, tensor, zeros } from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";

beforeEach(() => setKernels(jsKernels));

/** Gives a parameter the gradient that is named, and no other. */
function giveGradient(p: Tensor, gradient: readonly number[]): void {
  backward(sum(mul(p, tensor(gradient, { dtype: p.dtype, shape: p.shape }) as Tensor)) as Tensor);
}

interface Recipe {
  readonly learningRate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  readonly decoupled: boolean;
}

/** Adam as its papers write it, for one number and all its gradients; `undefined` is a step without one. */
function reference(start: number, gradients: readonly (number | undefined)[], r: Recipe): number {
  let [p, m, v, t] = [start, 0, 0, 0];
  for (const given of gradients) {
    if (given === undefined) continue;
    t += 1;
    const g = r.decoupled ? given : given + r.weightDecay * p;
    m = r.beta1 * m + (1 - r.beta1) * g;
    v = r.beta2 * v + (1 - r.beta2) * g * g;
    if (r.decoupled) p -= r.learningRate * r.weightDecay * p;
    p -= (r.learningRate * (m / (1 - r.beta1 ** t))) / (Math.sqrt(v / (1 - r.beta2 ** t)) + r.epsilon);
  }
  return p;
}

const DEFAULTS = { learningRate: 0.1, beta1: 0.9, beta2: 0.999, epsilon: 1e-8 };

describe.each<[string, typeof Adam, Partial<Recipe>, Recipe]>([
  ["Adam", Adam, {}, { ...DEFAULTS, weightDecay: 0, decoupled: false }],
  ["Adam with decay", Adam, { weightDecay: 0.3 }, { ...DEFAULTS, weightDecay: 0.3, decoupled: false }],
  ["AdamW", AdamW, {}, { ...DEFAULTS, weightDecay: 0.01, decoupled: true }],
  [
    "AdamW with numbers of its own",
    AdamW,
    { beta1: 0.5, beta2: 0.8, epsilon: 1e-3, weightDecay: 0.2 },
    { learningRate: 0.1, beta1: 0.5, beta2: 0.8, epsilon: 1e-3, weightDecay: 0.2, decoupled: true },
  ],
])("%s", (_, Class, options, recipe) => {
  test("five steps are those of the papers, also where one has no gradient", () => {
    const steps = [[1, -2], [0.5, 3], undefined, [0, 1e-4], [-7, 2]];
    const p = parameter(tensor([10, -20], { dtype: "float64" }));
    const other = parameter(tensor([1], { dtype: "float64" }));
    using adam = new Class({ p, other }, { learningRate: 0.1, ...options });
    for (const gradient of steps) {
      adam.zeroGrad();
      if (gradient !== undefined) giveGradient(p, gradient);
      giveGradient(other, [1]);
      adam.step();
    }
    [10, -20].forEach((start, i) => {
      const expected = reference(
        start,
        steps.map((g) => g?.[i]),
        recipe,
      );
      expect(Math.abs(p.at(i) - expected), `bound 4e-15 of ${expected}`).toBeLessThan(4e-15 * Math.abs(expected));
    });
    expect(adam.steps.toArray()).toEqual([4, 5]);
  });
});

describe("Adam", () => {
  test("a first step is about one learning rate, whatever the scale of the gradient", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), (size) => {
        const p = parameter(tensor([0, 0], { dtype: "float64" }));
        const adam = new Adam(p, { learningRate: 0.5 });
        giveGradient(p, [size, -size]);
        adam.step();
        expect(p.at(0)).toBeCloseTo(-0.5, 4);
        expect(p.at(1)).toBe(-p.at(0));
      }),
      { numRuns: 50 },
    );
  });

  test("D14: a transposed parameter steps as its contiguous copy does, and its moments lie as it lies", () => {
    const start = randn([3, 5], { seed: 1 });
    const [p, q] = [parameter(start.T), parameter(start.T.contiguous())];
    const [a, b] = [new Adam(p, { learningRate: 0.1 }), new Adam(q, { learningRate: 0.1 })];
    const gradient = [...randn([15], { seed: 2 }).data()];
    for (const t of [p, q]) giveGradient(t, gradient);
    for (const adam of [a, b]) adam.step();
    expect(p.toArray()).toEqual(q.toArray());
    expect(a.state()["first"]?.strides).toEqual(p.strides);
  });

  test("state goes by name, and another optimiser goes on from it with the same bits", () => {
    const make = () => {
      const tree = { layer: { weight: parameter(tensor([1, 2])), bias: parameter(tensor([3])) } };
      return { tree, adam: new AdamW(tree, { learningRate: 0.1 }) };
    };
    const gradients = [
      [1, 2, 3],
      [0.1, -4, 0],
      [5, 5, -5],
      [0, 0.5, 1],
    ];
    const step = ({ tree: { layer }, adam }: ReturnType<typeof make>, [x, y, z]: readonly number[]): void => {
      adam.zeroGrad();
      giveGradient(layer.weight, [x as number, y as number]);
      giveGradient(layer.bias, [z as number]);
      adam.step();
    };
    const one = make();
    for (const gradient of gradients.slice(0, 2)) step(one, gradient);
    const state = one.adam.state();
    expect(Object.keys(state)).toEqual([
      "layer.weight.first",
      "layer.weight.second",
      "layer.weight.steps",
      "layer.bias.first",
      "layer.bias.second",
      "layer.bias.steps",
    ]);
    const other = make();
    loadParameters(other.tree, namedParameters(one.tree));
    other.adam.load(state);
    expect(other.adam.steps.toArray()).toEqual([2, 2]);
    for (const gradient of gradients.slice(2)) for (const run of [one, other]) step(run, gradient);
    for (const [name, t] of Object.entries({ ...namedParameters(one.tree), ...one.adam.state() })) {
      expect({ ...namedParameters(other.tree), ...other.adam.state() }[name]?.toArray()).toEqual(t.toArray());
    }
  });

  test("a step updates all parameters or none, and counts none", () => {
    const [a, b] = [parameter(tensor([1, 1])), parameter(tensor([1, 1]))];
    const adam = new Adam([a, b], { learningRate: 1 });
    giveGradient(a, [1, 1]);
    giveGradient(b, [1, 1]);
    b.buffer.readOnly = true;
    expect(() => adam.step()).toThrow(expect.objectContaining({ code: "SW_BUFFER_READ_ONLY" }));
    expect(a.toArray()).toEqual([1, 1]);
    expect(adam.steps.toArray()).toEqual([0, 0]);
    expect(adam.state()["0.first"]?.toArray()).toEqual([0, 0]);
  });

  test.each([
    [{ learningRate: -1 }, "learningRate"],
    [{ learningRate: Number.NaN }, "learningRate"],
    [{ learningRate: 1, beta1: 1 }, "beta1"],
    [{ learningRate: 1, beta2: -0.1 }, "beta2"],
    [{ learningRate: 1, epsilon: Number.POSITIVE_INFINITY }, "epsilon"],
    [{ learningRate: 1, weightDecay: -1 }, "weightDecay"],
  ])("options that are not possible are refused: %j", (options, name) => {
    const p = parameter(zeros([1]));
    expect(() => new Adam(p, options)).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_OPTION" }));
    expect(() => new AdamW(p, options)).toThrow(new RegExp(`^AdamW: ${name} is not possible`));
  });

  test("the text of a refused option", () => {
    expect(() => new Adam(parameter(zeros([1])), { learningRate: 1, beta1: 1 })).toThrow(
      "Adam: beta1 is not possible: got 1, expected a number from 0 on and below 1.",
    );
    expect(() => new Adam(parameter(zeros([1])), { learningRate: "1" as never })).toThrow(TypeError);
  });

  test("a rate set between steps to what is none is refused before anything is changed", () => {
    const p = parameter(tensor([1]));
    const adam = new Adam(p, { learningRate: 1 });
    giveGradient(p, [1]);
    adam.learningRate = Number.NaN;
    expect(() => adam.step()).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_OPTION" }));
    expect(p.toArray()).toEqual([1]);
  });

  test("dispose returns the state and leaves the parameters", () => {
    const p = parameter(zeros([2]));
    const { live } = defaultPool().statistics();
    const adam = new Adam(p, { learningRate: 1 });
    expect(defaultPool().statistics().live).toBe(live + 3);
    adam[Symbol.dispose]();
    adam.dispose();
    expect(defaultPool().statistics().live).toBe(live);
    expect(p.toArray()).toEqual([0, 0]);
  });
});
