import { attention, type Tensor, tensor } from "@sw/tensor";
import { type Check, type Checks, type F64, forms, normal } from "../forms.js";

type Options = { readonly mask?: Tensor; readonly causal?: boolean; readonly scale?: number };

const of = (options: Options, ...inputs: F64[]): Check => [
  (q, k, v, mask) => attention(q as F64, k as F64, v as F64, { ...options, ...(mask && { mask }) } as never),
  inputs,
];

const mask = tensor(
  [
    [0, Number.NEGATIVE_INFINITY],
    [0.5, 0],
    [Number.NEGATIVE_INFINITY, 1],
  ],
  { dtype: "float64" },
);
const kept = tensor([
  [true, false],
  [true, true],
  [false, true],
]);

export const CHECKS: Checks = {
  attention: () => [
    // Three queries of width 4, two keys, values of width 1: one operand of each form at a time.
    ...forms(normal).flatMap((x): Check[] => [
      of({}, x, normal([2, 4]), normal([2, 1])),
      of({ causal: true }, normal([2, 4]), x, normal([3, 2])),
      of({ scale: -0.5 }, normal([2, 2]), normal([3, 2]), x),
    ]),
    of({}, normal([2, 1, 3, 2]), normal([2, 2, 2]), normal([1, 2, 3])),
    // Values of more batches than queries and keys; more queries than keys, and fewer, in order.
    of({}, normal([3, 2]), normal([2, 2]), normal([2, 2, 1])),
    of({ causal: true }, normal([2, 4, 1]), normal([2, 1]), normal([2, 2, 2])),
    of({ causal: true }, normal([2, 2]), normal([4, 2]), normal([4, 1])),
    of({ mask }, normal([2, 3, 2]), normal([2, 2]), normal([2, 2])),
    of({ mask: kept }, normal([3, 2]), normal([2, 2]), normal([2, 2])),
    of({ mask: kept.select(0, 1), causal: true }, normal([2, 3, 2]), normal([2, 2]), normal([2, 2])),
    // Masks that take part, of every shape.
    ...[[3, 2], [2], [3, 1], [1, 2], [], [2, 3, 2], [2, 1, 2], [2, 3, 1]].flatMap((shape): Check[] => [
      of({}, normal([2, 3, 2]), normal([2, 2]), normal([2, 1]), normal(shape)),
      of({ causal: true }, normal([3, 2]), normal([2, 2]), normal([2, 2, 1]), normal(shape)),
    ]),
    // No queries; no width; no batches.
    of({ causal: true }, normal([0, 2]), normal([2, 2]), normal([2, 1]), normal([2])),
    of({}, normal([2, 0]), normal([3, 0]), normal([3, 1])),
    of({}, normal([0, 2, 2]), normal([3, 2]), normal([3, 1])),
  ],
};
