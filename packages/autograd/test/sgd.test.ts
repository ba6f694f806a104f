import { backward, parameter, parametersOf, Sgd } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import {
  add,
  createArena,
  logSoftmax,
  matmul,
  mul,
  nllLoss,
  randn,
  relu,
  setKernels,
  sum,
  type Tensor,
  tensor,
  withArena,
  zeros,
} from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import { beforeEach, describe, expect, test } from "vitest";

beforeEach(() => setKernels(jsKernels));

const gradientOf = (p: Tensor): void => backward(sum(mul(p, tensor([1, -2]))) as Tensor);

describe("Sgd", () => {
  test("without momentum: p - learningRate * g", () => {
    const p = parameter(tensor([10, 20]));
    const sgd = new Sgd(p, { learningRate: 0.5 });
    gradientOf(p);
    sgd.step();
    expect(p.toArray()).toEqual([9.5, 21]);
    expect(sgd.velocities).toEqual([]);
  });
  test("momentum adds up: v = m*v + g", () => {
    const p = parameter(tensor([0, 0]));
    const sgd = new Sgd({ a: [p] }, { learningRate: 1, momentum: 0.5 });
    for (const expected of [
      [-1, 2],
      [-2.5, 5],
      [-4.25, 8.5],
    ]) {
      sgd.zeroGrad();
      gradientOf(p);
      sgd.step();
      expect(p.toArray()).toEqual(expected);
    }
  });
  test("Nesterov's form and weight decay", () => {
    const p = parameter(tensor([4, 4]));
    const sgd = new Sgd(p, { learningRate: 1, momentum: 0.5, weightDecay: 0.25, nesterov: true });
    gradientOf(p);
    sgd.step();
    // g = [1,-2] + 0.25*4 = [2,-1]; v = g; p -= g + 0.5*v.
    expect(p.toArray()).toEqual([1, 5.5]);
  });
  test.each([
    { learningRate: 0.1 },
    { learningRate: 0.1, momentum: 0.9 },
    { learningRate: 0.1, momentum: 0.9, weightDecay: 0.3 },
    { learningRate: 0.1, momentum: 0.9, weightDecay: 0.3, nesterov: true },
  ])("five steps are those of the definition, also where one has no gradient: %o", (options) => {
    const { learningRate, momentum = 0, weightDecay = 0, nesterov = false } = options;
    const steps = [[1, -2], [0.5, 3], undefined, [0, 1e-4], [-7, 2]];
    const p = parameter(tensor([10, -20], { dtype: "float64" }));
    using sgd = new Sgd({ p }, options);
    for (const gradient of steps) {
      sgd.zeroGrad();
      if (gradient !== undefined) backward(p, tensor(gradient, { dtype: "float64" }));
      sgd.step();
    }
    [10, -20].forEach((start, i) => {
      let [expected, velocity] = [start, 0];
      for (const gradient of steps) {
        if (gradient === undefined) continue;
        const d = (gradient[i] as number) + weightDecay * expected;
        velocity = momentum * velocity + d;
        expected -= learningRate * (nesterov ? d + momentum * velocity : velocity);
      }
      expect(Math.abs((p.at(i) as number) - expected)).toBeLessThan(4e-15 * Math.abs(expected));
    });
  });
  test("a parameter without a gradient stays; the rate may change between steps", () => {
    const p = parameter(tensor([1, 1]));
    const sgd = new Sgd([p, parameter(tensor([5]))], { learningRate: 1 });
    sgd.step();
    sgd.learningRate = 2;
    gradientOf(p);
    sgd.step();
    expect(sgd.parameters.map((t) => t.toArray())).toEqual([[-1, 5], [5]]);
  });
  test("a step counts as one write, which a pending backward notices", () => {
    const p = parameter(tensor([1, 2]));
    const pending = sum(mul(p, p)) as Tensor;
    const sgd = new Sgd(p, { learningRate: 0.1 });
    gradientOf(p);
    const { version } = p.buffer;
    sgd.step();
    expect(p.buffer.version).toBe(version + 1);
    expect(() => backward(pending)).toThrow(expect.objectContaining({ code: "SW_TENSOR_VERSION" }));
  });
  test("a tensor that stands in two places (tied weights) is stepped once", () => {
    const p = parameter(tensor([1, 1]));
    gradientOf(p);
    new Sgd({ a: p, b: { again: p } }, { learningRate: 0.25 }).step();
    expect(p.toArray()).toEqual([0.75, 1.5]);
  });
  test("field case 5: a parameter whose elements share memory is refused", () => {
    const p = parameter(tensor([1]).expand([4]));
    expect(() => new Sgd(p, { learningRate: 1 })).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_OVERLAP" }));
  });
  test("a step updates all parameters or none", () => {
    const make = () => {
      const [a, b] = [parameter(tensor([1, 1])), parameter(tensor([1, 1]))];
      gradientOf(a);
      gradientOf(b);
      return { a, b, sgd: new Sgd([a, b], { learningRate: 1, momentum: 0.5 }) };
    };
    const stale = make();
    stale.b.grad?.dispose();
    const other = tensor([10, 20]);
    expect(() => stale.sgd.step()).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
    const disposed = make();
    disposed.b.dispose();
    expect(() => disposed.sgd.step()).toThrow(expect.objectContaining({ code: "SW_BUFFER_STALE" }));
    const locked = make();
    locked.b.buffer.readOnly = true;
    expect(() => locked.sgd.step()).toThrow(expect.objectContaining({ code: "SW_BUFFER_READ_ONLY" }));
    for (const { a } of [stale, disposed, locked]) expect(a.toArray()).toEqual([1, 1]);
    expect(other.toArray()).toEqual([10, 20]);
  });
  test("state that cannot be allocated leaves nothing behind", () => {
    const arena = createArena();
    const p = parameter(zeros([2]));
    const q = withArena(arena, () => parameter(zeros([2])));
    arena.dispose();
    const { live } = defaultPool().statistics();
    expect(() => new Sgd([p, q], { learningRate: 1, momentum: 0.9 })).toThrow();
    expect(defaultPool().statistics().live).toBe(live);
  });
  test("wrong options and tensors that are no parameters are refused", () => {
    const p = parameter(tensor([1]));
    for (const learningRate of [-1, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => new Sgd(p, { learningRate })).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_OPTION" }));
    }
    expect(() => new Sgd(p, { learningRate: 1, momentum: -0.5 })).toThrow(/momentum/);
    expect(() => new Sgd(p, { learningRate: "0.1" as never })).toThrow(TypeError);
    expect(() => new Sgd([p, tensor([1])], { learningRate: 1 })).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_NO_GRAPH", given: 1 }),
    );
  });
  test("dispose returns the state and leaves the parameters", () => {
    const { live } = defaultPool().statistics();
    const p = parameter(zeros([2]));
    const sgd = new Sgd(p, { learningRate: 1, momentum: 0.9 });
    expect(defaultPool().statistics().live).toBe(live + 2);
    sgd[Symbol.dispose]();
    sgd.dispose();
    expect(defaultPool().statistics().live).toBe(live + 1);
    expect(p.toArray()).toEqual([0, 0]);
  });
});

