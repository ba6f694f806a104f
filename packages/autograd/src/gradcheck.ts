import { type Arena, createArena, createGenerator, type Tensor, tensor, withArena } from "@sw/tensor";
import { refuseCompound } from "@sw/tensor/seam";
import { GradientError } from "./errors.js";
import { grad } from "./functional.js";
import { laid } from "./gradient-layout.js";
import { noGrad } from "./mode.js";
import { parameter } from "./parameter.js";

/** How {@link gradcheck} compares. @since 0.1.0 */
export interface GradcheckOptions {
  /** The step of the central differences. Default: 1e-6. */
  readonly step?: number;
  /** Default: 1e-6. */
  readonly absolute?: number;
  /** Default: 1e-6. */
  readonly relative?: number;
  /** Seeds the weights that the function's outputs are summed with. Default: 1. */
  readonly seed?: number;
}

/** What {@link gradcheck} found where it passes. @since 0.1.0 */
export interface GradcheckReport {
  /** Derivatives compared. */
  readonly compared: number;
  /** The largest difference among them. */
  readonly largestError: number;
}

/**
 * Compares the gradients of a function with central differences, one element of every input at a time. The inputs
 * are float64 tensors of any layout; the function is called with leaves over them, and its output may have any shape.
 *
 * @throws GradientError `SW_AUTOGRAD_GRADCHECK` naming input, element, both derivatives and the bound;
 * `SW_AUTOGRAD_DTYPE` for an input that is not float64.
 * @since 0.1.0
 */
export function gradcheck(
  fn: (...inputs: readonly Tensor<"float64">[]) => Tensor<"float64">,
  inputs: readonly Tensor<"float64">[],
  options: GradcheckOptions = {},
): GradcheckReport {
  const { step = 1e-6, absolute = 1e-6, relative = 1e-6, seed = 1 } = options;
  for (const input of inputs) {
    if ((input.dtype as string) === "float64") continue;
    refuseCompound(input, "gradcheck");
    throw new GradientError(
      "SW_AUTOGRAD_DTYPE",
      `gradcheck: differences need float64: got ${input.dtype}, expected float64.`,
      {
        given: input.dtype,
        expected: "float64",
      },
    );
  }
  // All that the function and its gradient make lives in an arena: nobody else could return it.
  const arena = createArena();
  try {
    return compare(fn, inputs, arena, { step, absolute, relative, seed });
  } finally {
    arena.dispose();
  }
}

function compare(
  fn: (...inputs: readonly Tensor<"float64">[]) => Tensor<"float64">,
  inputs: readonly Tensor<"float64">[],
  arena: Arena,
  { step, absolute, relative, seed }: Required<GradcheckOptions>,
): GradcheckReport {
  const values = inputs.map((input) => input.data());
  const generator = createGenerator(seed);
  let weights = new Float64Array();
  const analytic = withArena(arena, () => {
    const leaves = inputs.map((input) => parameter(input));
    const output = fn(...leaves);
    weights = Float64Array.from({ length: output.size }, () => generator.uniform() + 0.5);
    const cotangent = tensor(weights, { shape: output.shape });
    const gradients = grad([output], leaves, [output.node === undefined ? cotangent : laid(output.node, cotangent)]);
    return gradients.map((g) => g?.data() as Float64Array | undefined);
  });
  arena.reset();

  const weighted = (): number => {
    const total = withArena(arena, () => {
      const copies = inputs.map((input, i) => tensor(values[i] as Float64Array, { shape: input.shape }));
      const elements = noGrad(() => fn(...copies).data() as never) as Float64Array;
      return elements.reduce((sum, element, i) => sum + element * (weights[i] as number), 0);
    });
    arena.reset();
    return total;
  };

  let compared = 0;
  let largestError = 0;
  values.forEach((elements, input) => {
    for (let i = 0; i < elements.length; i++) {
      const center = elements[i] as number;
      elements[i] = center + step;
      const above = weighted();
      elements[i] = center - step;
      const below = weighted();
      elements[i] = center;
      const expected = (above - below) / (2 * step);
      const given = analytic[input]?.[i] ?? 0;
      const error = Math.abs(given - expected);
      const bound = absolute + relative * Math.abs(expected);
      compared += 1;
      largestError = Math.max(largestError, error);
      if (error <= bound) continue;
      throw new GradientError(
        "SW_AUTOGRAD_GRADCHECK",
        `gradcheck: the gradient of input ${input} is wrong at element ${i}: got ${given}, expected ${expected} within ${bound}.`,
        { given, expected },
      );
    }
  });
  return { compared, largestError };
}
