import { backward, parameter } from "@sw/autograd";
import type { BufferPool } from "@sw/buffer";
import { jsKernels } from "@sw/kernels-js";
import { add, cast, div, matmul, mul, setKernels, sum, type Tensor, tensor } from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import { beforeEach, describe, expect, test } from "vitest";

beforeEach(() => setKernels(jsKernels));

const live = (): number => (defaultPool() as BufferPool).statistics().live;

describe("gradients through operands of two dtypes", () => {
  const integers = tensor([3, 5], { dtype: "int32" });
  const wide = tensor([0.5, 0.25], { dtype: "float64" });
  const half = tensor([2, 4], { dtype: "float16" });

  const rows: readonly (readonly [name: string, f: (w: Tensor) => Tensor, gradient: readonly number[]])[] = [
    ["add int32", (w) => add(w, integers), [1, 1]],
    ["mul int32", (w) => mul(w, integers), [3, 5]],
    ["mul float64", (w) => mul(wide, w), [0.5, 0.25]],
    ["div float16", (w) => div(w, half), [0.5, 0.25]],
    ["div of int32", (w) => div(integers, w), [-3, -1.25]],
    ["matmul float64", (w) => matmul(w, wide), [0.5, 0.25]],
    ["matmul of float16", (w) => matmul(half.unsqueeze(0), w.unsqueeze(1)), [2, 4]],
  ];

  test.each(rows)("%s: the gradient has the parameter's dtype", (_, f, gradient) => {
    const w = parameter(tensor([1, 2]));
    backward(sum(f(w)));
    expect([w.grad!.dtype, w.grad!.toArray()]).toEqual(["float32", gradient]);
  });

  test("both operands may want a gradient, each in its own dtype", () => {
    const a = parameter(tensor([1, 2]));
    const b = parameter(tensor([3, 4], { dtype: "bfloat16" }));
    const c = parameter(tensor([5, 6], { dtype: "float16" }));
    backward(sum(mul(mul(a, b), c)));
    expect([a.grad!.dtype, b.grad!.dtype, c.grad!.dtype]).toEqual(["float32", "bfloat16", "float16"]);
    expect([a, b, c].map((t) => t.grad!.toArray())).toEqual([
      [15, 24],
      [5, 12],
      [3, 8],
    ]);
  });

  test("field case 15: gradients of 16-bit tensors add up where a value is used or repeated", () => {
    for (const dtype of ["float16", "bfloat16"] as const) {
      const row = parameter(tensor([1, 2], { dtype }));
      const x = tensor([0.5, 1, 1.5, 2, 2.5, 3], { dtype, shape: [3, 2] });
      backward(sum(mul(add(x, row), row.expand([3, 2]))));
      expect([row.grad!.dtype, row.grad!.toArray()]).toEqual([dtype, [10.5, 18]]);
      const w = parameter(tensor([1, 0, 0, 2], { dtype, shape: [2, 2] }));
      backward(sum(matmul(x, w)));
      expect(w.grad!.toArray()).toEqual([
        [4.5, 4.5],
        [6, 6],
      ]);
    }
  });

  test("field case 10: backward returns the copies that a record saved", () => {
    const w = parameter(tensor([1, 2]));
    const steps = (): void => {
      const y = mul(w, integers);
      const z = div(y, half);
      const loss = sum(z);
      backward(loss);
      for (const t of [y, z, loss]) t.dispose();
    };
    steps();
    const before = live();
    for (let i = 0; i < 5; i++) steps();
    expect(live()).toBe(before);
  });

  test("an operand that a rule would promote is a fault of the rule, and said so", () => {
    const w = parameter(tensor([1, 2]));
    const y = mul(w, w);
    (y.node!.record as { rule: unknown }).rule = (_: unknown, g: Tensor) => [cast(g, "float64"), cast(g, "float64")];
    expect(() => backward(sum(y))).toThrow(expect.objectContaining({ code: "SW_AUTOGRAD_SHAPE" }));
    expect(w.grad).toBeUndefined();
  });
});
