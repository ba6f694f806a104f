import { OPERATIONS } from "@sw/tensor/seam";
import { accumulated, type Bound, ROUNDED, wide } from "../../bounds.js";
import { Accumulator, exactProduct, exactSum } from "../../exact-sums.js";
import { type Placement, type PlaceOptions, place, sizeOf } from "../../operands/placing.js";
import type { Random } from "../../random.js";
import { type DType, FLOAT_DTYPES, INTEGER_DTYPES, isFloat, unitRoundoff, type Value, wrapTo } from "../../values.js";
import { type KernelModel, lengths, type OwnCase, ordinaryDraw, range } from "../model.js";
import { between, everyday, valued } from "../plans.js";
import type { Expected, Plan, Sample } from "../sample.js";

// A problem is `[kept, ...shape]`: how many of the loops are kept, then the extents of all, kept ones first.

/** One result, and what its bound is relative to; the result itself where that is absent. */
interface Result {
  readonly value: Value;
  readonly magnitude?: number;
}

/** What a reduction is of the elements it reduces: of floats in float64, of all else exactly. */
interface Rule {
  readonly kernel: "sum" | "prod" | "mean" | "min" | "max" | "any" | "all" | "variance" | "norm" | "logSumExp";
  readonly variant?: string;
  readonly floats?: readonly number[];
  /** The dtype of the result. */
  readonly result: (dtype: DType) => DType;
  readonly float: (terms: readonly number[], dtype: DType) => Result;
  readonly integer?: (terms: readonly bigint[], dtype: DType) => Value;
  readonly bound: Bound;
  readonly exactBound?: Bound;
  readonly ordinary?: (dtype: DType, source: Random) => Value;
  /** Whether it makes something of nothing. */
  readonly empty: boolean;
  readonly own: (rule: Rule) => readonly OwnCase[];
}

const itself = (dtype: DType): DType => dtype;
const ofSums = (dtype: DType): DType => (isFloat(dtype) ? dtype : "int64");
const ofTruth = (): DType => "bool";
const none = (): readonly OwnCase[] => [];

function reduction(rule: Rule, input: Plan, keptPlacement: Placement): Sample {
  const { shape } = input.placement;
  const kept = keptPlacement.shape.length;
  const strides = shape.map((_, axis) => (axis < kept ? keptPlacement.strides[axis]! : 0));
  const placement = { ...keptPlacement, shape, strides };
  const output: Plan = { dtype: rule.result(input.dtype), placement, loops: kept };
  const expected = (): readonly Expected[] => [
    reducedExpected(rule, input, sizeOf(shape.slice(0, kept)), sizeOf(shape.slice(kept))),
  ];
  return { outputs: [output], inputs: [input], ints: [], floats: rule.floats ?? [], expected };
}

function reducedExpected(
  rule: Rule,
  { dtype, values }: Pick<Plan, "dtype" | "values">,
  results: number,
  terms: number,
): Expected {
  const found = range(0, results - 1).map((i): Result => {
    const part = values!.slice(i * terms, (i + 1) * terms);
    if (isFloat(dtype)) return rule.float(part as number[], dtype);
    return { value: rule.integer!(part.map(BigInt), dtype) };
  });
  return {
    values: found.map(({ value }) => value),
    magnitudes: found.map(({ value, magnitude }) => magnitude ?? Math.abs(Number(value))),
    terms,
  };
}

/** The smaller of two numbers: NaN before all, -0 below +0. */
function lower(a: number, b: number): number {
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.NaN;
  if (a === b) return Object.is(a, -0) ? a : b;
  return a < b ? a : b;
}

function extremeRule(kernel: "min" | "max"): Rule {
  const sign = kernel === "min" ? 1 : -1;
  return {
    kernel,
    result: itself,
    float: (terms) => ({ value: sign * terms.map((x) => sign * x).reduce(lower) }),
    integer: (terms, dtype) =>
      wrapTo(
        dtype,
        terms.reduce((a, b) => (a < b === (kernel === "min") ? a : b)),
      ),
    bound: ROUNDED,
    empty: false,
    own: (rule) => [zeros(rule)],
  };
}

