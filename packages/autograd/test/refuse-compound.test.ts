import {
  backward,
  detach,
  grad,
  gradcheck,
  gradgradcheck,
  parameter,
  parametersOf,
  requiresGrad,
  retainGrad,
  Sgd,
} from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import { add, neg, setKernels, UnsupportedError, zeros } from "@sw/tensor";
import { blockInt8, quantize } from "@sw/tensor/compound";
import { expect, test } from "vitest";

setKernels(jsKernels);

test("VA-10 gradients refuse a tensor of several parts, in every place where one could be", () => {
  const w = parameter(zeros([2, 4]));
  const y = add(w, 1);
  const c = quantize(zeros([2, 4]), blockInt8, { blockSize: 4 }) as never;
  const uses: (() => unknown)[] = [
    () => parameter(c),
    () => detach(c),
    () => requiresGrad(c),
    () => retainGrad(c),
    () => backward(c),
    () => backward(y, c),
    () => grad([c], [w]),
    () => grad([y], [c], [zeros([2, 4])]),
    () => grad([y], [w], [c]),
    () => gradcheck(neg, [c]),
    () => gradgradcheck(neg, [c]),
    () => parametersOf({ layer: [w, c] }),
    () => new Sgd([w, c], { learningRate: 0.1 } as never),
  ];
  for (const use of uses) expect(use).toThrow(UnsupportedError);
  expect(w.grad).toBeUndefined();
});
