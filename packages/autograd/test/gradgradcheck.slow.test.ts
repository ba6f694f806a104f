import { gradgradcheck } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { setKernels } from "@sw/tensor";
import { beforeAll, describe, test } from "vitest";
import { CHECKS } from "./checks/all.js";

beforeAll(() => setKernels(jsKernels));

describe("second derivatives of every differentiable operation, on operands of any layout and rank", () => {
  for (const [kind, checks] of Object.entries(CHECKS)) {
    test(kind, () => {
      for (const [fn, inputs] of checks()) gradgradcheck(fn, inputs);
    });
  }
});
