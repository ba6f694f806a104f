import {
  backward,
  type GradientsOf,
  grad,
  hvp,
  jacobian,
  noGrad,
  parameter,
  requiresGrad,
  valueAndGrad,
  vjp,
} from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { layout } from "@sw/layout";
import { add, exp, fromBuffer, matmul, mul, randn, setKernels, sub, sum, type Tensor, tensor, zeros } from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import { beforeEach, describe, expect, expectTypeOf, test } from "vitest";

beforeEach(() => setKernels(jsKernels));

type F64 = Tensor<"float64">;
const f64 = (values: number[]): F64 => tensor(values, { dtype: "float64" });
const total = (t: Tensor): F64 => sum(t) as F64;
const square = (t: F64): F64 => mul(t, t) as F64;
const numbers = (t: Tensor | undefined): number[] => [...((t as Tensor).data() as Float64Array)];
/** (1 − x)² + 100 (y − x²)². */
const rosenbrock = (p: F64): F64 => {
  const [x, y] = [p.select(0, 0), p.select(0, 1)] as [F64, F64];
  return add(square(sub(1, x) as F64), mul(100, square(sub(y, square(x)) as F64))) as F64;
};

describe("valueAndGrad", () => {
  const model = {
    layers: [{ w: f64([1, 2]), b: f64([3, 4]) }],
    scale: f64([2, 2]),
  };
  const loss = (p: typeof model, x: F64): F64 => {
    const [layer] = p.layers as [{ w: F64; b: F64 }];
    return total(mul(p.scale, add(mul(layer.w, x), layer.b)));
  };
  test("gives a tree of the parameters' shape, by the first argument only", () => {
    const { value, gradients } = valueAndGrad(loss)(model, f64([5, 6]));
    expect(value.item()).toBe(2 * 8 + 2 * 16);
    expect(requiresGrad(value)).toBe(false);
    expect(numbers(gradients.layers[0]?.w)).toEqual([10, 12]);
    expect(numbers(gradients.layers[0]?.b)).toEqual([2, 2]);
    expect(numbers(gradients.scale)).toEqual([8, 16]);
    expectTypeOf(gradients).toEqualTypeOf<GradientsOf<typeof model>>();
    expectTypeOf(gradients.scale).toEqualTypeOf<F64>();
  });
  test("touches no .grad, and records under noGrad too", () => {
    const w = parameter(f64([3]));
    const { gradients } = noGrad(() => valueAndGrad((p: { w: F64 }) => total(square(p.w)))({ w }) as never) as {
      gradients: { w: F64 };
    };
    expect(numbers(gradients.w)).toEqual([6]);
    expect(w.grad).toBeUndefined();
  });
  test("a tensor in two places is one leaf, also by two handles", () => {
    const w = parameter(f64([3]));
    const tied = valueAndGrad((p: { a: F64; b: F64; c: F64 }) => total(mul(mul(p.a, p.b), p.c)));
    const { gradients } = tied({ a: w, b: w, c: f64([5]) });
    expect(numbers(gradients.a)).toEqual([30]);
    expect(gradients.b).toBe(gradients.a);
    expect(numbers(gradients.c)).toEqual([9]);
  });
  test("what the value does not depend on has zeros; where that is all, it is refused", () => {
    const partial = valueAndGrad((p: { a: F64; b: F64 }) => total(p.a));
    expect(numbers(partial({ a: f64([1]), b: f64([1, 2]) }).gradients.b)).toEqual([0, 0]);
    const held = parameter(f64([1]));
    for (const wrong of [() => total(held), () => total(f64([1]))]) {
      expect(() => valueAndGrad(wrong as (p: F64) => F64)(held)).toThrow(
        expect.objectContaining({ code: "SW_AUTOGRAD_NO_GRAPH", message: expect.stringContaining("first argument") }),
      );
    }
  });
  test("a strict parameter's gradient has its layout", () => {
    const memory = f64([0, 1, 2, 3]);
    const w = parameter(fromBuffer("float64", memory.buffer, layout([2], [-2]), 3), { cotangent: "layout" });
    expect(valueAndGrad((p: F64) => total(square(p)))(w).gradients.layout.toString()).toBe("(2):(-2)");
  });
  test("a value of several elements, of no tensor, and parameters that are none are refused", () => {
    expect(() => valueAndGrad((p: F64) => square(p))(f64([1, 2]))).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_COTANGENT_MISSING" }),
    );
    expect(() => valueAndGrad((() => 3) as never)(f64([1]) as never)).toThrow(TypeError);
    expect(() => valueAndGrad((p: Tensor) => p)(tensor([1], { dtype: "int32" }))).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_DTYPE" }),
    );
    expect(() => valueAndGrad((async () => f64([1])) as never)(f64([1]) as never)).toThrow(
      expect.objectContaining({ code: "SW_TENSOR_SCOPE_PROMISE" }),
    );
  });
});

