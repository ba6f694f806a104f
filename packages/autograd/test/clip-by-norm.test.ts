import { backward, clipByNorm, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { type DType, randn, setKernels, type Tensor, tensor, zeros } from "@sw/tensor";
import { defaultPool } from "@sw/tensor/seam";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";

beforeEach(() => setKernels(jsKernels));

function withGradient(gradient: readonly number[], dtype: DType = "float32"): Tensor {
  const p = parameter(zeros([gradient.length], { dtype }));
  backward(p, tensor(gradient, { dtype }) as Tensor);
  return p;
}

describe("clipByNorm", () => {
  test("scales all gradients by one number when their norm together is above the limit", () => {
    const [a, b] = [withGradient([2, 0]), withGradient([1, 2])];
    expect(clipByNorm({ a, b: [b] }, 1.5)).toBe(3);
    expect([a.grad?.toArray(), b.grad?.toArray()]).toEqual([
      [1, 0],
      [0.5, 1],
    ]);
  });
  test("leaves gradients alone, bit for bit, at the limit or below it, and with an infinite one only measures", () => {
    for (const limit of [5, 6, Number.POSITIVE_INFINITY]) {
      const p = withGradient([3, 4]);
      const version = p.grad?.buffer.version;
      expect(clipByNorm(p, limit)).toBe(5);
      expect(p.grad?.buffer.version).toBe(version);
    }
  });
  test("parameters without a gradient do not count, and of none the norm is 0", () => {
    expect(clipByNorm([withGradient([3, 4]), parameter(zeros([2]))], 10)).toBe(5);
    expect(clipByNorm(parameter(zeros([2])), 0)).toBe(0);
  });
  test("the norm after is the limit, whatever the gradients", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.nat(1000), (count, seed) => {
        const p = withGradient([...randn([count], { seed, deviation: 100 }).data()], "float64");
        const before = clipByNorm(p, 0.25);
        const after = clipByNorm(p, Number.POSITIVE_INFINITY);
        expect(after).toBeCloseTo(Math.min(before, 0.25), 14);
      }),
      { numRuns: 50 },
    );
  });
  test("float16: squares that its numbers cannot hold are counted in float64", () => {
    const p = withGradient([60000, 60000, 60000, 60000], "float16");
    expect(clipByNorm(p, 2)).toBe(120000);
    expect(p.grad?.toArray()).toEqual([1, 1, 1, 1]);
  });
  test.each([Number.NaN, Number.POSITIVE_INFINITY])("a gradient with %d is refused, and none is changed", (wrong) => {
    const [a, b] = [withGradient([30, 40]), withGradient([wrong, 1])];
    expect(() => clipByNorm([a, b], 1)).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_NOT_FINITE", given: wrong }),
    );
    expect(a.grad?.toArray()).toEqual([30, 40]);
  });
  test("the text of that refusal", () => {
    expect(() => clipByNorm(withGradient([Number.NaN]), 1)).toThrow(
      "clipByNorm: the gradients are not finite: got a norm of NaN, expected a finite one. Skip this step, or lower the learning rate.",
    );
  });
  test("a gradient that cannot be written leaves the others alone", () => {
    const [a, b] = [withGradient([3, 0]), withGradient([0, 4])];
    (b.grad as Tensor).buffer.readOnly = true;
    expect(() => clipByNorm([a, b], 1)).toThrow(expect.objectContaining({ code: "SW_BUFFER_READ_ONLY" }));
    expect(a.grad?.toArray()).toEqual([3, 0]);
  });
  test("limits that are none are refused", () => {
    for (const limit of [-1, Number.NaN]) {
      expect(() => clipByNorm(withGradient([1]), limit)).toThrow(
        expect.objectContaining({ code: "SW_AUTOGRAD_OPTION" }),
      );
    }
    expect(() => clipByNorm(withGradient([1]), "1" as never)).toThrow(TypeError);
  });
  test("what it makes is returned", () => {
    const p = withGradient([3, 4]);
    const { live } = defaultPool().statistics();
    clipByNorm(p, 1);
    expect(defaultPool().statistics().live).toBe(live);
  });
});
