import { createWith } from "./create.js";
import { DTYPES, type DType } from "./dtype.js";
import { toElement } from "./element.js";
import { TensorValueError } from "./errors.js";
import { createGenerator, type Generator, isGenerator } from "./generator.js";
import type { Tensor } from "./tensor.js";
import type { Writable } from "./window.js";

/** Where random numbers come from: a seed, or a generator that goes on. One of them is needed: nothing is random by accident. @since 0.1.0 */
export type RandomOptions<D extends DType> = { readonly dtype?: D } & (
  | { readonly seed: number }
  | { readonly generator: Generator }
);

function fillWith<D extends DType>(
  operation: string,
  shape: readonly number[],
  options: RandomOptions<D>,
  draw: (generator: Generator) => number,
): Tensor<D> {
  const dtype = (options.dtype ?? "float32") as D;
  if (DTYPES[dtype]?.kind !== "float") {
    throw new TensorValueError(
      "SW_TENSOR_DTYPE_REFUSED",
      `${operation}: not for this dtype: got ${String(dtype)}, expected a float dtype.`,
      { given: dtype },
    );
  }
  const given = "generator" in options ? options.generator : undefined;
  const generator = given ?? createGenerator((options as { readonly seed: number }).seed);
  if (!isGenerator(generator)) {
    throw new TypeError(
      `${operation}: not a generator: got ${typeof generator}, expected one made by createGenerator.`,
    );
  }
  return createWith(operation, shape, dtype, (elements) => {
    const out = elements as Writable;
    for (let i = 0; i < elements.length; i++) out[i] = toElement(operation, dtype, draw(generator), i);
  });
}

/** Significant bits of each float dtype: more would round some draws up to 1. */
const SIGNIFICANT_BITS: { readonly [D in DType]?: number } = { float64: 53, float32: 24, float16: 11, bfloat16: 8 };

/** Makes uniform random numbers in [0, 1), never 1. The same seed gives the same numbers everywhere. @since 0.1.0 */
export function rand<D extends DType = "float32">(shape: readonly number[], options: RandomOptions<D>): Tensor<D> {
  const scale = 2 ** (SIGNIFICANT_BITS[options.dtype ?? "float32"] ?? 53);
  return fillWith("rand", shape, options, (generator) => Math.floor(generator.uniform() * scale) / scale);
}

/** Makes normal random numbers of mean 0 and variance 1. @since 0.1.0 */
export function randn<D extends DType = "float32">(shape: readonly number[], options: RandomOptions<D>): Tensor<D> {
  return fillWith("randn", shape, options, (generator) => generator.normal());
}