function truthRule(kernel: "any" | "all"): Rule {
  const of = (truths: readonly boolean[]): number =>
    Number(kernel === "any" ? truths.includes(true) : !truths.includes(false));
  return {
    kernel,
    result: ofTruth,
    float: (terms) => ({ value: of(terms.map((x) => x !== 0)) }),
    integer: (terms) => of(terms.map((x) => x !== 0n)),
    bound: ROUNDED,
    // Zeros are rare among everyday values.
    ordinary: (dtype, source) => {
      const zero = source.next() < (kernel === "any" ? 0.9 : 0.1);
      return zero ? wrapTo(dtype, 0n) : everyday(dtype, source);
    },
    empty: true,
    own: none,
  };
}

/** Two passes, the sums of twice the precision: the mean's own error counts as its square. */
function varianceOf(terms: readonly number[], correction: number, dtype: DType): Result {
  const n = terms.length;
  const { sum, magnitude: size } = exactSum(terms);
  const squares = new Accumulator();
  for (const x of terms) squares.addProduct(x - sum / n, x - sum / n);
  const divisor = Math.max(0, n - correction);
  const { sum: total } = squares.result();
  const ofMean =
    unitRoundoff(isFloat(dtype) && dtype === "float64" ? "float64" : "float32") * (n + 16) * (size / n) ** 2;
  return { value: total / divisor, magnitude: (total + n * ofMean) / divisor };
}

function varianceRule(correction: number): Rule {
  const of = "Σ(x − m)² / n + (n + 16)·u·(Σ|x| / n)²";
  return {
    kernel: "variance",
    variant: `correction-${correction}`,
    floats: [correction],
    result: itself,
    float: (terms, dtype) => varianceOf(terms, correction, dtype),
    bound: accumulated(of, { constant: 16, perDoubling: 2, perTermOfFloat64: 1 }),
    exactBound: wide(of, { constant: 16, perTerm: 1 }),
    empty: true,
    own: (rule) => [farFromZero(rule)],
  };
}

/** Numbers that differ little, for their size: their squares have no digit left for it in float32. */
const farFromZero = (rule: Rule): OwnCase => ({
  name: "far-from-zero",
  dtypes: ["float32", "float64"],
  samples: (dtype, source) =>
    [2, 5, 64, 301].map((n) => {
      const values = ordinaryDraw(1, dtype, 3 * n, () => between(dtype, 4000, 4004, source));
      return reduction(rule, valued(dtype, place([3, n]), values), place([3]));
    }),
});

/** Below this the squares of float64 are lost: a norm may come out as 0. */
const LOST_SQUARES = 2 ** -460;

function normRule(order: number): Rule {
  const of = order === 2 ? "max(y, 2⁻⁴⁶⁰)" : "y";
  const value = (terms: readonly number[]): number => {
    const sizes = terms.map(Math.abs);
    if (order === 1) return exactSum(sizes).sum;
    if (order === 2) {
      const squares = new Accumulator();
      for (const x of terms) squares.addProduct(x, x);
      return Math.sqrt(squares.result().sum);
    }
    return sizes.reduce((a, b) => -lower(-a, -b), 0);
  };
  return {
    kernel: "norm",
    variant: order === Number.POSITIVE_INFINITY ? "order-infinity" : `order-${order}`,
    floats: [order],
    result: itself,
    float: (terms) => {
      const y = value(terms);
      return { value: y, magnitude: order === 2 ? Math.max(y, LOST_SQUARES) : y };
    },
    bound: order > 2 ? ROUNDED : accumulated(of, { constant: 16, perDoubling: 2, perTermOfFloat64: 1 }),
    ...(order > 2 ? {} : { exactBound: wide(of, { constant: 4, perTerm: 1 }) }),
    empty: true,
    own: none,
  };
}

