import { OPERATIONS } from "@sw/tensor/seam";
import { accumulated, wide } from "../../bounds.js";
import { exactSum } from "../../exact-sums.js";
import { type Placement, type PlaceOptions, place, sizeOf } from "../../operands/placing.js";
import { type DType, isFloat, type Value, wrapTo } from "../../values.js";
import { type KernelModel, lengths, type OwnCase, ordinaryDraw, range } from "../model.js";
import { everyday, valued } from "../plans.js";
import type { Expected, Plan, Sample } from "../sample.js";

// A problem is `[kept, ...shape]`: how many of the loops are kept, then the extents of all, kept ones first.

type Reduction = "sum" | "mean";

function reducedExpected(kernel: Reduction, input: Plan, sums: number, terms: number): Expected {
  const values: Value[] = [];
  const magnitudes: number[] = [];
  for (let i = 0; i < sums; i++) {
    const part = input.values!.slice(i * terms, (i + 1) * terms);
    if (isFloat(input.dtype)) {
      const { sum, magnitude } = exactSum(part as number[]);
      values.push(kernel === "mean" ? sum / terms : sum);
      magnitudes.push(kernel === "mean" ? magnitude / terms : magnitude);
    } else {
      let sum = 0n;
      for (const value of part) sum += BigInt(value);
      values.push(wrapTo("int64", sum));
    }
  }
  return { values, magnitudes, terms };
}

function reduction(kernel: Reduction, input: Plan, keptPlacement: Placement): Sample {
  const { shape } = input.placement;
  const kept = keptPlacement.shape.length;
  const strides = shape.map((_, axis) => (axis < kept ? keptPlacement.strides[axis]! : 0));
  const dtype: DType = isFloat(input.dtype) ? input.dtype : "int64";
  const output: Plan = { dtype, placement: { ...keptPlacement, shape, strides }, loops: kept };
  const expected = (): readonly Expected[] => [
    reducedExpected(kernel, input, sizeOf(shape.slice(0, kept)), sizeOf(shape.slice(kept))),
  ];
  return { outputs: [output], inputs: [input], ints: [], floats: [], expected };
}

/** The layouts that a long sum is read through. */
const LONG: readonly PlaceOptions[] = [{}, { gap: 2 }, { reversed: [false, true] }, { order: [1, 0] }];

/** Field case 17: one large term, and a thousand that are below half a unit of it. */
function swallowing(kernel: Reduction): OwnCase {
  return {
    name: "large-and-small-terms",
    dtypes: ["float32"],
    samples: (dtype) =>
      LONG.map((options) => {
        const row = [2 ** 24, ...Array.from({ length: 1000 }, () => 1)];
        return reduction(kernel, valued(dtype, place([2, 1001], options), [...row, ...row]), place([2]));
      }),
  };
}

/** Integers whose sum needs more bits than they have, and more than a float64 has. */
const longIntegers: OwnCase = {
  name: "wide-integers",
  dtypes: ["int32", "uint32", "int64", "uint64", "int8", "uint8", "int16", "uint16"],
  samples: (dtype, source) =>
    [300, 1031].map((n) =>
      reduction(
        "sum",
        valued(
          dtype,
          place([2, n]),
          ordinaryDraw(1, dtype, 2 * n, () => everyday(dtype, source)),
        ),
        place([2]),
      ),
    ),
};

function model(kernel: Reduction): KernelModel {
  const of = kernel === "mean" ? "Σ|x| / n" : "Σ|x|";
  return {
    spec: OPERATIONS[kernel],
    bound: accumulated(of, { constant: 16, perDoubling: 2, perTermOfFloat64: 1 }),
    exactBound: wide(of, { constant: kernel === "mean" ? 4 : 2, perTerm: 1 }),
    roles: ["out", "in"],
    problems: [
      [0, 7],
      [1, 4, 5],
      [1, 6],
      [2, 2, 3, 4],
      [1, 3, 2, 5],
      [0, 4, 3],
      [2, 3, 2, 2, 3],
    ],
    sizes: [
      ...lengths().map((n) => [0, n]),
      ...range(1, 40).flatMap((n) => [
        [1, 3, n],
        [1, n, 3],
      ]),
      [1, 300, 3],
      [1, 3, 300],
    ],
    ones: [[0], [0, 1], [1, 1], [1, 1, 1], [2, 1, 1, 1], [1, 1, 5], [1, 5, 1]],
    empty: [
      [0, 0],
      [1, 3, 0],
      [1, 3, 0, 2],
      [1, 3, 2, 0],
      [2, 2, 3, 0],
    ],
    small: [...range(1, 9).map((n) => [0, n]), [0, 17], [1, 2, 5], [1, 5, 2]],
    pointwise: false,
    largest: false,
    special: [1],
    own: kernel === "sum" ? [swallowing(kernel), longIntegers] : [swallowing(kernel)],
    randomProblem(source) {
      const shape = Array.from({ length: source.integer(0, 4) }, () => source.integer(1, 6));
      return [source.integer(0, shape.length), ...shape];
    },
    sample(dtype, [kept, ...shape], placers, draw, source) {
      const input = valued(
        dtype,
        placers[1]!(shape),
        draw(1, dtype, sizeOf(shape), () => everyday(dtype, source)),
      );
      return reduction(kernel, input, placers[0]!(shape.slice(0, kept)));
    },
  };
}

/** `sum` and `mean`. */
export function reduceModels(): readonly KernelModel[] {
  return (["sum", "mean"] as const).map(model);
}
