import { backward, type CheckedFunction, fuse, grad, gradcheck, gradgradcheck, noGrad, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { add, div, exp, explain, matmul, mul, relu, setKernels, sub, sum, type Tensor, tanh, tensor } from "@sw/tensor";
import { beforeAll, describe, expect, test } from "vitest";

beforeAll(() => setKernels(jsKernels));

const chain = (a: Tensor, b: Tensor, c: Tensor): Tensor => relu(add(mul(a, b), c));
const ramp = (...shape: number[]): Tensor<"float64"> =>
  tensor(
    Array.from({ length: shape.reduce((x, y) => x * y, 1) }, (_, i) => ((i * 37) % 23) / 8 - 1.3),
    { shape, dtype: "float64" },
  );

/** As the checks have functions: of float64. */
const of64 = (fn: (a: Tensor, b: Tensor) => Tensor): CheckedFunction => fn as unknown as CheckedFunction;

/** The kernels that a call of backward runs. */
const kernelsOf = (run: () => void): string[] => explain(() => run() as never).calls.map(({ kernel }) => kernel);

describe("fuse with gradients", () => {
  test("forward and backward are a program each, and the gradients are those of the function", () => {
    const fused = fuse(chain);
    const inputs = [ramp(3, 4), ramp(3, 4), ramp(3, 4)];
    for (const taking of [[0], [1], [2], [0, 1], [0, 1, 2]]) {
      const leaves = (): Tensor[] => inputs.map((t, k) => (taking.includes(k) ? parameter(t) : t));
      const plain = leaves() as [Tensor, Tensor, Tensor];
      backward(sum(chain(...plain)));
      for (let turn = 0; turn < 2; turn++) {
        const mine = leaves() as [Tensor, Tensor, Tensor];
        const out = fused(...mine);
        expect(fused.fallback).toBeUndefined();
        expect(out.toArray()).toEqual(chain(...plain).toArray());
        const ran = kernelsOf(() => backward(sum(out)));
        expect(ran.filter((kernel) => kernel === "program").length).toBe(1);
        if (turn === 1) expect(ran).not.toContain("reluBackward");
        for (const [k, leaf] of mine.entries()) expect(leaf.grad?.toArray()).toEqual(plain[k]?.grad?.toArray());
      }
    }
  });

  test("gradcheck and gradgradcheck of chains, with one argument twice and with broadcasting", () => {
    const smooth = fuse((a: Tensor, b: Tensor) => div(tanh(mul(a, b)), add(exp(a), 1)));
    gradcheck(of64(smooth), [ramp(2, 3), ramp(2, 3)]);
    gradcheck(of64(smooth), [ramp(2, 3), ramp(3)]);
    gradcheck(of64(smooth), [ramp(3), ramp(2, 1)]);
    gradgradcheck(of64(smooth), [ramp(2, 3), ramp(2, 3)]);
    gradgradcheck(of64(smooth), [ramp(2, 3), ramp(3)]);
    const x = parameter(ramp(4));
    const square = fuse((a: Tensor, b: Tensor) => mul(a, b));
    const [twice] = grad([sum(square(x, x))], [x]);
    expect(twice?.toArray()).toEqual(mul(x, 2).toArray());
  });

  test("a reduction at the end", () => {
    const dot = fuse((a: Tensor, b: Tensor) => sum(mul(a, b)));
    gradcheck(of64(dot), [ramp(2, 3), ramp(2, 3)]);
    const a = parameter(ramp(2, 3));
    backward(dot(a, ramp(2, 3)));
    expect(dot.fallback).toBeUndefined();
    expect(a.grad?.toArray()).toEqual(ramp(2, 3).toArray());
  });

  test("what is no program is recorded as it is, and says so", () => {
    const product = fuse((a: Tensor, b: Tensor) => relu(matmul(a, b)));
    const a = parameter(ramp(3, 3));
    const out = product(a, ramp(3, 3));
    expect(product.fallback).toMatch(/matmul/);
    expect(out.node?.record?.kind).toBe("relu");
    gradcheck(of64(product), [ramp(3, 3), ramp(3, 3)]);
    const any = fuse((...all: readonly Tensor[]) => add(all[0] as Tensor, all[1] as Tensor));
    expect(any(a, a).node?.record?.kind).toBe("add");
    expect(any.fallback).toMatch(/more or fewer arguments/);
  });

  test("without recording it is the program alone", () => {
    const fused = fuse(chain);
    const [a, b] = [parameter(ramp(3)), ramp(3)];
    const out = noGrad(() => fused(a, b, b));
    expect(out.node).toBeUndefined();
    expect(fused.fallback).toBeUndefined();
    expect(fused(b, b, b).node).toBeUndefined();
  });

  test("an argument that changed after the call is noticed by backward", () => {
    const fused = fuse((x: Tensor, y: Tensor) => mul(x, y));
    const [a, b] = [parameter(ramp(3)), ramp(3)];
    const out = sum(fused(a, b));
    b.fill(7);
    expect(() => backward(out)).toThrow(expect.objectContaining({ code: "SW_TENSOR_VERSION" }));
  });

  test("wrong arguments", () => {
    expect(() => fuse(3 as never)).toThrow(TypeError);
    expect(() => fuse(chain)(ramp(3), 2 as never, ramp(3))).toThrow("argument 1 is no tensor: got 2");
    expect(() => fuse((a: Tensor, b: Tensor) => sub(a, b))(parameter(ramp(3)), ramp(4))).toThrow();
  });
});