describe("vjp", () => {
  test("pulls any number of cotangents back", () => {
    const [a, b] = [f64([1, 2]), f64([3, 4])];
    const { output, pull } = vjp((x: F64, y: F64) => mul(x, y), a, b);
    expect(numbers(output)).toEqual([3, 8]);
    expect(requiresGrad(output)).toBe(false);
    for (const [g, da, db] of [
      [
        [1, 0],
        [3, 0],
        [1, 0],
      ],
      [
        [0, 2],
        [0, 8],
        [0, 4],
      ],
    ] as const) {
      expect(pull(f64([...g])).map(numbers)).toEqual([da, db]);
    }
  });
  test("zeros where the output does not depend on an input; 1 is the cotangent of one element", () => {
    const { pull } = vjp((x: F64, _y: F64) => total(x), f64([1, 2]), f64([5]));
    expect(pull().map(numbers)).toEqual([[1, 1], [0]]);
    const constant = vjp((_x: F64) => f64([7]), f64([1, 2]));
    expect(constant.pull().map(numbers)).toEqual([[0, 0]]);
    expect(() => constant.pull(f64([1, 2]))).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_COTANGENT" }));
  });
  test("after dispose it is refused, and what the history owned is returned", () => {
    const pulled = vjp((x: F64) => exp(x), f64([0]));
    pulled.dispose();
    pulled[Symbol.dispose]();
    expect(() => pulled.pull(f64([1]))).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_RELEASED" }));
    const same = vjp((x: F64) => x, f64([0]));
    same.dispose();
    expect(() => same.pull()).toThrow(expect.objectContaining({ name: "GraphReleasedError" }));
  });
  test("a diamond of depth 60, in as many steps", () => {
    const fn = (x: Tensor): Tensor => {
      let y = x;
      for (let i = 0; i < 60; i++) y = mul(add(y, y), 0.5);
      return y;
    };
    using pulled = vjp(fn, tensor([3]));
    expect(pulled.pull(tensor([2]))[0]?.toArray()).toEqual([2]);
  });
  test("a chain of 100,000 operations", () => {
    const chain = (x: F64): F64 => {
      let y = x;
      for (let i = 0; i < 100_000; i++) y = y.flip(0) as F64;
      return y;
    };
    expect(numbers(vjp(chain, f64([1, 2])).pull(f64([3, 4]))[0])).toEqual([3, 4]);
  });
});

describe("jacobian", () => {
  test("of a linear map it is the matrix", () => {
    const a = randn([3, 4], { seed: 1, dtype: "float64" });
    expect(numbers(jacobian((x: F64) => matmul(a, x.unsqueeze(1)).squeeze(1) as F64, f64([1, 2, 3, 4])))).toEqual(
      numbers(a),
    );
  });
  test("has the axes of the output, then those of the input, whatever their layouts", () => {
    const x = tensor(
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
      { dtype: "float64" },
    ).T as F64;
    const j = jacobian((t: F64) => square(t).T as F64, x);
    expect(j.shape).toEqual([2, 3, 3, 2]);
    j.toArray();
    for (let i = 0; i < 2; i++) {
      for (let k = 0; k < 3; k++) expect(j.at(i, k, k, i)).toBe(2 * (x.at(k, i) as number));
    }
    expect(numbers(j).filter((v) => v !== 0).length).toBe(6);
  });
  test("of a gradient it is symmetric, and the Hessian of Rosenbrock's function", () => {
    const gradient = (p: F64): F64 => grad([rosenbrock(p)], [p], [], { createGraph: true })[0] as F64;
    const [x, y] = [-0.5, 0.75];
    expect(jacobian(gradient, f64([x, y])).toArray()).toEqual([
      [2 - 400 * (y - x * x) + 800 * x * x, -400 * x],
      [-400 * x, 200],
    ]);
  });
  test("of nothing, of a constant, and of one element", () => {
    expect(jacobian((x: F64) => x.slice(0, 0, 0) as F64, f64([1, 2])).shape).toEqual([0, 2]);
    expect(jacobian(() => f64([7, 8]), f64([1])).toArray()).toEqual([[0], [0]]);
    expect(jacobian(total, f64([1, 2])).toArray()).toEqual([1, 1]);
  });
  test("of ranks beyond 8 together it is refused; all memory but the result is returned", () => {
    const { live } = defaultPool().statistics();
    const x = zeros([1, 1, 1, 1, 1], { dtype: "float64" });
    expect(() => jacobian(square, x)).toThrow(expect.objectContaining({ code: "SW_TENSOR_SHAPE_LIMIT" }));
    x.dispose();
    expect(defaultPool().statistics().live).toBe(live);
    const p = f64([1, 2]);
    const j = jacobian((t: F64) => exp(square(t)) as F64, p);
    expect(defaultPool().statistics().live).toBe(live + 2);
    j.dispose();
    p.dispose();
  });
});

