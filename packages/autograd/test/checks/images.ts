import { adaptiveAvgPool2d, avgPool2d, conv2d, maxPool2d } from "@sw/tensor";
import {
  adaptiveAvgPool2dBackward,
  avgPool2dBackward,
  conv2dInputBackward,
  conv2dWeightBackward,
} from "@sw/tensor/seam";
import { type Check, type Checks, type F64, images, normal } from "../forms.js";

const GEOMETRY = { stride: [2, 1], padding: [1, 0], dilation: [1, 2], groups: 2 } as const;
const WINDOWS = { kernel: [2, 3], stride: [1, 2], padding: [1, 1] } as const;

export const CHECKS: Checks = {
  conv2d: () => [
    ...images([1, 2, 3, 3]).map(
      (x): Check => [(a, weight) => conv2d(a as F64, weight as F64, GEOMETRY), [x, normal([2, 1, 2, 2])]],
    ),
    ...images([2, 1, 2, 2]).map(
      (weight): Check => [
        (a, w, bias) => conv2d(a as F64, w as F64, { bias: bias as F64 }),
        [normal([2, 1, 3, 3]), weight, normal([weight.shape[0] as number])],
      ],
    ),
  ],
  conv2dInputBackward: () => [
    ...images([1, 2, 2, 1]).map(
      (g): Check => [
        (a, weight) => conv2dInputBackward(a as F64, weight as F64, [g.shape[0] as number, 2, 3, 3], GEOMETRY),
        [g, normal([2, 1, 2, 2])],
      ],
    ),
  ],
  conv2dWeightBackward: () => [
    ...images([1, 2, 3, 3]).map(
      (x): Check => [
        (g, a) => conv2dWeightBackward(g as F64, a as F64, [2, 1, 2, 2], GEOMETRY),
        [normal([x.shape[0] as number, 2, 2, 1]), x],
      ],
    ),
  ],
  avgPool2d: () =>
    images([1, 2, 3, 4]).flatMap((x): Check[] => [
      [(a) => avgPool2d(a as F64, WINDOWS), [x]],
      [(a) => avgPool2d(a as F64, { ...WINDOWS, countIncludePad: true }), [x]],
    ]),
  avgPool2dBackward: () =>
    images([1, 2, 4, 2]).map((g) => [
      (a) => avgPool2dBackward(a as F64, [g.shape[0] as number, 2, 3, 4], WINDOWS),
      [g],
    ]),
  adaptiveAvgPool2d: () =>
    images([1, 2, 3, 4]).flatMap((x): Check[] => [
      [(a) => adaptiveAvgPool2d(a as F64, [2, 3]), [x]],
      [(a) => adaptiveAvgPool2d(a as F64, [5, 1]), [x]],
    ]),
  adaptiveAvgPool2dBackward: () =>
    images([1, 2, 2, 3]).map((g) => [(a) => adaptiveAvgPool2dBackward(a as F64, [g.shape[0] as number, 2, 3, 4]), [g]]),
  maxPool2d: () =>
    images([1, 2, 3, 4])
      // A broadcast image has ties, where the largest has a corner.
      .filter((x) => new Set(x.data() as Float64Array).size === x.size)
      .flatMap((x): Check[] => [
        [(a) => maxPool2d(a as F64, { kernel: [2, 3], stride: 1, padding: [1, 1] }), [x]],
        [(a) => maxPool2d(a as F64, { kernel: 2 }), [x]],
      ]),
};
