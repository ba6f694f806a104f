import { add, cast, clamp, div, gt, maximum, minimum, mul, pow, remainder, sub, tensor, where } from "@sw/tensor";
import { reluBackward } from "@sw/tensor/seam";
import { binary, type Check, type Checks, every, type F64, normal, positive, unary } from "../forms.js";

export const CHECKS: Checks = {
  add: () => [...binary(add), ...unary((x) => add(x, 2))],
  sub: () => [...binary(sub), ...unary((x) => sub(2, x))],
  mul: () => [...binary(mul), ...unary((x) => mul(x, x)), ...unary((x) => mul(2, x))],
  div: () => [...binary(div, normal, positive), ...unary((x) => div(2, x), positive), ...unary((x) => div(x, 4))],
  pow: () => [
    ...binary(pow, positive, normal),
    ...[-1.5, -1, 0, 0.5, 1, 2, 3].flatMap((b) => unary((x) => pow(x, b), positive)),
    ...[0.5, 1, 3].flatMap((a) => unary((x) => pow(a, x))),
    // Of a negative base only the base has a derivative, and only where the exponent is an integer.
    ...unary((x) => pow(x, tensor([2, 3, 0], { dtype: "float64" }) as F64)),
  ],
  remainder: () => [
    ...binary(
      remainder,
      (shape) => add(mul(positive(shape), 0.25), 3),
      (shape) => add(mul(positive(shape), 0.25), 1.8),
    ),
    ...unary(
      (x) => remainder(x, 0.75),
      (shape) => add(mul(positive(shape), 0.25), 3),
    ),
    ...unary(
      (x) => remainder(-7, x),
      (shape) => add(mul(positive(shape), 0.25), 2.4),
    ),
  ],
  minimum: () => [...binary(minimum), ...unary((x) => minimum(x, 0.25))],
  maximum: () => [...binary(maximum), ...unary((x) => maximum(0.25, x))],
  clamp: () => [
    ...unary((x) => clamp(x, -0.5, 0.5)),
    ...unary((x) => clamp(x, undefined, 0.5)),
    ...every(normal).map(
      (x): Check => [(a, low, high) => clamp(a as F64, low as F64, high as F64), [x, sub(normal([3]), 1), normal([1])]],
    ),
  ],
  where: () => [
    ...binary((a, b) => where(gt(tensor([1, -1, 2], { dtype: "float64" }), 0), a, b)),
    ...unary((x) => where(tensor([true, false, true]), x, 3)),
  ],
  reluBackward: () => [
    ...every(normal)
      .filter((x) => x.rank > 0)
      .map(
        (x): Check => [
          (a) => reluBackward(a as F64, tensor([1, -1, 2], { dtype: "float64" }).expand(x.shape) as F64),
          [x],
        ],
      ),
  ],
  cast: () => [[(a) => mul(cast(cast(a as F64, "float32"), "float64"), 1), [tensor([1, 2, 3], { dtype: "float64" })]]],
};
