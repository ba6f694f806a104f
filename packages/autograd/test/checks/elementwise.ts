import { add, cast, div, exp, log, mul, neg, relu, sub, tensor } from "@sw/tensor";
import { reluBackward } from "@sw/tensor/seam";
import { type Checks, type F64, forms, normal, type Pending, positive } from "../forms.js";

export const CHECKS: Checks = {
  add: () => forms(normal).map((x) => [(a, b) => add(a as F64, b as F64), [x, normal([4])]]),
  sub: () => forms(normal).map((x) => [(a, b) => sub(a as F64, b as F64), [normal([3, 1]), x]]),
  mul: () => forms(normal).map((x) => [(a, b) => mul(a as F64, b as F64), [x, normal([1, 4])]]),
  div: () => forms(positive).map((x) => [(a, b) => div(a as F64, b as F64), [normal([3, 4]), x]]),
  neg: () => forms(normal).map((x) => [(a) => neg(a as F64), [x]]),
  relu: () => forms(positive).map((x) => [(a) => relu(sub(a as F64, 1)), [x]]),
  reluBackward: () =>
    forms(normal).map((x) => [(a) => reluBackward(a as F64, tensor([1, -1, 2, -2], { dtype: "float64" })), [x]]),
  exp: () => forms(normal).map((x) => [(a) => exp(a as F64), [x]]),
  log: () => forms(positive).map((x) => [(a) => log(a as F64), [x]]),
  cast: () => [[(a) => mul(cast(cast(a as F64, "float32"), "float64"), 1), [tensor([1, 2, 3], { dtype: "float64" })]]],
};

/** Kinds whose rules are still to come. */
export const PENDING: Pending = ["pow", "remainder", "minimum", "maximum", "clamp", "where"];
