import type { Backend } from "@sw/tensor/seam";
import { argmax } from "./argmax.js";
import { accumulate, add, div, exp, log, mul, neg, relu, reluBackward, sub } from "./elementwise.js";
import { nllLoss, nllLossBackward } from "./loss.js";
import { matmul } from "./matmul.js";
import { logSoftmax, softmax } from "./normalise.js";
import { sgdStep } from "./optimise.js";
import { mean, sum } from "./reduce.js";
import { supports } from "./supports.js";

/**
 * The reference backend: scalar loops over operands of any strides, which define what every kernel means (OneModel
 * section 9). It computes in float64 and rounds once, which is what *exact* means; another backend is measured against
 * it. It has no memory of its own: its operands live anywhere. Put it in force by `setKernels(jsKernels)`, or last in
 * a chain, where it takes what the backends before it lack.
 * @since 0.1.0
 */
export const jsKernels: Backend = {
  name: "js",
  seamVersion: 1,
  kernels: {
    accumulate,
    add,
    argmax,
    div,
    exp,
    log,
    logSoftmax,
    matmul,
    mean,
    mul,
    neg,
    nllLoss,
    nllLossBackward,
    relu,
    reluBackward,
    sgdStep,
    softmax,
    sub,
    sum,
  },
  supports,
};
