import { describe } from "@sw/layout";
import { createWith } from "./create.js";
import { checkDType, type DType, type DTypeKind } from "./dtype.js";
import { endsOf, toElement } from "./element.js";
import { TensorValueError } from "./errors.js";
import { checkKind } from "./gate.js";
import { type Generator, isGenerator, seeded } from "./generator.js";
import { EVERYTHING, FLOATS } from "./operations/spec.js";
import { checkOptions } from "./options.js";
import type { Tensor } from "./tensor.js";
import type { Writable } from "./window.js";

/** Where random numbers come from: a seed, or a generator that goes on. One of them is needed: nothing is random by accident. @since 0.1.0 */
export type RandomOptions<D extends DType> = { readonly dtype?: D } & (
  | { readonly seed: number }
  | { readonly generator: Generator }
);

/** The generator that options name, by itself or by its seed. */
function sourceOf(operation: string, options: { readonly seed?: unknown; readonly generator?: unknown }): Generator {
  const { seed, generator } = options;
  if ((seed === undefined) === (generator === undefined)) {
    throw new TypeError(
      `${operation}: numbers come of a seed or of a generator: got ${seed === undefined ? "neither" : "both"}, expected { seed: 1 } or { generator }.`,
    );
  }
  if (generator === undefined) return seeded(operation, seed);
  if (isGenerator(generator)) return generator;
  throw new TypeError(
    `${operation}: not a generator: got ${describe(generator)}, expected one made by createGenerator.`,
  );
}

function fillWith<D extends DType>(
  operation: string,
  shape: readonly number[],
  dtype: DType,
  kinds: readonly DTypeKind[],
  options: RandomOptions<D>,
  draw: (generator: Generator) => number,
): Tensor<D> {
  checkDType(operation, dtype);
  checkKind(operation, dtype, kinds);
  const generator = sourceOf(operation, options);
  return createWith(operation, shape, dtype as D, (elements) => {
    const out = elements as Writable;
    for (let i = 0; i < elements.length; i++) out[i] = toElement(operation, dtype, draw(generator), i);
  });
}

/** Options of {@link rand}: where from, and which interval. @since 0.1.0 */
export type UniformOptions<D extends DType> = RandomOptions<D> & {
  /** The least number; 0 by default. */
  readonly low?: number;
  /** The end of the interval; 1 by default. */
  readonly high?: number;
};

/** Options of {@link randn}: where from, and which distribution. @since 0.1.0 */
export type NormalOptions<D extends DType> = RandomOptions<D> & {
  /** 0 by default. */
  readonly mean?: number;
  /** The standard deviation; 1 by default. */
  readonly deviation?: number;
};

/** Checks that what describes a distribution is numbers. */
function checkNumbers(operation: string, given: { readonly [name: string]: unknown }): void {
  for (const [name, value] of Object.entries(given)) {
    if (typeof value === "number") continue;
    throw new TypeError(`${operation}: ${name} is not a number: got ${describe(value)}, expected a number.`);
  }
}

function checkDistribution(
  operation: string,
  given: { readonly [name: string]: number },
  fits: boolean,
  rule: string,
): void {
  if (fits) return;
  const values = Object.entries(given).map(([name, value]) => `${name} ${value}`);
  throw new TensorValueError(
    "SW_TENSOR_OPTION",
    `${operation}: no such distribution: got ${values.join(", ")}, expected ${rule}.`,
    { given: Object.values(given) },
  );
}

/** Significant bits of each float dtype: more would round some draws up to 1. */
const SIGNIFICANT_BITS: { readonly [D in DType]?: number } = { float64: 53, float32: 24, float16: 11, bfloat16: 8 };

/**
 * Makes uniform random numbers from `low` on and below `high`, by default in [0, 1). The same seed gives the same numbers
 * everywhere. Of another interval than [0, 1), rounding to the dtype may make `high` of a number next to it.
 *
 * @throws TypeError unless there is either a seed or a generator, for what is none, an unknown dtype, or a bound that is no number; TensorValueError `SW_TENSOR_OPTION` for bounds
 * that are no interval, `SW_TENSOR_DTYPE_REFUSED` for a dtype that is no float.
 * @since 0.1.0
 */
export function rand<D extends DType = "float32">(shape: readonly number[], options: UniformOptions<D>): Tensor<D> {
  checkOptions("rand", options, "{ seed: 1 }");
  const { low = 0, high = 1 } = options;
  checkNumbers("rand", { low, high });
  const width = high - low;
  checkDistribution(
    "rand",
    { low, high },
    width > 0 && Number.isFinite(width),
    "a finite interval with low below high",
  );
  const { dtype = "float32" } = options;
  checkDType("rand", dtype);
  const scale = 2 ** (SIGNIFICANT_BITS[dtype] ?? 53);
  return fillWith(
    "rand",
    shape,
    dtype,
    FLOATS,
    options,
    (g) => low + (Math.floor(g.uniform() * scale) / scale) * width,
  );
}

/**
 * Makes normal random numbers, by default of mean 0 and deviation 1.
 *
 * @throws as {@link rand}; TensorValueError `SW_TENSOR_OPTION` for a negative deviation.
 * @since 0.1.0
 */
