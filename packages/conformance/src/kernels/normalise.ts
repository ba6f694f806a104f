import { Accumulator } from "../exact-sums.js";
import { sizeOf } from "../operands/placing.js";
import type { KernelModel } from "./model.js";
import { ONE_AXIS, rowsOf } from "./one-axis.js";
import { everyday, unwritten, valued } from "./plans.js";
import type { Expected } from "./sample.js";

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
  return {
    ...ONE_AXIS,
    kernel,
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

/** `softmax` and `logSoftmax`. */
export const NORMALISE: readonly KernelModel[] = /* @__PURE__ */ (["softmax", "logSoftmax"] as const).map(
  normaliseModel,
);
