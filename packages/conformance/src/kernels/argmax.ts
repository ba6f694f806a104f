import { place, sizeOf } from "../operands/placing.js";
import { type DType, FLOAT_DTYPES, isFloat, type Value, wrapTo } from "../values.js";
import { type KernelModel, type OwnCase, ordinaryDraw, range } from "./model.js";
import { ONE_AXIS, rowsOf } from "./one-axis.js";
import { everyday, unwritten, valued } from "./plans.js";
import type { Expected, Plan, Sample } from "./sample.js";

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

/** `argmax`. */
export const ARGMAX: KernelModel = {
  ...ONE_AXIS,
  kernel: "argmax",
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
};
