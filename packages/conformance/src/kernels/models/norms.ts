import { OPERATIONS } from "@sw/tensor/seam";
import { type AccumulatedBound, accumulated, wide } from "../../bounds.js";
import { Accumulator, exactSum } from "../../exact-sums.js";
import type { Role } from "../../operands/forms.js";
import { sizeOf } from "../../operands/placing.js";
import { type DType, unitRoundoff } from "../../values.js";
import { type KernelModel, lengths, range } from "../model.js";
import { oneAxis } from "../one-axis.js";
import { everyday, numbersOf, unwritten, valued } from "../plans.js";
import type { Expected, Plan } from "../sample.js";

// A group of elements is normalised together: a row of layerNorm and rmsNorm, a channel of batchNorm, of which a
// problem is `[channels, ...rest]`.

type Kernel = "layerNorm" | "rmsNorm" | "batchNorm";

/** A number of the reference, and what its bound is relative to. */
type Fact = readonly [value: number, magnitude: number];

/** What is found of one group. */
interface Group {
  readonly normalised: readonly Fact[];
  readonly inverse: Fact;
  readonly mean: Fact;
  readonly variance: Fact;
}

/**
 * Mean first, then the squares of distances, with sums of twice the precision. The mean of a candidate may be off by a
 * few units of its elements' mean size; what follows of the variance is the square of that.
 */
function standardised(group: readonly number[], epsilon: number, dtype: DType): Group {
  const n = group.length;
  const { sum, magnitude } = exactSum(group);
  const [mean, size] = [sum / n, magnitude / n];
  const squares = new Accumulator();
  for (const x of group) squares.addProduct(x - mean, x - mean);
  const variance = squares.result().sum / n;
  const deviation = Math.sqrt(variance + epsilon);
  const ofMean = unitRoundoff(dtype === "float64" ? "float64" : "float32") * (n + 16) * size * size;
  const loose = 1 + ofMean / (variance + epsilon);
  return {
    normalised: group.map((x) => {
      const y = (x - mean) / deviation;
      return [y, (Math.abs(x) + size) / deviation + Math.abs(y) * loose];
    }),
    inverse: [1 / deviation, loose / deviation],
    mean: [mean, size],
    variance: [variance, variance + ofMean],
  };
}

function scaledToOne(group: readonly number[], epsilon: number): Group {
  const squares = new Accumulator();
  for (const x of group) squares.addProduct(x, x);
  const inverse = 1 / Math.sqrt(squares.result().sum / group.length + epsilon);
  return {
    normalised: group.map((x) => [x * inverse, Math.abs(x * inverse)]),
    inverse: [inverse, inverse],
    mean: [0, 0],
    variance: [0, 0],
  };
}

function expectedOf(facts: readonly Fact[], terms: number): Expected {
  return { values: facts.map(([value]) => value), magnitudes: facts.map(([, magnitude]) => magnitude), terms };
}

/** What a call has beside `x` and the outputs that are always there. */
interface Form {
  readonly variant: string;
  readonly affine: boolean;
  readonly saved: boolean;
  readonly epsilon: number;
}

const FORMS: readonly Form[] = [
  { variant: "plain", affine: false, saved: false, epsilon: 1e-5 },
  { variant: "affine", affine: true, saved: false, epsilon: 1e-3 },
  { variant: "saving", affine: true, saved: true, epsilon: 1e-5 },
];

/** Extents of a kernel whose groups are all but the first axis. */
function channels(): ReturnType<typeof oneAxis> {
  return {
    problems: [
      [3, 5],
      [2, 3, 4],
      [3, 2, 2, 3],
    ],
    sizes: [...lengths().map((n) => [1, n]), ...range(1, 20).map((n) => [3, n, 2])],
    ones: [
      [1, 1],
      [3, 1],
      [1, 1, 1],
      [2, 1, 3],
    ],
    empty: [],
    small: [...range(1, 9).map((n) => [1, n]), [2, 3], [2, 2, 2]],
    randomProblem: (source) => Array.from({ length: source.integer(2, 4) }, () => source.integer(1, 5)),
  };
}

function model(kernel: Kernel, { variant, affine, saved, epsilon }: Form): KernelModel {
  const batch = kernel === "batchNorm";
  const parameters = affine ? (kernel === "rmsNorm" ? 1 : 2) : 0;
  const outputs = (batch ? 3 : 1) + (saved ? 2 : 0);
  const counts: Partial<AccumulatedBound> = { constant: 16, perDoubling: 2, perTermOfFloat64: 1 };
  const of = kernel === "rmsNorm" ? "|w·y|" : "|w|·(|x| + Σ|x| / n) / σ + |b|";
  const roles: Role[] = [...range(1, outputs).map((): Role => "out"), ...range(0, parameters).map((): Role => "in")];
  return {
    ...(batch ? channels() : oneAxis()),
    spec: OPERATIONS[kernel],
    variant,
    bound: accumulated(of, counts),
    exactBound: wide(of, { constant: 16, perTerm: 1 }),
    roles,
    pointwise: false,
    largest: false,
    special: range(outputs, outputs + parameters),
    own: [],
    sample(dtype, shape, placers, draw, source) {
      const axis = shape.length - 1;
      const outer = batch ? shape.slice(0, 1) : shape.slice(0, -1);
      const own = batch ? outer : shape.slice(axis);
      const input = (i: number, extents: readonly number[]): Plan =>
        valued(
          dtype,
          placers[outputs + i]!(extents),
          draw(outputs + i, dtype, sizeOf(extents), () => everyday(dtype, source)),
        );
      const inputs = [input(0, shape), ...range(1, parameters).map((i) => input(i, own))];
      const ofOutputs = [shape, ...(batch ? [outer, outer] : []), ...(saved ? [shape, outer] : [])];
      const expected = (): readonly Expected[] => {
        const [x, weight, bias] = inputs.map(numbersOf) as [
          readonly number[],
          (readonly number[])?,
          (readonly number[])?,
        ];
        const terms = x.length / Math.max(1, sizeOf(outer));
        const groups = range(0, sizeOf(outer) - 1).map((i) => {
          const group = x.slice(i * terms, (i + 1) * terms);
          return kernel === "rmsNorm" ? scaledToOne(group, epsilon) : standardised(group, epsilon, dtype);
        });
        const results = groups.flatMap(({ normalised }, g) =>
          normalised.map(([y, magnitude], i): Fact => {
            const w = weight?.[batch ? g : i] ?? 1;
            const b = bias?.[batch ? g : i];
            return [b === undefined ? y * w : y * w + b, Math.abs(w) * magnitude + Math.abs(b ?? 0)];
          }),
        );
        const facts: (readonly Fact[])[] = [results];
        if (batch)
          facts.push(
            groups.map(({ mean }) => mean),
            groups.map(({ variance }) => variance),
          );
        if (saved)
          facts.push(
            groups.flatMap(({ normalised }) => normalised),
            groups.map(({ inverse }) => inverse),
          );
        return facts.map((list) => expectedOf(list, terms));
      };
      const plans = ofOutputs.map((extents, i) => unwritten(dtype, placers[i]!(extents)));
      return { outputs: plans, inputs, ints: [], floats: [epsilon], expected };
    },
  };
}

/** `layerNorm`, `rmsNorm` and `batchNorm`, with and without what is optional. */
export function normModels(): readonly KernelModel[] {
  return (["layerNorm", "rmsNorm", "batchNorm"] as const).flatMap((kernel) => FORMS.map((form) => model(kernel, form)));
}