test("parametersOf lists a tree in the order of its keys", () => {
  const [a, b, c] = [zeros([1]), zeros([2]), zeros([3])];
  expect(parametersOf({ first: a, rest: [b, { deep: c }] })).toEqual([a, b, c]);
});

test("what is no tensor, list or plain object in a tree is refused with its path", () => {
  const w = zeros([1]);
  for (const tree of [
    { w, name: "relu" },
    { w, b: undefined },
    { w: 5 },
    new Map([["w", w]]),
    { deep: [w, new Float32Array(2)] },
  ]) {
    expect(() => parametersOf(tree as never)).toThrow(TypeError);
  }
  expect(() => parametersOf({ w, deep: [{ name: "relu" }] } as never)).toThrow(/parameters\.deep\.0\.name/);
  const cyclic: { [name: string]: unknown } = { w };
  cyclic["self"] = cyclic;
  expect(() => parametersOf(cyclic as never)).toThrow(/cycle/);
});

test("after the first step, a training step in an arena allocates no new buffer", () => {
  const pool = defaultPool();
  const model = {
    w1: parameter(mul(randn([8, 16], { seed: 1 }), 0.1)),
    b1: parameter(zeros([16])),
    w2: parameter(mul(randn([16, 4], { seed: 2 }), 0.1)),
    b2: parameter(zeros([4])),
  };
  const sgd = new Sgd(model, { learningRate: 0.1, momentum: 0.9 });
  const x = randn([32, 8], { seed: 3 });
  const y = tensor(
    Array.from({ length: 32 }, (_, i) => i % 4),
    { dtype: "int32" },
  );
  const arena = createArena();
  const step = (): number => {
    const loss = withArena(arena, () => {
      sgd.zeroGrad();
      const hidden = relu(add(matmul(x, model.w1), model.b1));
      const out = nllLoss(logSoftmax(add(matmul(hidden, model.w2), model.b2), 1), y);
      backward(out);
      sgd.step();
      return out.item();
    });
    arena.reset();
    return loss;
  };
  const first = step();
  const before = { ...pool.statistics() };
  const chunksBefore = arena.statistics().chunks;
  let last = first;
  for (let i = 0; i < 20; i++) last = step();
  const after = pool.statistics();
  expect(after.created).toBe(before.created);
  expect(after.misses).toBe(before.misses);
  expect(after.live).toBe(before.live);
  expect(arena.statistics().chunks).toBe(chunksBefore);
  expect(last).toBeLessThan(first);
  arena.dispose();
});