function logSumExpOf(terms: readonly number[]): Result {
  const largest = terms.reduce((a, b) => -lower(-a, -b), Number.NEGATIVE_INFINITY);
  if (!Number.isFinite(largest)) return { value: largest };
  const total = new Accumulator();
  for (const x of terms) total.add(Math.exp(x - largest));
  return { value: largest + Math.log(total.result().sum), magnitude: 1 + Math.abs(largest) };
}

/** Factors of size 1 and below: whatever the order, nothing overflows midway, and what underflows is not scaled up. */
function factor(dtype: DType, source: Random): Value {
  if (!isFloat(dtype)) return everyday(dtype, source);
  const size = source.next() < 0.15 ? between(dtype, 0.5, 1, source) : 1;
  return source.next() < 0.5 ? size : -size;
}

function rules(): readonly Rule[] {
  const doubling = { constant: 16, perDoubling: 2, perTermOfFloat64: 1 };
  return [
    {
      kernel: "sum",
      result: ofSums,
      float: (terms) => {
        const { sum, magnitude } = exactSum(terms);
        return { value: sum, magnitude };
      },
      integer: (terms) =>
        wrapTo(
          "int64",
          terms.reduce((a, b) => a + b, 0n),
        ),
      bound: accumulated("Σ|x|", doubling),
      exactBound: wide("Σ|x|", { constant: 2, perTerm: 1 }),
      empty: true,
      own: (rule) => [swallowing(rule), longIntegers(rule)],
    },
    {
      kernel: "prod",
      result: ofSums,
      float: (terms) => ({ value: exactProduct(terms) }),
      integer: (terms) =>
        wrapTo(
          "int64",
          terms.reduce((a, b) => a * b, 1n),
        ),
      bound: accumulated("|y|", { constant: 2, perTerm: 1 }),
      exactBound: wide("|y|", { constant: 2, perTerm: 1 }),
      ordinary: factor,
      empty: true,
      own: (rule) => [growing(rule), oddIntegers(rule)],
    },
    {
      kernel: "mean",
      result: itself,
      float: (terms) => {
        const { sum, magnitude } = exactSum(terms);
        return { value: sum / terms.length, magnitude: magnitude / terms.length };
      },
      bound: accumulated("Σ|x| / n", doubling),
      exactBound: wide("Σ|x| / n", { constant: 4, perTerm: 1 }),
      empty: true,
      own: (rule) => [swallowing(rule)],
    },
    extremeRule("min"),
    extremeRule("max"),
    truthRule("any"),
    truthRule("all"),
    varianceRule(0),
    varianceRule(1),
    normRule(1),
    normRule(2),
    normRule(Number.POSITIVE_INFINITY),
    {
      kernel: "logSumExp",
      result: itself,
      float: logSumExpOf,
      bound: accumulated("1 + |max|", doubling),
      exactBound: wide("1 + |max|", { constant: 4, perTerm: 1 }),
      empty: true,
      own: none,
    },
  ];
}

/** What a reduction is, for programs that end in one. */
export interface ReductionRule {
  readonly bound: Bound;
  readonly empty: boolean;
  result(dtype: DType): DType;
  /** Of `results` times `terms` elements. */
  expected(dtype: DType, values: readonly Value[], results: number, terms: number): Expected;
}

export function reductionRule(kernel: Rule["kernel"]): ReductionRule {
  const rule = rules().find((one) => one.kernel === kernel)!;
  const { bound, empty, result } = rule;
  return {
    bound,
    empty,
    result,
    expected: (dtype, values, ...counts) => reducedExpected(rule, { dtype, values }, ...counts),
  };
}

/** The layouts that a long sum is read through. */
const LONG: readonly PlaceOptions[] = [{}, { gap: 2 }, { reversed: [false, true] }, { order: [1, 0] }];

