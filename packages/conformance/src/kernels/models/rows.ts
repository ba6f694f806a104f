import { OPERATIONS } from "@sw/tensor/seam";
import { accumulated, ROUNDED, wide } from "../../bounds.js";
import { Accumulator } from "../../exact-sums.js";
import { place, sizeOf } from "../../operands/placing.js";
import { type DType, FLOAT_DTYPES, isFloat, type Value, wrapTo } from "../../values.js";
import { type KernelModel, type OwnCase, ordinaryDraw, range } from "../model.js";
import { oneAxis, rowsOf } from "../one-axis.js";
import { everyday, unwritten, valued } from "../plans.js";
import type { Expected, Plan, Sample } from "../sample.js";

/** Exponentials are taken of what is left when the largest element is subtracted, in float64. */
function normalised(kernel: "softmax" | "logSoftmax", row: readonly number[]): readonly (readonly number[])[] {
  let largest = Number.NEGATIVE_INFINITY;
  for (const x of row) if (x > largest) largest = x;
  const total = new Accumulator();
  for (const x of row) total.add(Math.exp(x - largest));
  const { sum } = total.result();
  return row.map((x) => {
    const distance = Math.abs(x - largest);
    if (kernel === "logSoftmax") return [x - largest - Math.log(sum), 1, distance];
    const y = Math.exp(x - largest) / sum;
    return [y, y, y === 0 ? 0 : distance];
  });
}

function normaliseModel(kernel: "softmax" | "logSoftmax"): KernelModel {
  const softmax = kernel === "softmax";
  const of = softmax ? "y" : "1";
  const counts = {
    constant: softmax ? 8 : 16,
    perTerm: 1,
    perDistance: softmax ? 1 : 2,
    distance: "max − x",
  };
  return {
    ...oneAxis(),
    spec: OPERATIONS[kernel],
    bound: accumulated(of, counts),
    exactBound: wide(of, counts),
    roles: ["out", "in"],
    pointwise: false,
    largest: false,
    special: [1],
    own: [],
    sample(dtype, shape, placers, draw, source) {
      const input = valued(
        dtype,
        placers[1]!(shape),
        draw(1, dtype, sizeOf(shape), () => everyday(dtype, source)),
      );
      const expected = (): readonly Expected[] => {
        const results = rowsOf(input).flatMap((row) => normalised(kernel, row as readonly number[]));
        return [
          {
            values: results.map((r) => r[0]!),
            magnitudes: results.map((r) => r[1]!),
            distances: results.map((r) => r[2]!),
            terms: shape[shape.length - 1]!,
          },
        ];
      };
      const output = unwritten(dtype, placers[0]!(shape));
      return { outputs: [output], inputs: [input], ints: [], floats: [], expected };
    },
  };
}

/** The first of the largest; the first NaN before all. */
function winner(row: readonly Value[]): bigint {
  let best = 0;
  for (let i = 1; i < row.length; i++) {
    const held = row[best]!;
    const value = row[i]!;
    if (Number.isNaN(held)) break;
    if (value > held || Number.isNaN(value)) best = i;
  }
  return BigInt(best);
}

function choice(input: Plan, output: Plan): Sample {
  const expected = (): readonly Expected[] => [{ values: rowsOf(input).map(winner) }];
  return { outputs: [output], inputs: [input], ints: [], floats: [], expected };
}

/** Rows that few different values make, so that most have ties. */
const ties: OwnCase = {
  name: "ties",
  samples: (dtype, source) =>
    [...range(2, 20), 33, 67].flatMap((n) =>
      [{}, { order: [1, 0] }, { reversed: [false, true] }].map((options) => {
        const values = ordinaryDraw(1, dtype, 4 * n, () => wrapOrNumber(dtype, source.integer(0, 2)));
        return choice(valued(dtype, place([4, n], options), values), unwritten("int64", place([4])));
      }),
    ),
};

/** Zeros of both signs are equal. */
const zeros: OwnCase = {
  name: "signed-zeros",
  dtypes: FLOAT_DTYPES,
  samples: (dtype, source) =>
    range(2, 20).map((n) => {
      const values = ordinaryDraw(1, dtype, 4 * n, () => source.pick([0, -0, -1]));
      return choice(valued(dtype, place([4, n]), values), unwritten("int64", place([4])));
    }),
};

function wrapOrNumber(dtype: DType, small: number): Value {
  return isFloat(dtype) ? small : wrapTo(dtype, BigInt(small));
}

const argmax = (): KernelModel => ({
  ...oneAxis(),
  spec: OPERATIONS.argmax,
  bound: ROUNDED,
  roles: ["out", "in"],
  pointwise: false,
  largest: true,
  special: [1],
  own: [ties, zeros],
  sample(dtype, shape, placers, draw, source) {
    const input = valued(
      dtype,
      placers[1]!(shape),
      draw(1, dtype, sizeOf(shape), () => everyday(dtype, source)),
    );
    return choice(input, unwritten("int64", placers[0]!(shape.slice(0, -1))));
  },
});

/** `argmax`, `softmax` and `logSoftmax`. */
export function rowsModels(): readonly KernelModel[] {
  return [argmax(), normaliseModel("softmax"), normaliseModel("logSoftmax")];
}
