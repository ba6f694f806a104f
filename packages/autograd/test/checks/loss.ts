import { nllLoss, tensor } from "@sw/tensor";
import { nllLossBackward } from "@sw/tensor/seam";
import { type Check, type Checks, type F64, forms, normal } from "../forms.js";

const target = tensor([0, 3, 1], { dtype: "int32" });

/** Every reduction; a class is ignored that some targets have, or none has. */
const LOSSES = (["mean", "sum", "none"] as const).flatMap((reduction) =>
  [{}, { ignoredClass: 3 }, { ignoredClass: -100 }].map((ignoring) => ({ reduction, ...ignoring })),
);

export const CHECKS: Checks = {
  nllLoss: () =>
    LOSSES.flatMap((options) => forms(normal).map((x): Check => [(a) => nllLoss(a as F64, target, options), [x]])),
  nllLossBackward: () =>
    LOSSES.map((options) => [
      (a) => nllLossBackward(a as F64, target, 4, options),
      [normal(options.reduction === "none" ? [3] : [])],
    ]),
};
