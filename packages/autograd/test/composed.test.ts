import { gradcheck } from "@sw/autograd";
import { jsKernels } from "@sw/kernels-js";
import {
  add,
  crossEntropy,
  einsum,
  mseLoss,
  mul,
  pad,
  randn,
  repeat,
  setKernels,
  split,
  type Tensor,
  tensor,
  tile,
  views,
} from "@sw/tensor";
import { beforeAll, expect, test } from "vitest";

beforeAll(() => setKernels(jsKernels));

type F64 = Tensor<"float64">;
type Check = readonly [name: string, fn: (...x: readonly F64[]) => Tensor, shapes: readonly (readonly number[])[]];

let seed = 0;
const normal = (shape: readonly number[]): F64 => randn(shape, { seed: seed++, dtype: "float64" });
const target = tensor([2, 0, -1], { dtype: "int16" });
const ignoring = { ignoredClass: -1 } as const;

const CHECKS: readonly Check[] = [
  [
    "pad",
    (a) =>
      pad(
        a as F64,
        [
          [1, 0],
          [0, 2],
        ],
        { value: 5 },
      ),
    [[2, 3]],
  ],
  ["tile", (a) => tile((a as F64).T, [2, 3]), [[2, 3]]],
  ["repeat", (a) => repeat(a as F64, 3, 0), [[2, 3]]],
  ["split", (a) => mul(...(split(a as F64, 2, 1) as [F64, F64])), [[2, 4]]],
  ["crossEntropy", (a) => crossEntropy(a as F64, target, ignoring), [[3, 4]]],
  ["crossEntropy of each row", (a) => crossEntropy(a as F64, target, { ...ignoring, reduction: "none" }), [[3, 4]]],
  [
    "mseLoss",
    (a, b) => mseLoss(a as F64, b as F64),
    [
      [2, 3],
      [2, 3],
    ],
  ],
  [
    "mseLoss as a sum",
    (a, b) => mseLoss(add(a as F64, 1), b as F64, { reduction: "sum" }),
    [
      [2, 3],
      [2, 3],
    ],
  ],
  [
    "einsum",
    (a, b) => einsum("n i k, k n j -> j n i", a as F64, b as F64),
    [
      [2, 3, 2],
      [2, 2, 3],
    ],
  ],
  [
    "einsum to a vector",
    (a, b) => einsum("i k, i k -> i", a as F64, b as F64),
    [
      [2, 3],
      [2, 3],
    ],
  ],
  [
    "einsum of a nested axis",
    (a, b) => einsum("(p q) k, k j -> j p q", views.rearrange(a as F64, "p q k -> (p q) k"), b as F64),
    [
      [2, 2, 3],
      [3, 2],
    ],
  ],
  [
    "einsum into a nested axis",
    (a, b) => einsum("i k, k j -> (j i)", a as F64, b as F64),
    [
      [2, 3],
      [3, 2],
    ],
  ],
];

test.each(CHECKS)("%s: the rules of its parts, against central differences", (_, fn, shapes) => {
  const inputs = shapes.map(normal);
  const report = gradcheck(fn as Parameters<typeof gradcheck>[0], inputs);
  expect(report.compared).toBe(inputs.reduce((count, x) => count + x.size, 0));
  expect(report.largestError).toBeLessThan(1e-6);
});
