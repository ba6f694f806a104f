import { logSumExp, max, mean, min, mul, norm, prod, sum, tensor, variance } from "@sw/tensor";
import { type Check, type Checks, every, type F64, normal, positive, unary } from "../forms.js";

interface Over {
  readonly axes?: number | readonly number[];
  readonly keepAxes?: boolean;
}

/** A reduction over all axes of every form, over each axis of some, over two, and over none. */
function reductions(fn: (x: F64, over: Over) => F64, make: (shape: number[]) => F64 = normal): Check[] {
  const over = (shape: number[], options: Over): Check => [(a) => fn(a as F64, options), [make(shape)]];
  return [
    ...unary((x) => fn(x, {}), make),
    over([2, 3], { axes: 0 }),
    over([2, 3], { axes: -1, keepAxes: true }),
    over([2, 2, 3], { axes: [2, 0] }),
    over([2, 3], { axes: [] }),
    over([0, 3], { axes: 1 }),
  ];
}

/** Nothing can be chosen from no elements. */
const withElements = (checks: Check[]): Check[] => checks.filter(([, [x]]) => (x as F64).size > 0);

export const CHECKS: Checks = {
  sum: () => reductions((x, over) => sum(x, over) as F64),
  mean: () => withElements(reductions((x, over) => mean(x, over) as F64)),
  prod: () => [
    ...reductions((x, over) => prod(x, over) as F64),
    // One factor of 0 in a row, two, and all.
    [
      (a) => prod(a as F64, { axes: 1 }) as F64,
      [
        tensor(
          [
            [2, 0, 3],
            [0, 4, 0],
            [0, 0, 0],
          ],
          { dtype: "float64" },
        ),
      ],
    ],
    [
      (a) => prod(a as F64) as F64,
      [
        tensor(
          [
            [2, 0],
            [3, 5],
          ],
          { dtype: "float64" },
        ).T as F64,
      ],
    ],
    [
      (a) => prod(a as F64, { axes: [0, 2] }) as F64,
      [
        mul(
          normal([2, 2, 2]),
          tensor(
            [
              [1, 0],
              [1, 1],
            ],
            { dtype: "float64" },
          ),
        ),
      ],
    ],
  ],
  min: () => withElements(reductions((x, over) => min(x, over))).filter(isDecided),
  max: () => withElements(reductions((x, over) => max(x, over))).filter(isDecided),
  variance: () => [
    ...withElements(reductions((x, over) => variance(x, over) as F64)),
    ...every(normal)
      .filter((x) => x.size > 1)
      .map((x): Check => [(a) => variance(a as F64, { correction: 1 }) as F64, [x]]),
  ],
  norm: () => [
    ...reductions((x, over) => norm(x, over) as F64),
    ...reductions((x, over) => norm(x, { ...over, order: 1 }) as F64, positive),
    ...reductions((x, over) => norm(x, { ...over, order: Number.POSITIVE_INFINITY }) as F64, positive).filter(
      isDecided,
    ),
  ],
  logSumExp: () => reductions((x, over) => logSumExp(x, over) as F64),
};

/** Whether no two elements are one: a broadcast operand has ties, where the extreme has a corner. */
function isDecided([, [x]]: Check): boolean {
  const elements = (x as F64).data() as Float64Array;
  return new Set(elements).size === elements.length;
}
