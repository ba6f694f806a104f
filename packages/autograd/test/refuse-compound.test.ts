import {
  Adam,
  backward,
  checkpoint,
  clipByNorm,
  defineOp,
  detach,
  grad,
  gradcheck,
  gradgradcheck,
  hook,
  hvp,
  jacobian,
  loadParameters,
  namedParameters,
  parameter,
  parametersOf,
  requiresGrad,
  retainGrad,
  Sgd,
  valueAndGrad,
  vjp,
} from "@sw/autograd";
import { Conv2d, Dropout, Embedding, LayerNorm, Linear, MultiHeadAttention } from "@sw/autograd/modules";
import { jsKernels } from "@sw/kernels-js";
import { add, createGenerator, neg, setKernels, type Tensor, UnsupportedError, zeros } from "@sw/tensor";
import { blockInt8, quantize } from "@sw/tensor/compound";
import { expect, test } from "vitest";

setKernels(jsKernels);

/** An operation of one's own with a forward, and what its backward gives. */
const custom = (forward: () => Tensor, cotangent?: Tensor) =>
  defineOp<[Tensor]>({ name: "custom", forward, backward: () => [cotangent] });

test("VA-10 gradients refuse a tensor of several parts, in every place where one could be", () => {
  const w = parameter(zeros([2, 4]));
  const y = add(w, 1);
  const generator = createGenerator(7);
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
    () => valueAndGrad((p: Tensor) => p)(c),
    () => valueAndGrad((_p: Tensor) => c)(w),
    () => vjp(neg, c),
    () => vjp((_x: Tensor) => c, w),
    () => vjp(neg, w).pull(c),
    () => jacobian(neg, c),
    () => jacobian(() => c, w),
    () => hvp(neg, c, w),
    () => hvp(neg, w, c),
    () => hook(c, () => undefined),
    () => {
      const z = add(w, 1);
      hook(z, () => c);
      backward(z, zeros([2, 4]));
    },
    () => checkpoint(neg)(c),
    () => checkpoint((_x: Tensor) => c)(w),
    () => custom(() => zeros([2, 4]))(c),
    () => custom(() => c)(w),
    () => backward(custom(() => zeros([2, 4]), c)(w), zeros([2, 4])),
    () => new Sgd([w, c], { learningRate: 0.1 } as never),
    () => new Adam([w, c], { learningRate: 0.1 }),
    () => new Sgd({ w }, { learningRate: 0.1, momentum: 0.9 }).load({ "w.velocity": c }),
    () => clipByNorm([w, c], 1),
    () => namedParameters({ w, c }),
    () => loadParameters({ w, c }, { w, c: w }),
    () => loadParameters({ w }, { w: c }),
    () => new Linear(4, 2, { generator }).forward(c),
    () => new Conv2d(4, 2, 1, { generator }).forward(c),
    () => new LayerNorm(4).forward(c),
    () => new Embedding(4, 2, { generator }).forward(c),
    () => new MultiHeadAttention(4, 2, { generator }).forward(c),
    () => new Dropout({ p: 0.5, generator }).forward(c, { training: true }),
  ];
  for (const use of uses) expect(use).toThrow(UnsupportedError);
  expect(w.grad).toBeUndefined();
});