describe("hvp", () => {
  test("of Rosenbrock's function, against the formula", () => {
    const [x, y, u, v] = [-0.5, 0.75, 3, 2];
    const { value, gradient, product } = hvp(rosenbrock, f64([x, y]), f64([u, v]));
    expect(value.item()).toBe((1 - x) ** 2 + 100 * (y - x * x) ** 2);
    expect(numbers(gradient)).toEqual([-2 * (1 - x) - 400 * x * (y - x * x), 200 * (y - x * x)]);
    expect(numbers(product)).toEqual([(2 - 400 * (y - x * x) + 800 * x * x) * u - 400 * x * v, -400 * x * u + 200 * v]);
    expect([value, gradient, product].some(requiresGrad)).toBe(false);
  });
  test("zeros where the function is linear, or constant", () => {
    const [x, v] = [f64([1, 2]), f64([3, 4])];
    const linear = hvp((t: F64) => total(mul(t, 5)), x, v);
    expect([linear.gradient, linear.product].map(numbers)).toEqual([
      [5, 5],
      [0, 0],
    ]);
    const constant = hvp(() => total(f64([7])), x, v);
    expect([constant.value, constant.gradient, constant.product].map(numbers)).toEqual([[7], [0, 0], [0, 0]]);
    const half = hvp((t: F64) => total(square(t.slice(0, 0, 1) as F64)), x, v);
    expect(numbers(half.product)).toEqual([6, 0]);
  });
  test("also under noGrad, and in a function that records inside", () => {
    const run = () => hvp(rosenbrock, f64([1, 1]), f64([1, 0])).product;
    expect(numbers(noGrad(() => run() as never) as F64)).toEqual(numbers(run()));
  });
  test("returns all memory but its results, also where it throws", () => {
    const [x, v, single] = [f64([1, 2]), f64([3, 4]), tensor([1, 2])];
    const { live } = defaultPool().statistics();
    const { value, gradient, product } = hvp(rosenbrock, x, v);
    expect(defaultPool().statistics().live).toBe(live + 3);
    for (const t of [value, gradient, product]) t.dispose();
    expect(() => hvp(square, x, v)).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_COTANGENT_MISSING" }));
    expect(() => hvp(() => x, x, v)).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_COTANGENT_MISSING" }));
    expect(() => hvp(rosenbrock, x, single as never)).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_COTANGENT" }),
    );
    expect(defaultPool().statistics().live).toBe(live);
  });
  test("leaves the .grad of what the function closes over as it was", () => {
    const w = parameter(f64([2, 3]));
    const { product } = hvp((t: F64) => total(mul(w, square(t))), f64([1, 1]), f64([1, 1]));
    expect(numbers(product)).toEqual([4, 6]);
    expect(w.grad).toBeUndefined();
    backward(total(square(w)));
    expect(numbers(w.grad)).toEqual([4, 6]);
  });
  test("and the history of what the function closes over", () => {
    const w = parameter(f64([2, 3]));
    const scale = exp(w) as F64;
    const fn = (t: F64): F64 => total(mul(scale, square(t)));
    hvp(fn, f64([1, 1]), f64([1, 1]));
    jacobian(fn, f64([1, 1]));
    backward(total(scale));
    expect(numbers(w.grad)).toEqual(numbers(exp(f64([2, 3]))));
  });
});
