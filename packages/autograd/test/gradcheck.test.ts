import { gradcheck, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { exp, mul, setKernels, sum, tensor } from "@sw/tensor";
import { defaultPool, OPERATIONS, record } from "@sw/tensor/seam";
import { beforeAll, describe, expect, test } from "vitest";
import { RULES } from "../src/rules.js";
import * as elementwise from "./checks/elementwise.js";
import * as functions from "./checks/functions.js";
import * as images from "./checks/images.js";
import * as indexing from "./checks/indexing.js";
import * as loss from "./checks/loss.js";
import * as matmul from "./checks/matmul.js";
import * as reduce from "./checks/reduce.js";
import * as rows from "./checks/rows.js";
import * as views from "./checks/views.js";
import { type Checks, type F64, normal } from "./forms.js";

beforeAll(() => setKernels(jsKernels));

const FAMILIES = [elementwise, functions, reduce, rows, matmul, images, indexing, loss, views];
const CHECKS = Object.assign({}, ...FAMILIES.map((family) => family.CHECKS)) as Required<Checks>;
/** Operations whose records are written and whose rules are still to come: backward refuses them by name. */
const PENDING = FAMILIES.flatMap((family) => family.PENDING);

describe("every differentiable operation, on operands of any layout, against central differences", () => {
  test("none is missing", () => {
    const kinds = Object.entries(OPERATIONS)
      .filter(([, spec]) => spec.differentiable)
      .map(([kind]) => kind);
    expect([...Object.keys(CHECKS), ...PENDING].sort()).toEqual(kinds.sort());
    expect(Object.keys(RULES).sort()).toEqual(Object.keys(CHECKS).sort());
  });
  for (const [kind, checks] of Object.entries(CHECKS)) {
    test(kind, () => {
      for (const [fn, inputs] of checks()) {
        // A round trip through float32 moves in steps of 2^-23: the differences need a wider one.
        const options = kind === "cast" ? { step: 2 ** -10 } : {};
        const report = gradcheck(fn, inputs, options);
        expect(report.compared).toBe(inputs.reduce((count, x) => count + x.size, 0));
        expect(report.largestError).toBeLessThan(1e-6);
      }
    });
  }
});

describe("gradcheck", () => {
  test("catches a wrong gradient, and says where", () => {
    const wrong = (x: F64): F64 =>
      record(mul(detached(x), 2), { kind: "wrong", inputs: [x], rule: (_r, g) => [mul(g, 3)] });
    const detached = (x: F64): F64 => tensor(x.data(), { shape: x.shape });
    expect(() => gradcheck((x) => wrong(x as F64), [normal([2, 2])])).toThrow(
      expect.objectContaining({
        code: "SW_AUTOGRAD_GRADCHECK",
        message: expect.stringContaining("input 0 is wrong at element 0"),
      }),
    );
  });
  test("wants float64", () => {
    expect(() => gradcheck((x) => x as F64, [tensor([1]) as never])).toThrow(
      expect.objectContaining({ code: "SW_AUTOGRAD_DTYPE" }),
    );
  });
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
