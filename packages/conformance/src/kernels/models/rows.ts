import { OPERATIONS } from "@sw/tensor/seam";
import { accumulated, ROUNDED, wide } from "../../bounds.js";
import { Accumulator } from "../../exact-sums.js";
import { contiguous } from "../../operands/forms.js";
import { type Placer, place, sizeOf } from "../../operands/placing.js";
import { type DType, FLOAT_DTYPES, isFloat, type Value, wrapTo } from "../../values.js";
import { type KernelModel, type OwnCase, ordinaryDraw, range } from "../model.js";
import { oneAxis, rowsOf } from "../one-axis.js";
import { everyday, unwritten, valued } from "../plans.js";
import type { Expected, Plan, Sample } from "../sample.js";
import { normModels } from "./norms.js";

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

/** What a kernel of positions is told, and the positions that it finds in a row. */
interface Choice {
  readonly kernel: "argmax" | "argmin" | "argsort" | "topK";
  readonly variant?: string;
  readonly ints: readonly number[];
  /** How many positions there are of a row of `n`; absent where there is no axis for them. */
  readonly count?: (n: number) => number;
  readonly find: (row: readonly Value[]) => readonly number[];
}

/** Numbers ascend, NaN after them all; zeros of both signs are equal. */
function compare(a: Value, b: Value): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number(Number.isNaN(a)) - Number(Number.isNaN(b));
  return a < b ? -1 : Number(a > b);
}

/** Positions in the order of their elements, of equals in their own. */
function sorted(row: readonly Value[], descending: boolean): readonly number[] {
  const sign = descending ? -1 : 1;
  return range(0, row.length - 1).sort((i, j) => sign * compare(row[i]!, row[j]!) || i - j);
}

/** The first NaN, or else the first of the smallest or largest. */
function extreme(row: readonly Value[], largest: boolean): readonly number[] {
  const nan = row.findIndex((x) => Number.isNaN(x));
  return nan >= 0 ? [nan] : sorted(row, largest).slice(0, 1);
}

function choices(): readonly Choice[] {
  const half = (n: number): number => Math.ceil(n / 2);
  const order = (descending: boolean): Choice => ({
    kernel: "argsort",
    variant: descending ? "descending" : "ascending",
    ints: [Number(descending)],
    count: (n) => n,
    find: (row) => sorted(row, descending),
  });
  const top = (largest: boolean): Choice => ({
    kernel: "topK",
    variant: largest ? "largest" : "smallest",
    ints: [Number(largest)],
    count: half,
    find: (row) => sorted(row, largest).slice(0, half(row.length)),
  });
  return [
    { kernel: "argmax", ints: [], find: (row) => extreme(row, true) },
    { kernel: "argmin", ints: [], find: (row) => extreme(row, false) },
    order(false),
    order(true),
    top(true),
    top(false),
  ];
}

function chosen({ ints, find, count }: Choice, input: Plan, placer: Placer): Sample {
  const { shape } = input.placement;
  const n = shape[shape.length - 1]!;
  const outer = shape.slice(0, -1);
  const output = unwritten("int64", placer(count === undefined ? outer : [...outer, count(n)]));
  const expected = (): readonly Expected[] => [{ values: rowsOf(input).flatMap((row) => find(row).map(BigInt)) }];
  return { outputs: [output], inputs: [input], ints, floats: [], expected };
}

/** Rows that few different values make, so that most have ties. */
const ties = (choice: Choice): OwnCase => ({
  name: "ties",
  samples: (dtype, source) =>
    [...range(2, 20), 33, 67].flatMap((n) =>
      [{}, { order: [1, 0] }, { reversed: [false, true] }].map((options) => {
        const values = ordinaryDraw(1, dtype, 4 * n, () => wrapOrNumber(dtype, source.integer(0, 2)));
        return chosen(choice, valued(dtype, place([4, n], options), values), contiguous);
      }),
    ),
});

/** Zeros of both signs are equal; several NaN are as well. */
const zeros = (choice: Choice): OwnCase => ({
  name: "signed-zeros",
  dtypes: FLOAT_DTYPES,
  samples: (dtype, source) =>
    range(2, 20).flatMap((n) =>
      [
        [0, -0, -1],
        [0, -0, Number.NaN, 1],
      ].map((some) => {
        const values = ordinaryDraw(1, dtype, 4 * n, () => source.pick(some));
        return chosen(choice, valued(dtype, place([4, n]), values), contiguous);
      }),
    ),
});

function wrapOrNumber(dtype: DType, small: number): Value {
  return isFloat(dtype) ? small : wrapTo(dtype, BigInt(small));
}

function choiceModel(choice: Choice): KernelModel {
  return {
    ...oneAxis(),
    spec: OPERATIONS[choice.kernel],
    ...(choice.variant === undefined ? {} : { variant: choice.variant }),
    bound: ROUNDED,
    roles: ["out", "in"],
    pointwise: false,
    largest: true,
    special: [1],
    own: [ties(choice), zeros(choice)],
    sample(dtype, shape, placers, draw, source) {
      const input = valued(
        dtype,
        placers[1]!(shape),
        draw(1, dtype, sizeOf(shape), () => everyday(dtype, source)),
      );
      return chosen(choice, input, placers[0]!);
    },
  };
}

/** The sums of a row's beginnings, and of their terms' sizes. The first element is no sum: -0 stays. */
function cumulated(row: readonly number[]): readonly (readonly [sum: number, magnitude: number])[] {
  const total = new Accumulator();
  let negativeZero = true;
  return row.map((x) => {
    total.add(x);
    negativeZero &&= Object.is(x, -0);
    const { sum, magnitude } = total.result();
    return [negativeZero ? -0 : sum, magnitude];
  });
}

function cumulatedIntegers(row: readonly Value[]): readonly Value[] {
  let sum = 0n;
  return row.map((x) => {
    sum += BigInt(x);
    return wrapTo("int64", sum);
  });
}

const cumsum = (): KernelModel => ({
  ...oneAxis(),
  spec: OPERATIONS.cumsum,
  bound: accumulated("Σ|x|", { constant: 16, perDoubling: 2, perTermOfFloat64: 1 }),
  exactBound: wide("Σ|x|", { constant: 2, perTerm: 1 }),
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
    const terms = shape[shape.length - 1]!;
    const expected = (): readonly Expected[] => {
      if (!isFloat(dtype)) return [{ values: rowsOf(input).flatMap(cumulatedIntegers) }];
      const sums = rowsOf(input).flatMap((row) => cumulated(row as readonly number[]));
      return [{ values: sums.map(([sum]) => sum), magnitudes: sums.map(([, magnitude]) => magnitude), terms }];
    };
    const output = unwritten(isFloat(dtype) ? dtype : "int64", placers[0]!(shape));
    return { outputs: [output], inputs: [input], ints: [], floats: [], expected };
  },
});

/** The kernels along one axis. */
export function rowsModels(): readonly KernelModel[] {
  return [
    ...choices().map(choiceModel),
    cumsum(),
    normaliseModel("softmax"),
    normaliseModel("logSoftmax"),
    ...normModels(),
  ];
}
