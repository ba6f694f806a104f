import { backward, enableGrad, grad, gradcheck, gradgradcheck, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { elu, exp, layerNorm, mul, norm, pow, prod, setKernels, softplus, sum, type Tensor, tensor } from "@sw/tensor";
import { defaultPool, record } from "@sw/tensor/seam";
import { beforeAll, describe, expect, test } from "vitest";
import { CHECKS } from "./checks/all.js";
import { type F64, normal } from "./forms.js";

beforeAll(() => setKernels(jsKernels));

const float64 = (values: number[]): F64 => tensor(values, { dtype: "float64" });
const elements = (t: Tensor | undefined): number[] => [...((t as Tensor).data() as Float64Array)];

/** The gradient of the sum of a function's elements, with history: differences call it under noGrad. */
function derivative(fn: (x: F64) => F64): (x: F64) => F64 {
  return (x) =>
    enableGrad(() => {
      const leaf = x.node === undefined ? parameter(x) : x;
      return grad([sum(fn(leaf))], [leaf], [], { createGraph: true })[0] as never;
    });
}

describe("the rule of every differentiable operation is differentiable, against differences of gradients", () => {
  for (const [kind, checks] of Object.entries(CHECKS)) {
    test(kind, () => {
      // Every third form of operands: rules are made of operations that are checked on all, and the long lane has them.
      for (const [fn, inputs] of checks().filter((_, i) => i % 3 === 0)) gradgradcheck(fn, inputs);
    });
  }
});

describe("second derivatives where a rule has to take care", () => {
  test("prod, with one factor of 0 and with two", () => {
    for (const factors of [
      [2, 0, 5],
      [0, 3, 0],
      [0, 0, 0],
    ])
      gradgradcheck((x) => prod(x as F64) as F64, [float64(factors)]);
    gradgradcheck((x) => prod(x as F64) as F64, [tensor(0, { dtype: "float64" })]);
    gradgradcheck((x) => prod(x as F64, { axes: [0, 2] }) as F64, [mul(normal([2, 1, 2]), float64([1, 0]))]);
    const x = parameter(float64([0, 0, 3]));
    const row = derivative((a) => prod(a) as F64)(x).select(0, 0);
    // d²/dx₀dx₁ of x₀·x₁·x₂ is x₂, with x₀ and x₁ both 0.
    expect(elements(grad([row], [x])[0])).toEqual([0, 3, 0]);
  });
  test("norm away from the origin and at it", () => {
    gradgradcheck((x) => norm(x as F64) as F64, [float64([3, -4, 0])]);
    const x = parameter(float64([0, 0]));
    const first = derivative((a) => norm(a) as F64)(x);
    expect(elements(first)).toEqual([0, 0]);
    expect(elements(grad([sum(first)], [x])[0])).toEqual([0, 0]);
  });
  test("pow at the base 0 and the exponent 0", () => {
    const base = parameter(float64([0, 0, 0]));
    const second = derivative(derivative((a) => pow(a, float64([2, 1, 0]) as F64) as F64));
    expect(elements(second(base))).toEqual([2, 0, 0]);
    // d²/da db of a^b at b = 0 is 1 / a.
    const [a, b] = [parameter(float64([4])), parameter(float64([0]))];
    const [byA] = grad([pow(a, b)], [a], [], { createGraph: true });
    expect(elements(grad([byA as Tensor], [b])[0])).toEqual([0.25]);
  });
  test("elu where exp(x) is infinite", () => {
    const x = parameter(tensor([100, 1000, -1]));
    const first = grad([sum(elu(x))], [x], [], { createGraph: true })[0] as Tensor;
    expect([...((grad([sum(first)], [x])[0] as Tensor).data() as Float32Array)].slice(0, 2)).toEqual([0, 0]);
  });
  test("layerNorm: the mixed derivative by weight and operand, and the third by the operand", () => {
    const x = parameter(normal([2, 3]));
    const weight = parameter(normal([3]));
    const [byWeight] = grad([layerNorm(x, [3], { weight })], [weight], [normal([2, 3])], { createGraph: true });
    // Only the weight was asked for; what is normalised is a function of the operand all the same.
    expect(elements(grad([sum(byWeight as Tensor)], [x])[0]).some((element) => element !== 0)).toBe(true);
    const second = derivative(derivative((a) => mul(layerNorm(a, [4], { epsilon: 0.1 }), a) as F64));
    gradcheck((a) => second(a as F64), [normal([2, 4])]);
  });
  test("the third derivative of x⁵, and of softplus", () => {
    const third = (fn: (x: F64) => F64): ((x: F64) => F64) => derivative(derivative(derivative(fn)));
    expect(elements(third((x) => pow(x, 5))(parameter(float64([1, 2]))))).toEqual([60, 240]);
    gradcheck((x) => third((a) => softplus(a))(x as F64), [normal([3])]);
  });
});

describe("gradgradcheck", () => {
  test("catches a rule that is right and whose own history is wrong", () => {
    const wrong = (x: F64): F64 => {
      const y = exp(x);
      const rule = (_r: unknown, g: Tensor): Tensor[] => [mul(g, tensor(y.data(), { shape: y.shape }) as Tensor)];
      return record(tensor(y.data(), { shape: y.shape }), { kind: "wrong", inputs: [x], rule });
    };
    const x = normal([2]);
    gradcheck((a) => wrong(a as F64), [x]);
    expect(() => gradgradcheck((a) => wrong(a as F64), [x])).toThrow(
      expect.objectContaining({
        code: "SW_AUTOGRAD_GRADCHECK",
        message: expect.stringContaining("gradgradcheck: the gradient of input 0 is wrong at element 0"),
      }),
    );
  });
  test("compares inputs and cotangents, of a linear function too", () => {
    expect(gradgradcheck((a) => mul(a as F64, 2), [normal([2, 3])]).compared).toBe(12);
  });
  test("counts an input that no output depends on as one with gradients of 0", () => {
    expect(gradgradcheck((a) => exp(a as F64), [normal([2]), normal([3])]).compared).toBe(7);
  });
  test("returns all the memory that it took", () => {
    const x = normal([3]);
    const { live } = defaultPool().statistics();
    gradgradcheck((a) => exp(mul(a as F64, 2)), [x]);
    expect(() => gradgradcheck(() => x.select(0, 9), [x])).toThrow(RangeError);
    expect(defaultPool().statistics().live).toBe(live);
  });
  test("wants float64", () => {
    expect(() => gradgradcheck((a) => a as F64, [tensor([1]) as never])).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_DTYPE" }),
    );
  });
  test("leaves no gradients behind", () => {
    const x = parameter(normal([2]));
    gradgradcheck((a) => exp(a as F64), [x]);
    expect(x.grad).toBeUndefined();
    backward(sum(x));
    expect(elements(x.grad)).toEqual([1, 1]);
  });
});
