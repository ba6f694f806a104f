import { backward, parameter } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { ones, setKernels, type Tensor } from "@sw/tensor";
import { describe, expect, test } from "vitest";
import { laid } from "../src/gradient-layout.js";
import { CHECKS } from "./checks/all.js";
import type { F64 } from "./forms.js";

// Before the tests are listed: which operations have several operands is known by making these.
setKernels(jsKernels);

/** The gradients of the operands that are leaves, as bits. */
function gradients(fn: (...x: readonly F64[]) => F64, operands: readonly F64[], isLeaf: (i: number) => boolean) {
  const given = operands.map((x, i) => (isLeaf(i) ? parameter(x) : x));
  const out = fn(...given);
  if (out.node !== undefined) backward(out, laid(out.node, ones(out.shape, { dtype: "float64" }) as Tensor));
  return given.map(({ grad }) => grad?.data());
}

// What is saved depends on which operands need a cotangent, and so does what a rule computes.
describe("an operand that alone is a parameter has the gradient that it has among others", () => {
  for (const [kind, checks] of Object.entries(CHECKS)) {
    const several = checks().filter(([, inputs]) => inputs.length > 1);
    if (several.length === 0) continue;
    test(kind, () => {
      for (const [fn, inputs] of several) {
        const together = gradients(fn, inputs, () => true);
        inputs.forEach((_, i) => {
          const alone = gradients(fn, inputs, (k) => k === i);
          expect(alone).toEqual(inputs.map((_x, k) => (k === i ? together[k] : undefined)));
        });
      }
    });
  }
});
