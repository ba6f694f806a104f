import { describe } from "@sw/layout";
import { type DType, type Generator, rand, type Tensor } from "@sw/tensor";
import { defaultPool, withScope } from "@sw/tensor/seam";
import { parameter } from "../parameter.js";

/** Where the first numbers of a module come from. @since 0.1.0 */
export interface RandomModuleOptions<D extends DType> {
  readonly generator: Generator;
  /** Default: float32. */
  readonly dtype?: D;
}

/** Checks, before anything is drawn, that there is a generator. */
export function checkGenerator(operation: string, generator: unknown): void {
  if (typeof generator === "object" && generator !== null && "@sw/tensor/Generator/1" in generator) return;
  throw new TypeError(
    `${operation}: no generator: got ${describe(generator)}, expected one made by createGenerator. Pass { generator }.`,
  );
}

/**
 * Makes a parameter of numbers drawn evenly from ±1/√fan, outside any arena: it outlives the step that it is made in.
 *
 * @param fan - how many numbers a result of the module is made of: so results are about as large as what they are made of.
 */
export function randomParameter<D extends DType>(
  shape: readonly number[],
  fan: number,
  { generator, dtype }: RandomModuleOptions<D>,
): Tensor<D> {
  const high = 1 / Math.sqrt(fan);
  return kept(() => rand(shape, { generator, low: -high, high, dtype: dtype ?? ("float32" as D) }));
}

/** Makes a parameter of what a function makes, outside any arena. */
export function kept<D extends DType>(make: () => Tensor<D>): Tensor<D> {
  return withScope({ memory: defaultPool() }, () => parameter(make() as Tensor) as never) as Tensor<D>;
}

/** Returns the memory of parameters, and that of their gradients. */
export function disposeAll(parameters: readonly Tensor[]): void {
  for (const p of parameters) {
    p.grad?.dispose();
    p.dispose();
  }
}
