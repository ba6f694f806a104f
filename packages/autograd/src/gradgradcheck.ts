import { createArena, createGenerator, type Tensor, tensor, withArena, zeros } from "@sw/tensor";
import { checkFunction, checkList, checkOptions } from "./check-argument.js";
import { type GradOptions, grad } from "./functional.js";
import {
  type CheckedFunction,
  check,
  checkInput,
  drawWeights,
  type GradcheckOptions,
  type GradcheckReport,
  isReached,
  listOf,
} from "./gradcheck.js";
import { gradientLayout } from "./gradient-layout.js";
import { enableGrad, isGradEnabled, noGrad } from "./mode.js";
import { parameter } from "./parameter.js";

/**
 * Compares second derivatives with differences: {@link gradcheck} of the function that gives the gradients of `fn` from
 * its inputs and cotangents. The differences are of gradients that are computed without history, so that these are
 * compared with the ones that have a history too.
 *
 * @throws as {@link gradcheck}; GradientError `SW_AUTOGRAD_CREATE_GRAPH` where `fn` has no second derivative.
 * @example
 * ```ts
 * import { gradgradcheck } from "@sw/autograd";
 * import { jsKernels } from "@sw/kernels-js";
 * import { exp, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const x = tensor([1, 2, 3], { dtype: "float64" });
 * console.log(gradgradcheck((a) => exp(a as typeof x), [x]).compared); // 6
 * ```
 * @since 0.1.0
 */
export function gradgradcheck(
  fn: CheckedFunction,
  inputs: readonly Tensor<"float64">[],
  options: GradcheckOptions = {},
): GradcheckReport {
  const operation = "gradgradcheck";
  checkFunction(operation, fn);
  checkList(operation, inputs, "the inputs");
  checkOptions(operation, options, "{ step, absolute, relative, seed }");
  for (const input of inputs) checkInput(operation, input);
  const generator = createGenerator(options.seed ?? 1);
  const cotangents = shapesOf(fn, inputs).map((shape) => tensor(drawWeights(generator, shape), { shape }));
  try {
    const count = inputs.length;
    return check(
      operation,
      (...all) => gradientsOf(fn, all.slice(0, count), all.slice(count)),
      [...inputs, ...cotangents],
      options,
    );
  } finally {
    for (const cotangent of cotangents) cotangent.dispose();
  }
}

/** The shapes of the outputs; all that the call makes is taken back. */
function shapesOf(fn: CheckedFunction, inputs: readonly Tensor<"float64">[]): readonly (readonly number[])[] {
  const arena = createArena();
  try {
    return withArena(arena, () => listOf(noGrad(() => fn(...inputs) as never)).map(({ shape }) => shape) as never);
  } finally {
    arena.dispose();
  }
}

/** The gradient of each input, zeros where no output depends on it; with history where that is written. */
function gradientsOf(
  fn: CheckedFunction,
  inputs: readonly Tensor<"float64">[],
  cotangents: readonly Tensor<"float64">[],
): readonly Tensor<"float64">[] {
  const options: GradOptions = { createGraph: isGradEnabled() };
  return enableGrad(() => {
    const leaves = inputs.map((input) => (input.node === undefined ? parameter(input) : input));
    const outputs = listOf(fn(...leaves));
    const laid = outputs.map(({ node }, i) => {
      const cotangent = cotangents[i] as Tensor;
      return node?.cotangent === "layout" ? cotangent.toLayout(gradientLayout(node)) : cotangent;
    });
    const gradients = grad(
      outputs.filter(isReached),
      leaves,
      laid.filter((_, i) => isReached(outputs[i] as Tensor)),
      options,
    );
    return gradients.map((g, i) => g ?? zeros((inputs[i] as Tensor).shape, { dtype: "float64" })) as never;
  });
}
