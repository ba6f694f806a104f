import { matmul } from "@sw/tensor";
import { type Checks, type F64, forms, normal } from "../forms.js";

export const CHECKS: Checks = {
  matmul: () => [
    ...forms(normal).map((x): [(...x: readonly F64[]) => F64, F64[]] => [
      (a, b) => matmul(a as F64, b as F64),
      [x, normal([4, 2])],
    ]),
    [(a, b) => matmul(a as F64, b as F64), [normal([2, 1, 2, 3]), normal([3, 3, 2])]],
    [(a, b) => matmul(a as F64, b as F64), [normal([3]), normal([2, 3, 2])]],
    [(a, b) => matmul(a as F64, b as F64), [normal([3]), normal([3])]],
  ],
};
