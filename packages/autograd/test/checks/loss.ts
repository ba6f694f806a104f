import { nllLoss, tensor } from "@sw/tensor";
import { nllLossBackward } from "@sw/tensor/seam";
import { type Checks, type F64, forms, normal, type Pending } from "../forms.js";

const target = tensor([0, 3, 1], { dtype: "int32" });

export const CHECKS: Checks = {
  nllLoss: () => forms(normal).map((x) => [(a) => nllLoss(a as F64, target), [x]]),
  nllLossBackward: () => [[(a) => nllLossBackward(a as F64, target, 4), [normal([])]]],
};

/** Kinds whose rules are still to come. */
export const PENDING: Pending = [];
