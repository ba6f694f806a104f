import { backward, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import {
  abs,
  clamp,
  type DType,
  elu,
  embedding,
  erf,
  floor,
  gelu,
  geluTanh,
  indexAdd,
  leakyRelu,
  logSumExp,
  max,
  maximum,
  maxPool2d,
  min,
  minimum,
  nllLoss,
  norm,
  ones,
  type PoolOptions,
  pow,
  prod,
  relu,
  remainder,
  round,
  scatter,
  scatterAdd,
  setKernels,
  sigmoid,
  sign,
  silu,
  softplus,
  sqrt,
  type Tensor,
  tanh,
  tensor,
  variance,
  where,
  zeros,
} from "@sw/tensor";
import { beforeAll, describe, expect, test } from "vitest";

// What the README says of gradients where a function has none: a line of its table, a test.

beforeAll(() => setKernels(jsKernels));

const inf = Number.POSITIVE_INFINITY;
const nan = Number.NaN;

type Fn = (...x: readonly Tensor[]) => Tensor;

/** The gradients of the sum of a function's elements, an operand's each. */
function gradients(fn: Fn, ...operands: readonly number[][]): number[][] {
  const leaves = operands.map((x) => parameter(tensor(Float64Array.from(x))) as unknown as Tensor);
  const out = fn(...leaves);
  backward(out, ones(out.shape, { dtype: "float64" }) as never);
  // -0 is 0: which of them a product with 0 gives is nobody's business.
  return leaves.map((leaf) => [...((leaf.grad as Tensor).data() as Float64Array)].map((x) => x + 0));
}

describe("at a kink, the branch of x ≤ 0", () => {
  test.each<[string, Fn, number]>([
    ["relu", (x) => relu(x as Tensor), 0],
    ["leakyRelu", (x) => leakyRelu(x as Tensor, { slope: 0.25 }), 0.25],
    ["elu", (x) => elu(x as Tensor, { alpha: 3 }), 3],
    ["abs", (x) => abs(x as Tensor), 0],
    ["sign", (x) => sign(x as Tensor), 0],
  ])("%s at 0 and -0", (_name, fn, expected) => {
    expect(gradients(fn, [0, -0])).toEqual([[expected, expected]]);
  });
  test("leakyRelu of slope 0 is relu", () => {
    const x = [-2, -0, 0, 3, inf, -inf];
    expect(gradients((a) => leakyRelu(a as Tensor, { slope: 0 }), x)).toEqual(gradients((a) => relu(a as Tensor), x));
  });
  test("norm of order 2 at the origin: 0", () => {
    expect(gradients((x) => norm(x as Tensor) as Tensor, [0, 0, 0])).toEqual([[0, 0, 0]]);
  });
});

describe("ties share evenly", () => {
  test("maximum and minimum, 0 and -0 too", () => {
    expect(gradients((a, b) => maximum(a as Tensor, b as Tensor), [1, 0, 2], [1, -0, 1])).toEqual([
      [0.5, 0.5, 1],
      [0.5, 0.5, 0],
    ]);
    expect(gradients((a, b) => minimum(a as Tensor, b as Tensor), [1, 0, 2], [1, -0, 1])).toEqual([
      [0.5, 0.5, 0],
      [0.5, 0.5, 1],
    ]);
  });
  test("with a number", () => {
    expect(gradients((a) => maximum(a as Tensor, 0), [-1, 0, 1])).toEqual([[0, 0.5, 1]]);
  });
  test("max and min", () => {
    expect(gradients((x) => max(x as Tensor), [3, 1, 3, 3])).toEqual([[1 / 3, 0, 1 / 3, 1 / 3]]);
    expect(gradients((x) => min(x as Tensor), [1, 3, 1])).toEqual([[0.5, 0, 0.5]]);
  });
  test("norm of order Infinity, with the sign of each", () => {
    const fn: Fn = (x) => norm(x as Tensor, { order: inf }) as Tensor;
    expect(gradients(fn, [-2, 1, 2])).toEqual([[-0.5, 0, 0.5]]);
    expect(gradients(fn, [0, 0])).toEqual([[0, 0]]);
  });
});

describe("a NaN that is the result has the gradient", () => {
  test("maximum and minimum", () => {
    for (const fn of [maximum, minimum]) {
      expect(gradients((a, b) => fn(a as Tensor, b as Tensor), [nan, 5, nan], [5, nan, nan])).toEqual([
        [1, 0, 0.5],
        [0, 1, 0.5],
      ]);
    }
  });
  test("max and min", () => {
    for (const fn of [max, min]) {
      expect(gradients((x) => fn(x as Tensor), [nan, 7, nan, -7])).toEqual([[0.5, 0, 0.5, 0]]);
    }
  });
  test("clamp", () => {
    expect(gradients((x) => clamp(x as Tensor, 0, 1), [nan])).toEqual([[1]]);
  });
});

describe("clamp: exactly one operand has the gradient", () => {
  const fn: Fn = (x, low, high) => clamp(x as Tensor, low as Tensor, high as Tensor);
  test("x between the limits and at them", () => {
    expect(gradients(fn, [0, 1, 2], [0, 0, 0], [2, 2, 2])).toEqual([
      [1, 1, 1],
      [0, 0, 0],
      [0, 0, 0],
    ]);
  });
  test("the limit that is passed", () => {
    expect(gradients(fn, [-1, 3], [0, 0], [2, 2])).toEqual([
      [0, 0],
      [1, 0],
      [0, 1],
    ]);
  });
  test("the upper one, where they are crossed", () => {
    expect(gradients(fn, [-1, 1, 3], [2, 2, 2], [0, 0, 0])).toEqual([
      [0, 0, 0],
      [0, 0, 0],
      [1, 1, 1],
    ]);
  });
});

describe("where: what is not taken has 0, whatever its own derivative", () => {
  test("a root of 0 that is not taken", () => {
    const taken = tensor([true, false]);
    expect(gradients((a, b) => where(taken, a as Tensor, b as Tensor), [nan, nan], [inf, 1])).toEqual([
      [1, 0],
      [0, 1],
    ]);
  });
});

describe("pow", () => {
  const fn: Fn = (a, b) => pow(a as Tensor, b as Tensor);
  test("a power of 0 is constant in the base, of 0 and NaN too", () => {
    expect(gradients(fn, [0, 5, nan, -3], [0, 0, 0, 0])[0]).toEqual([0, 0, 0, 0]);
    expect(gradients((a) => pow(a as Tensor, 0), [0, nan, inf])).toEqual([[0, 0, 0]]);
  });
  test("a base of 0: the limit, which is infinite below exponent 1", () => {
    expect(gradients(fn, [0, 0, 0], [2, 1, 0.5])[0]).toEqual([0, 1, inf]);
    expect(gradients((a) => pow(a as Tensor, 1), [0])).toEqual([[1]]);
    expect(gradients((a) => pow(a as Tensor, 0.5), [0])).toEqual([[inf]]);
  });
  test("an exponent over a base of 0: 0 from 0 on, and -Infinity below", () => {
    expect(gradients(fn, [0, 0, 0], [2, 0, -1])[1]).toEqual([0, 0, -inf]);
    expect(gradients((b) => pow(0, b as Tensor), [2, 0])).toEqual([[0, 0]]);
  });
  test("an exponent over a base below 0: NaN, as what is beside an integer is not real", () => {
    expect(gradients(fn, [-2], [2])).toEqual([[-4], [nan]]);
  });
});

describe("steps and jumps", () => {
  test("rounding is constant: zeros of the operand's shape", () => {
    for (const fn of [floor, round]) {
      const x = parameter(tensor([[0.5, 1.2, -3]]));
      backward(fn(x), ones([1, 3]));
      expect(x.grad?.toArray()).toEqual([[0, 0, 0]]);
    }
  });
  test("remainder: the divisor has minus the quotient that belongs to the remainder", () => {
    // 1 - 9 · 0.1 is 0.1 less a rounding, though 1 / 0.1 is 10.
    const fn: Fn = (a, b) => remainder(a as Tensor, b as Tensor);
    expect(gradients(fn, [1, -7, 7, 7], [0.1, 3, -3, 2])).toEqual([
      [1, 1, 1, 1],
      [-9, 3, 3, -3],
    ]);
    expect(gradients((b) => remainder(7, b as Tensor), [2])).toEqual([[-3]]);
  });
});

describe("reductions", () => {
  test("prod: of factors that are 0, one alone has the product of the others", () => {
    const fn: Fn = (x) => prod(x as Tensor) as Tensor;
    expect(gradients(fn, [2, 3, 4])).toEqual([[12, 8, 6]]);
    expect(gradients(fn, [2, 0, 4])).toEqual([[0, 8, 0]]);
    expect(gradients(fn, [2, 0, 0])).toEqual([[0, 0, 0]]);
  });
  test("logSumExp of -Infinity: none has a share", () => {
    const fn: Fn = (x) => logSumExp(x as Tensor) as Tensor;
    expect(gradients(fn, [-inf, -inf])).toEqual([[0, 0]]);
    expect(gradients(fn, [-inf, 1])).toEqual([[0, 1]]);
  });
  test("variance of one element with a correction of 1, which is NaN: NaN", () => {
    expect(gradients((x) => variance(x as Tensor, { correction: 1 }) as Tensor, [3])).toEqual([[nan]]);
  });
  test("sqrt at 0: Infinity, which it tends to", () => {
    expect(gradients((x) => sqrt(x as Tensor), [0])).toEqual([[inf]]);
  });
});

describe("far out, gradients are the limits: 0 and 1", () => {
  const rows: [string, (x: Tensor) => Tensor, number[]][] = [
    ["sigmoid", sigmoid, [0, 0]],
    ["tanh", tanh, [0, 0]],
    ["erf", erf, [0, 0]],
    ["softplus", softplus, [0, 1]],
    ["silu", silu, [0, 1]],
    ["gelu", gelu, [0, 1]],
    ["geluTanh", geluTanh, [0, 1]],
    ["elu", elu, [0, 1]],
  ];
  test.each(rows)("%s", (_name, fn, [below = 0, above = 0]) => {
    for (const [dtype, x] of [
      ["float16", 100],
      ["float16", 6e4],
      ["float32", 1e30],
      ["float64", 1e200],
    ] as const) {
      const leaf = parameter(tensor([-x, x], { dtype: dtype as DType }));
      backward(fn(leaf), ones([2], { dtype: dtype as DType }));
      expect(((leaf.grad as Tensor).toArray() as number[]).map((element) => element + 0)).toEqual([below, above]);
    }
  });
});

describe("pooling: the first of equals has all of it", () => {
  const image = (rows: readonly (readonly number[])[]): Tensor =>
    parameter(tensor([[rows]], { dtype: "float64" }) as Tensor) as unknown as Tensor;
  const given = (x: Tensor, options: PoolOptions): number[] => {
    const out = maxPool2d(x, options);
    backward(out, ones(out.shape, { dtype: "float64" }) as never);
    return [...((x.grad as Tensor).data() as Float64Array)];
  };
  test("ties, 0 and -0 among them; -Infinity alone", () => {
    expect(given(image([[1, 3, 3, 0]]), { kernel: [1, 4] })).toEqual([0, 1, 0, 0]);
    expect(given(image([[-0, 0]]), { kernel: [1, 2] })).toEqual([1, 0]);
    expect(given(image([[-inf, -inf]]), { kernel: [1, 2] })).toEqual([1, 0]);
  });
  test("the first NaN before all", () => {
    expect(given(image([[5, nan, inf, nan]]), { kernel: [1, 4] })).toEqual([0, 1, 0, 0]);
  });
  test("a pixel that is the largest of several windows has the sum", () => {
    expect(given(image([[1, 9, 1]]), { kernel: [1, 2], stride: 1 })).toEqual([0, 2, 0]);
  });
});

describe("what indices name twice, or skip", () => {
  const index = tensor([1, 1, 0, 1], { dtype: "int32" });
  test("scatter: the last has the gradient, and what it replaced has none", () => {
    const fn: Fn = (x, source) => scatter(x as Tensor, index, source as never, 0);
    expect(gradients(fn, [1, 2, 3], [4, 5, 6, 7])).toEqual([
      [0, 0, 1],
      [0, 0, 1, 1],
    ]);
  });
  test("scatterAdd and indexAdd: each", () => {
    for (const put of [scatterAdd, indexAdd]) {
      const fn: Fn = (x, source) => put(x as Tensor, index, source as never, 0);
      expect(gradients(fn, [1, 2, 3], [4, 5, 6, 7])).toEqual([
        [1, 1, 1],
        [1, 1, 1, 1],
      ]);
    }
  });
  test("embedding: a row that is skipped has 0, whatever comes to it", () => {
    const table = parameter(tensor([1, 2, 3], { dtype: "float64" }));
    backward(embedding(table, index, { skipId: 1 }), tensor([nan, inf, 5, 7], { dtype: "float64" }));
    expect(table.grad?.toArray()).toEqual([5, 0, 0]);
  });
});

describe("nllLoss of no row", () => {
  test("the mean is NaN, and its gradient zeros", () => {
    const target = tensor([3, 3], { dtype: "int32" });
    const logp = parameter(zeros([2, 4], { dtype: "float64" }));
    const loss = nllLoss(logp, target, { ignoredClass: 3 });
    expect(loss.item()).toBeNaN();
    backward(loss);
    expect(new Set(logp.grad?.data() as Float64Array)).toEqual(new Set([0]));
  });
});
