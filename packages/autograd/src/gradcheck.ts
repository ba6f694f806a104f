import { type Arena, createArena, createGenerator, type Generator, type Tensor, tensor, withArena } from "@sw/tensor";
import { refuseCompound } from "@sw/tensor/seam";
import { checkFunction, checkList, checkOptions } from "./check-argument.js";
import { GradientError } from "./errors.js";
import { grad } from "./functional.js";
import { laid } from "./gradient-layout.js";
import { enableGrad, noGrad } from "./mode.js";
import { parameter } from "./parameter.js";

/** A function whose gradients can be checked: float64 tensors to one, or to a list of them. @since 0.1.0 */
export type CheckedFunction = (
  ...inputs: readonly Tensor<"float64">[]
) => Tensor<"float64"> | readonly Tensor<"float64">[];

/** How {@link gradcheck} compares. @since 0.1.0 */
export interface GradcheckOptions {
  /** The wider step of the central differences, for elements of at most 1; others scale it. Default: 2^-9. */
  readonly step?: number;
  /** How far apart derivatives may be at 0. Default: 1e-8. */
  readonly absolute?: number;
  /** How much farther, for each unit of the derivative. Default: 1e-7. */
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
 * Compares the gradients of a function with central differences, one element of every input at a time, over two steps
 * that are extrapolated to none (Richardson): decision page 0032. The inputs are float64 tensors of any layout; the
 * function is called with leaves over them, and its outputs may have any shape. An output without history counts as
 * constant. The function must give the same bits when it is called again, and be smooth over a step.
 *
 * @throws GradientError `SW_AUTOGRAD_GRADCHECK` naming input, element, both derivatives and the bound, and where it looks
 * so, that the function is not smooth there; or that it gives other bits when called again. `SW_AUTOGRAD_DTYPE` for an
 * input that is not float64; `SW_AUTOGRAD_OPTION`.
 * @example
 * ```ts
 * import { gradcheck } from "@sw/autograd";
 * import { jsKernels } from "@sw/kernels-js";
 * import { mul, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const x = tensor([1, 2, 3], { dtype: "float64" });
 * console.log(gradcheck((a) => mul(a, a), [x]).compared); // 3
 * ```
 * @since 0.1.0
 */
export function gradcheck(
  fn: CheckedFunction,
  inputs: readonly Tensor<"float64">[],
  options: GradcheckOptions = {},
): GradcheckReport {
  return check("gradcheck", fn, inputs, options);
}

/** What {@link gradcheck} does, under the name of the function that was called. */
export function check(
  operation: string,
  fn: CheckedFunction,
  inputs: readonly Tensor<"float64">[],
  options: GradcheckOptions,
): GradcheckReport {
  checkFunction(operation, fn);
  checkList(operation, inputs, "the inputs");
  checkOptions(operation, options, "{ step, absolute, relative, seed }");
  const { step = 2 ** -9, absolute = 1e-8, relative = 1e-7, seed = 1 } = options;
  checkOption(operation, "step", step, step > 0);
  checkOption(operation, "absolute", absolute, absolute >= 0);
  checkOption(operation, "relative", relative, relative >= 0);
  for (const input of inputs) checkInput(operation, input);
  // All that the function and its gradient make lives in an arena: nobody else could return it.
  const arena = createArena();
  try {
    return compare(operation, fn, inputs, arena, { step, absolute, relative, seed });
  } finally {
    arena.dispose();
  }
}

function checkOption(operation: string, name: string, value: number, fits: boolean): void {
  if (fits && Number.isFinite(value)) return;
  throw new GradientError(
    "SW_AUTOGRAD_OPTION",
    `${operation}: ${name} is not possible: got ${value}, expected a finite number ${name === "step" ? "above" : "of at least"} 0.`,
    { operation, given: value },
  );
}

/** @throws GradientError `SW_AUTOGRAD_DTYPE`. */
export function checkInput(operation: string, input: Tensor): void {
  if (input.dtype === "float64") return;
  refuseCompound(input, operation);
  throw new GradientError(
    "SW_AUTOGRAD_DTYPE",
    `${operation}: differences need float64: got ${input.dtype}, expected float64.`,
    { given: input.dtype, expected: "float64" },
  );
}

/** The outputs of a call as one list of tensors. */
export function listOf(outputs: ReturnType<CheckedFunction>): readonly Tensor<"float64">[] {
  return Array.isArray(outputs) ? outputs : [outputs as Tensor<"float64">];
}

/** From 0.5 up, in eighths: they pass through a dtype of fewer digits unchanged, a step away too. */
export function drawWeights(generator: Generator, shape: readonly number[]): Float64Array {
  const length = shape.reduce((product, extent) => product * extent, 1);
  return Float64Array.from({ length }, () => 0.5 + Math.floor(8 * generator.uniform()) / 8);
}

/** Tells whether an output depends on an input at all, as far as its history knows. */
export function isReached({ node }: Tensor): boolean {
  return node !== undefined;
}

function compare(
  operation: string,
  fn: CheckedFunction,
  inputs: readonly Tensor<"float64">[],
  arena: Arena,
  { step, absolute, relative, seed }: Required<GradcheckOptions>,
): GradcheckReport {
  const values = inputs.map((input) => input.data() as Float64Array);
  const generator = createGenerator(seed);
  const weights: Float64Array[] = [];

  /** Runs in the arena and takes back all that was made. */
  const inArena = <T>(use: () => T): T => {
    const result = withArena(arena, use as () => never) as T;
    arena.reset();
    return result;
  };
  const analytic = inArena(() => {
    const leaves = inputs.map((input) => parameter(input));
    const outputs = listOf(enableGrad(() => fn(...leaves) as never));
    const cotangents = outputs.map((output) => {
      const drawn = drawWeights(generator, output.shape);
      weights.push(drawn);
      const cotangent = tensor(drawn, { shape: output.shape });
      return output.node === undefined ? cotangent : laid(output.node, cotangent);
    });
    const gradients = grad(
      outputs.filter(isReached),
      leaves,
      cotangents.filter((_, i) => isReached(outputs[i] as Tensor)),
    );
    return gradients.map((g) => g?.data() as Float64Array | undefined);
  });
  const called = (): Float64Array[] =>
    inArena(() => {
      const copies = inputs.map((input, i) => tensor(values[i] as Float64Array, { shape: input.shape }));
      return listOf(noGrad(() => fn(...copies) as never)).map((output) => output.data() as Float64Array);
    });
  const weighted = (outputs: readonly Float64Array[]): number =>
    outputs.reduce((total, elements, output) => {
      const w = weights[output] as Float64Array;
      return elements.reduce((sum, element, i) => sum + element * (w[i] as number), total);
    }, 0);

  const outputs = called();
  checkSameBits(operation, outputs, called());
  const center = weighted(outputs);
  let compared = 0;
  let largestError = 0;
  values.forEach((elements, input) => {
    for (let i = 0; i < elements.length; i++) {
      const x = elements[i] as number;
      const at = (moved: number): number => {
        elements[i] = moved;
        const total = weighted(called());
        elements[i] = x;
        return total;
      };
      const { derivative: expected, smooth } = derivativeOf(at, x, center, step);
      const given = analytic[input]?.[i] ?? 0;
      const error = Math.abs(given - expected);
      const bound = absolute + relative * Math.abs(expected);
      compared += 1;
      largestError = Math.max(largestError, error);
      if (error <= bound) continue;
      throw new GradientError(
        "SW_AUTOGRAD_GRADCHECK",
        `${operation}: the gradient of input ${input} is wrong at element ${i}: got ${given}, expected ${expected} within ${bound}.${smooth ? "" : ` The function is not smooth within a step of ${x}, so that differences say little: check it elsewhere.`}`,
        { operation, given, expected },
      );
    }
  });
  return { compared, largestError };
}

function checkSameBits(operation: string, first: readonly Float64Array[], second: readonly Float64Array[]): void {
  first.forEach((elements, output) => {
    const i = elements.findIndex((element, k) => !Object.is(element, second[output]?.[k]));
    if (i < 0) return;
    throw new GradientError(
      "SW_AUTOGRAD_GRADCHECK",
      `${operation}: the function gives other values when it is called again: got ${second[output]?.[i]}, expected ${elements[i]} at element ${i} of output ${output}. Make its generators inside, from a seed.`,
      { operation, given: second[output]?.[i], expected: elements[i] },
    );
  });
}

/**
 * The derivative of a function of one number, by central differences over a step and half of it, whose errors are the
 * square of the step and cancel. At a kink the slopes on both sides differ by as much over either step, and around one
 * the differences do: where the function is smooth both are of the order of the step.
 */
function derivativeOf(
  at: (x: number) => number,
  x: number,
  center: number,
  step: number,
): { readonly derivative: number; readonly smooth: boolean } {
  const over = (h: number): { slope: number; bend: number } => {
    const above = at(x + h);
    const below = at(x - h);
    return { slope: (above - below) / (2 * h), bend: (above - center - (center - below)) / h };
  };
  const h = step * Math.max(1, Math.abs(x));
  const wide = over(h);
  const narrow = over(h / 2);
  const kink = Math.max(Math.abs(wide.slope - narrow.slope), Math.abs(wide.bend - 2 * narrow.bend));
  return {
    derivative: narrow.slope + (narrow.slope - wide.slope) / 3,
    smooth: kink <= step * Math.max(1, Math.abs(narrow.slope)),
  };
}
