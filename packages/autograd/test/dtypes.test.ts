import { backward, grad, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import {
  cast,
  concat,
  type DType,
  full,
  logSumExp,
  max,
  mean,
  mseLoss,
  norm,
  ones,
  setKernels,
  type Tensor,
  tensor,
  variance,
} from "@sw/tensor";
import { beforeAll, describe, expect, test } from "vitest";
import { CHECKS } from "./checks/all.js";
import type { Check, F64 } from "./forms.js";

beforeAll(() => setKernels(jsKernels));

const values = (t: Tensor | undefined): Float64Array => cast(t as Tensor, "float64").data() as Float64Array;

/** The gradients of the sum of a function's elements at operands of a dtype. */
function gradients(fn: (...x: readonly F64[]) => Tensor, operands: readonly Tensor[]): (Tensor | undefined)[] {
  const leaves = operands.map((x) => parameter(x));
  const out = fn(...(leaves as unknown as F64[]));
  backward(out, ones(out.shape, { dtype: out.dtype }));
  return leaves.map(({ grad }) => grad);
}

/** The distance of 1 to the next number. */
const EPSILON = { float32: 2 ** -23, float16: 2 ** -10, bfloat16: 2 ** -7 } as const;

describe.each(Object.entries(EPSILON))("gradients in %s are those of float64, rounded", (dtype, epsilon) => {
  // The check of reluBackward has an operand of float64 beside, and it promotes nothing; views are strict of layouts.
  const kinds = Object.entries(CHECKS).filter(([kind]) => kind !== "reluBackward" && kind !== "views");
  test.each(kinds)("%s", (_kind, make) => {
    const [fn, inputs] = make()[0] as Check;
    const operands = inputs.map((x) => cast(x, dtype as DType));
    const expected = gradients(
      fn,
      operands.map((x) => cast(x, "float64")),
    );
    gradients(fn, operands).forEach((given, i) => {
      expect(given?.dtype).toBe(dtype);
      const want = values(expected[i]);
      const scale = Math.max(1, ...want.map(Math.abs));
      const worst = Math.max(0, ...values(given).map((x, k) => Math.abs(x - (want[k] as number)) / scale));
      expect(worst / epsilon, "units in the last place of the largest").toBeLessThanOrEqual(4);
    });
  });
});

describe("rounding of a result does not reach its gradient", () => {
  test.each(["float32", "float16", "bfloat16"] as const)("%s: the shares of logSumExp sum to 1", (dtype) => {
    for (const list of [
      [100, 100],
      [8.3, 9.1, 11.7, 12.2],
      [1000, 1000, 1000],
    ]) {
      const x = parameter(tensor(list, { dtype }));
      const [g] = grad([logSumExp(x)], [x]);
      const total = values(g).reduce((a, b) => a + b, 0);
      expect(Math.abs(total - 1)).toBeLessThanOrEqual(2 * EPSILON[dtype]);
    }
  });
  test("float16: a norm has a gradient of at most the cotangent", () => {
    const x = parameter(tensor([0.006, 0.008], { dtype: "float16" }));
    const [g] = grad([norm(x)], [x], [tensor(1024, { dtype: "float16" })]);
    expect([...values(g)].map((value, i) => Math.abs(value / [614.4, 819.2][i]! - 1) < 2 ** -9)).toEqual([true, true]);
    const tiny = parameter(tensor([6e-6, 8e-6], { dtype: "float16" }));
    const [h] = grad([norm(tiny)], [tiny]);
    expect([...values(h)].every((value) => value > 0.5 && value < 0.9)).toBe(true);
  });
});

describe("a 16-bit float shares its cotangent among more elements than it can count", () => {
  const n = 100_000;
  const ramp = (dtype: "float16" | "bfloat16"): Tensor => parameter(full([n], 0.5, { dtype }));

  test.each(["float16", "bfloat16"] as const)("%s: mean, mseLoss, variance, the largest of equals", (dtype) => {
    const share = (loss: (x: Tensor) => Tensor): number => {
      const x = ramp(dtype);
      const [g] = grad([loss(x)], [x]);
      const values = new Set((g as Tensor).toArray() as readonly number[]);
      expect(values.size).toBe(1);
      return [...values][0]!;
    };
    const ulp = dtype === "float16" ? 2 ** -24 : 2 ** -8 * 2e-5;
    const near = (value: number, expected: number): void =>
      expect(Math.abs(value - expected), `${value} for ${expected}`).toBeLessThanOrEqual(ulp);
    near(
      share((x) => mean(x)),
      1 / n,
    );
    near(
      share((x) => mseLoss(x, ones([n], { dtype }))),
      -1 / n,
    );
    near(
      share((x) => max(x)),
      1 / n,
    );
    near(
      share((x) => norm(x, { order: Number.POSITIVE_INFINITY })),
      1 / n,
    );
    // Around the middle: half of the elements above it by 1/2, the others below.
    const x = parameter(concat([full([n / 2], 1, { dtype }), full([n / 2], 0, { dtype })], 0));
    const [g] = grad([variance(x)], [x]);
    near((g as Tensor).at(0) as number, 1 / n);
    near((g as Tensor).at(n - 1) as number, -1 / n);
  });
});
