import { batchNormTraining, cumsum, layerNorm, logSoftmax, mul, rmsNorm, softmax, sum } from "@sw/tensor";
import { type Check, type Checks, every, type F64, normal } from "../forms.js";

/** Along the last axis of every form that has one, and along the first. */
const along = (fn: (x: F64, axis: number) => F64): Check[] =>
  every(normal)
    .filter((x) => x.rank > 0)
    .flatMap((x): Check[] => [
      [(a) => fn(a as F64, -1), [x]],
      [(a) => fn(a as F64, 0), [x]],
    ]);

/** Rows of equal elements, as broadcast ones are, bend within a step where this is small. */
const epsilon = 0.1;

/** Operands of two axes and more: of fewer elements, since these functions have three operands. */
const matrices = (): F64[] => every(normal).filter((x) => x.rank >= 2);

export const CHECKS: Checks = {
  cumsum: () => along((x, axis) => cumsum(x, axis) as F64),
  softmax: () => along(softmax),
  logSoftmax: () => along(logSoftmax),
  layerNorm: () => [
    ...every(normal)
      .filter((x) => x.rank >= 1)
      .flatMap((x): Check[] => [
        [(a) => layerNorm(a as F64, [3], { epsilon }), [x]],
        [
          (a, weight, bias) => layerNorm(a as F64, [3], { weight, bias, epsilon } as never),
          [x, normal([3]), normal([3])],
        ],
      ]),
    [(a, bias) => layerNorm(a as F64, [2, 3], { bias } as never), [normal([2, 2, 3]), normal([3, 2]).T as F64]],
    [(a, weight) => layerNorm(a as F64, [2, 3], { weight, epsilon } as never), [normal([2, 3]), normal([2, 3])]],
  ],
  rmsNorm: () => [
    ...every(normal)
      .filter((x) => x.rank >= 1)
      .flatMap((x): Check[] => [
        [(a) => rmsNorm(a as F64, [3]), [x]],
        [(a, weight) => rmsNorm(a as F64, [3], { weight } as never), [x, normal([3])]],
      ]),
    [(a, weight) => rmsNorm(a as F64, [2, 3], { weight, epsilon } as never), [normal([2, 2, 3]), normal([2, 3])]],
  ],
  batchNorm: () => [
    ...matrices()
      .filter((x) => x.size > 0)
      .flatMap((x): Check[] => [
        [(a) => batchNormTraining(a as F64, { epsilon }).output, [x]],
        [
          (a, weight, bias) => batchNormTraining(a as F64, { weight, bias, epsilon } as never).output,
          [x, normal([x.shape[1] as number]), normal([x.shape[1] as number])],
        ],
      ]),
    [(a, bias) => batchNormTraining(a as F64, { bias } as never).output, [normal([3, 2, 2]), normal([2])]],
    // Without the mean, the sum of what is normalised is not constant.
    [(a) => sum(mul(batchNormTraining(a as F64).output, a as F64)) as F64, [normal([4, 2])]],
  ],
};
