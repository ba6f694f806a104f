import { mean, sum } from "@sw/tensor";
import { type Checks, type F64, forms, normal, type Pending } from "../forms.js";

export const CHECKS: Checks = {
  sum: () => forms(normal).map((x) => [(a) => sum(a as F64, { axes: 1 }), [x]]),
  mean: () => forms(normal).map((x) => [(a) => mean(a as F64, { axes: 0, keepAxes: true }), [x]]),
};

/** Kinds whose rules are still to come. */
export const PENDING: Pending = ["prod", "min", "max", "variance", "norm", "logSumExp"];