export function randn<D extends DType = "float32">(shape: readonly number[], options: NormalOptions<D>): Tensor<D> {
  checkOptions("randn", options, "{ seed: 1 }");
  const { mean = 0, deviation = 1 } = options;
  checkNumbers("randn", { mean, deviation });
  const fits = Number.isFinite(mean) && Number.isFinite(deviation) && deviation >= 0;
  checkDistribution("randn", { mean, deviation }, fits, "a finite mean, and a finite deviation of at least 0");
  return fillWith("randn", shape, options.dtype ?? "float32", FLOATS, options, (g) => mean + deviation * g.normal());
}

/** Options of {@link bernoulli}: where from, and how likely true is. @since 0.1.0 */
export type BernoulliOptions<D extends DType> = RandomOptions<D> & {
  /** How likely an element is to be true, from 0 to 1. */
  readonly p: number;
};

/**
 * Draws true with a given probability, and false otherwise: bool unless a dtype is given, which has 1 and 0. An element is
 * true where the generator's next `uniform()`, of [0, 1), is below `p`: so with 0 none is, with 1 all are.
 *
 * @throws as {@link rand}, but for the dtype; TensorValueError `SW_TENSOR_OPTION` for a `p` that is no probability.
 * @example
 * ```ts
 * import { bernoulli } from "@sw/tensor";
 * console.log(bernoulli([4], { p: 1, seed: 7 }).toArray()); // [ true, true, true, true ]
 * ```
 * @since 0.1.0
 */
export function bernoulli<D extends DType = "bool">(shape: readonly number[], options: BernoulliOptions<D>): Tensor<D> {
  checkOptions("bernoulli", options, "{ p: 0.5, seed: 1 }");
  const { p } = options;
  checkNumbers("bernoulli", { p });
  checkDistribution("bernoulli", { p }, p >= 0 && p <= 1, "a probability from 0 to 1");
  return fillWith("bernoulli", shape, options.dtype ?? "bool", EVERYTHING, options, (g) => (g.uniform() < p ? 1 : 0));
}

const INTEGERS: readonly DTypeKind[] = ["int", "uint"];

/** Options of {@link randint}: where from, and which integers. @since 0.1.0 */
export type IntegerOptions<D extends DType> = RandomOptions<D> & {
  /** The least integer; 0 by default. */
  readonly low?: number;
  /** The end: one more than the greatest integer. */
  readonly high: number;
};

/**
 * Draws integers from `low` on and below `high`, all equally likely: int32 unless a dtype is given.
 * Each is `low` and the generator's next `integer(high − low)`.
 *
 * @throws as {@link rand}, but for the dtype; TensorValueError `SW_TENSOR_OPTION` for bounds that are no integers with
 * `low` below `high`, or that the dtype cannot hold; `SW_TENSOR_DTYPE_REFUSED` for a dtype that is no integer.
 * @example
 * ```ts
 * import { randint } from "@sw/tensor";
 * console.log(randint([3], { low: 5, high: 6, seed: 7 }).toArray()); // [ 5, 5, 5 ]
 * ```
 * @since 0.1.0
 */
export function randint<D extends DType = "int32">(shape: readonly number[], options: IntegerOptions<D>): Tensor<D> {
  checkOptions("randint", options, "{ high: 10, seed: 1 }");
  const { low = 0, high, dtype = "int32" } = options;
  checkNumbers("randint", { low, high });
  const width = high - low;
  const integers = Number.isSafeInteger(low) && Number.isSafeInteger(high) && width > 0 && Number.isSafeInteger(width);
  checkDistribution("randint", { low, high }, integers, "safe integers with low below high, less than 2^53 apart");
  checkDType("randint", dtype);
  checkKind("randint", dtype, INTEGERS);
  const [least, greatest] = endsOf(dtype);
  checkDistribution("randint", { low, high }, low >= least && high - 1 <= greatest, `integers that ${dtype} holds`);
  return fillWith("randint", shape, dtype, INTEGERS, options, (g) => low + g.integer(width));
}

/**
 * Draws an order of the integers from 0 to `n − 1`, all orders equally likely: the generator's `permutation(n)`, as int32
 * unless a dtype is given.
 *
 * @throws as {@link randint}; TypeError for an `n` that is no integer, TensorValueError `SW_TENSOR_OPTION` for one that is
 * not from 0 to 2³¹ − 1, `SW_TENSOR_VALUE` for one whose integers the dtype cannot hold.
 * @example
 * ```ts
 * import { permutation } from "@sw/tensor";
 * console.log([...permutation(4, { seed: 7 }).data()].sort()); // [ 0, 1, 2, 3 ]
 * ```
 * @since 0.1.0
 */
export function permutation<D extends DType = "int32">(n: number, options: RandomOptions<D>): Tensor<D> {
  checkOptions("permutation", options, "{ seed: 1 }");
  const { dtype = "int32" } = options;
  checkDType("permutation", dtype);
  checkKind("permutation", dtype, INTEGERS);
  const order = sourceOf("permutation", options).permutation(n);
  return createWith("permutation", [n], dtype as D, (elements) => {
    const out = elements as Writable;
    for (let i = 0; i < n; i++) out[i] = toElement("permutation", dtype, order[i], i);
  });
}
