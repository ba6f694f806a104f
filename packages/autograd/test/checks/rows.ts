import { logSoftmax, softmax } from "@sw/tensor";
import { type Checks, type F64, forms, normal, type Pending } from "../forms.js";

export const CHECKS: Checks = {
  softmax: () => forms(normal).map((x) => [(a) => softmax(a as F64, 0), [x]]),
  logSoftmax: () => forms(normal).map((x) => [(a) => logSoftmax(a as F64, -1), [x]]),
};

/** Kinds whose rules are still to come. */
export const PENDING: Pending = ["cumsum", "layerNorm", "rmsNorm", "batchNorm"];
