import { detach, gradcheck, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { createGenerator, exp, log, mul, ones, relu, setKernels, sum, tensor } from "@sw/tensor";
import { defaultPool, OPERATIONS, record } from "@sw/tensor/seam";
import { beforeAll, describe, expect, test } from "vitest";
import { RULES } from "../src/rules.js";
import { CHECKS } from "./checks/all.js";
import { type F64, normal } from "./forms.js";

beforeAll(() => setKernels(jsKernels));

describe("every differentiable operation, on operands of any layout, against central differences", () => {
  test("none is missing", () => {
    const kinds = Object.entries(OPERATIONS)
      .filter(([, spec]) => spec.differentiable)
      .map(([kind]) => kind);
    expect(Object.keys(CHECKS).sort()).toEqual(kinds.sort());
    expect(Object.keys(RULES).sort()).toEqual(Object.keys(CHECKS).sort());
  });
  for (const [kind, checks] of Object.entries(CHECKS)) {
    test(kind, () => {
      for (const [fn, inputs] of checks()) {
        const report = gradcheck(fn, inputs);
        expect(report.compared).toBe(inputs.reduce((count, x) => count + x.size, 0));
      }
    });
  }
});

describe("gradcheck", () => {
  test("catches a wrong gradient, and says where", () => {
    const wrong = (x: F64): F64 =>
      record(mul(detach(x), 2), { kind: "wrong", inputs: [x], rule: (_r, g) => [mul(g, 3)] });
    expect(() => gradcheck((x) => wrong(x as F64), [normal([2, 2])])).toThrow(
      expect.objectContaining({
        code: "SW_AUTOGRAD_GRADCHECK",
        message: expect.stringContaining("input 0 is wrong at element 0"),
      }),
    );
  });
  test("wants float64", () => {
    expect(() => gradcheck((x) => x as F64, [tensor([1]) as never])).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_DTYPE", given: "float32", expected: "float64" }),
    );
  });
  test("is right to ten digits", () => {
    const x = tensor([0.3, -1.2, 2], { dtype: "float64" });
    expect(gradcheck((a) => exp(a as F64), [x]).largestError).toBeLessThan(1e-10);
  });
  test("takes a function of several outputs, one of them constant", () => {
    const fn = (a: F64): F64[] => [mul(a, 3), sum(mul(a, a)) as F64, ones([2], { dtype: "float64" })];
    expect(gradcheck((a) => fn(a as F64), [normal([2, 3])]).compared).toBe(6);
    const forgets = (a: F64): F64 => mul(detach(a), 3);
    expect(() => gradcheck((a) => forgets(a as F64), [normal([2])])).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_GRADCHECK", given: 0, expected: expect.any(Number) }),
    );
  });
  test("refuses a function that gives other bits when it is called again", () => {
    const generator = createGenerator(1);
    expect(() => gradcheck((a) => mul(a as F64, generator.uniform()), [normal([2])])).toThrow(
      expect.objectContaining({
        code: "SW_AUTOGRAD_GRADCHECK",
        message: expect.stringMatching(/gives other values .*element 0 of output 0/),
      }),
    );
    // NaN is NaN again.
    expect(() => gradcheck((a) => log(a as F64), [tensor([-1], { dtype: "float64" })])).toThrow(
      "is wrong at element 0",
    );
  });
  test.each([0, 5e-4, -1e-3, 1.9e-3])("says that relu is not smooth within a step of %d", (x) => {
    const at = tensor([x], { dtype: "float64" });
    expect(() => gradcheck((a) => relu(a as F64), [at])).toThrow(
      expect.objectContaining({ message: expect.stringContaining(`not smooth within a step of ${x}`) }),
    );
  });
  test("says nothing of the kind where a function is smooth, however steep", () => {
    const x = tensor([3], { dtype: "float64" });
    const wrong = (a: F64): F64 => record(exp(mul(detach(a), 2)), { kind: "wrong", inputs: [a], rule: (_r, g) => [g] });
    const messages: string[] = [];
    try {
      gradcheck((a) => wrong(a as F64), [x]);
    } catch (error) {
      messages.push((error as Error).message);
    }
    expect(messages).toEqual([expect.not.stringContaining("smooth")]);
  });
  test.each([{ step: 0 }, { step: Number.NaN }, { absolute: -1 }, { relative: Number.POSITIVE_INFINITY }])(
    "refuses %o",
    (options) => {
      expect(() => gradcheck((a) => a as F64, [normal([2])], options)).toThrow(
        expect.objectContaining({ code: "SW_AUTOGRAD_OPTION", given: Object.values(options)[0] }),
      );
    },
  );
  test("returns all the memory that it took", () => {
    const x = normal([2, 3]);
    const { live } = defaultPool().statistics();
    gradcheck((a) => sum(mul(exp(a as F64), 2)), [x]);
    expect(() => gradcheck(() => x.select(0, 9), [x])).toThrow(RangeError);
    expect(defaultPool().statistics().live).toBe(live);
  });
  test("leaves its inputs as they were", () => {
    const x = parameter(normal([2]));
    gradcheck((a) => mul(a as F64, a as F64), [x]);
    expect(x.grad).toBeUndefined();
  });
});
