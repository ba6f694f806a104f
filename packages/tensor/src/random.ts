import { describe } from "@sw/layout";
import { createWith } from "./create.js";
import { checkDType, type DType } from "./dtype.js";
import { toElement } from "./element.js";
import { TensorValueError } from "./errors.js";
import { checkKind } from "./gate.js";
import { type Generator, isGenerator, seeded } from "./generator.js";
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
  options: RandomOptions<D>,
  draw: (generator: Generator) => number,
): Tensor<D> {
  const dtype = (options.dtype ?? "float32") as D;
  checkDType(operation, dtype);
  checkKind(operation, dtype, ["float"]);
  const generator = sourceOf(operation, options);
  return createWith(operation, shape, dtype, (elements) => {
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
  return fillWith("rand", shape, options, (g) => low + (Math.floor(g.uniform() * scale) / scale) * width);
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
  return fillWith("randn", shape, options, (g) => mean + deviation * g.normal());
}