/** Field case 17: one large term, and a thousand that are below half a unit of it. */
function swallowing(rule: Rule): OwnCase {
  return {
    name: "large-and-small-terms",
    dtypes: ["float32"],
    samples: (dtype) =>
      LONG.map((options) => {
        const row = [2 ** 24, ...Array.from({ length: 1000 }, () => 1)];
        return reduction(rule, valued(dtype, place([2, 1001], options), [...row, ...row]), place([2]));
      }),
  };
}

/** Integers whose sum needs more bits than they have, and more than a float64 has. */
const longIntegers = (rule: Rule): OwnCase => ({
  name: "wide-integers",
  dtypes: ["int32", "uint32", "int64", "uint64", "int8", "uint8", "int16", "uint16"],
  samples: (dtype, source) =>
    [300, 1031].map((n) =>
      reduction(
        rule,
        valued(
          dtype,
          place([2, n]),
          ordinaryDraw(1, dtype, 2 * n, () => everyday(dtype, source)),
        ),
        place([2]),
      ),
    ),
});

/** Odd factors: the product of many others is 0 modulo 2^64. */
const oddIntegers = (rule: Rule): OwnCase => ({
  name: "wide-integers",
  dtypes: INTEGER_DTYPES,
  samples: (dtype, source) =>
    [2, 3, 7, 40].map((n) => {
      const odd = (): Value => wrapTo(dtype, BigInt(everyday(dtype, source)) | 1n);
      return reduction(rule, valued(dtype, place([2, n]), ordinaryDraw(1, dtype, 2 * n, odd)), place([2]));
    }),
});

/** Zeros of both signs among what they win against. */
const zeros = (rule: Rule): OwnCase => ({
  name: "signed-zeros",
  dtypes: FLOAT_DTYPES,
  samples: (dtype, source) =>
    range(2, 20).map((n) => {
      const some = [0, -0, rule.kernel === "min" ? 1 : -1];
      const values = ordinaryDraw(1, dtype, 4 * n, () => source.pick(some));
      return reduction(rule, valued(dtype, place([4, n]), values), place([4]));
    }),
});

/** Products that grow, and that every float dtype but float16 holds exactly. */
const growing = (rule: Rule): OwnCase => ({
  name: "growing-products",
  dtypes: ["float32", "float64", "bfloat16"],
  samples: (dtype) =>
    [[2, 3, 4, 5], [-2, 2, -2, 2, -2, 2, -2], Array.from({ length: 100 }, () => 2), [0.5, 8, -4, 16]].map((terms) =>
      reduction(rule, valued(dtype, place([terms.length]), terms), place([])),
    ),
});

function model(rule: Rule): KernelModel {
  const ordinary = rule.ordinary ?? everyday;
  return {
    spec: OPERATIONS[rule.kernel],
    bound: rule.bound,
    ...(rule.exactBound === undefined ? {} : { exactBound: rule.exactBound }),
    ...(rule.variant === undefined ? {} : { variant: rule.variant }),
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
    empty: rule.empty
      ? [
          [0, 0],
          [1, 3, 0],
          [1, 3, 0, 2],
          [1, 3, 2, 0],
          [2, 2, 3, 0],
        ]
      : [],
    small: [...range(1, 9).map((n) => [0, n]), [0, 17], [1, 2, 5], [1, 5, 2]],
    pointwise: false,
    largest: rule.bound === ROUNDED,
    special: [1],
    own: rule.own(rule),
    randomProblem(source) {
      const shape = Array.from({ length: source.integer(0, 4) }, () => source.integer(1, 6));
      return [source.integer(0, shape.length), ...shape];
    },
    sample(dtype, [kept, ...shape], placers, draw, source) {
      const input = valued(
        dtype,
        placers[1]!(shape),
        draw(1, dtype, sizeOf(shape), () => ordinary(dtype, source)),
      );
      return reduction(rule, input, placers[0]!(shape.slice(0, kept)));
    },
  };
}

/** The kernels that reduce over loops. */
export function reduceModels(): readonly KernelModel[] {
  return rules().map(model);
}
