import type { Tensor } from "@sw/tensor";
import { current, type GradNode, plain } from "@sw/tensor/seam";
import { checkFunction } from "./check-argument.js";
import { admit } from "./cotangent.js";
import { pass } from "./engine.js";
import { GraphReleasedError } from "./errors.js";
import { copyOrZeros } from "./hand-out.js";
import { order, releaseHistory } from "./history.js";
import { enableGrad } from "./mode.js";
import { detach, parameter } from "./parameter.js";

/** The value of a function, and how cotangents of it come back to the inputs. @since 0.1.0 */
export interface Pullback<I extends readonly Tensor[]> {
  /** Takes no part in gradients. */
  readonly output: Tensor;
  /**
   * Gives the product of a cotangent with the derivative for each input, zeros where the output does not depend on it;
   * any number of times.
   *
   * @param cotangent - default: 1, for an output of one element.
   * @throws as {@link grad}; GraphReleasedError `SW_AUTOGRAD_RELEASED` after dispose.
   */
  pull(cotangent?: Tensor): { readonly [K in keyof I]: I[K] };
  /** Releases the history. */
  dispose(): void;
  /** The same as `dispose`, for `using`. */
  [Symbol.dispose](): void;
}

/**
 * Calls a function with leaves over some inputs, and keeps the history, to send cotangents back through it.
 *
 * @throws as `parameter` for an input, and what the function throws.
 * @example
 * ```ts
 * import { vjp } from "@sw/autograd";
 * import { jsKernels } from "@sw/kernels-js";
 * import { mul, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const { pull } = vjp((a, b) => mul(a, b), tensor([1, 2]), tensor([3, 4]));
 * console.log(pull(tensor([1, 0])).map((gradient) => gradient.toArray())); // [ [ 3, 0 ], [ 1, 0 ] ]
 * ```
 * @since 0.1.0
 */
export function vjp<I extends readonly Tensor[]>(fn: (...inputs: I) => Tensor, ...inputs: I): Pullback<I> {
  checkFunction("vjp", fn);
  const leaves = inputs.map((input) => parameter(input));
  const output = enableGrad(() => fn(...(leaves as unknown as I)) as never) as Tensor;
  plain(output, "vjp");
  const { node } = output;
  const nodes = leaves.map((leaf) => leaf.node as GradNode);
  const wanted = new Set(nodes);
  let isReleased = false;
  const pull = (cotangent?: Tensor): { readonly [K in keyof I]: I[K] } => {
    if (isReleased) throw new GraphReleasedError(node?.record?.kind ?? "vjp");
    const pulled = (): Tensor[] => {
      if (node !== undefined) {
        return pass(
          [output],
          [cotangent],
          "vjp",
          { retainGraph: true },
          (other) => wanted.has(other),
          ({ reached, memory }) => copyOrZeros(nodes, reached, memory),
        );
      }
      if (cotangent !== undefined || output.size !== 1) admit("vjp", output, cotangent);
      return copyOrZeros(nodes, [], current().memory);
    };
    return pulled() as unknown as { readonly [K in keyof I]: I[K] };
  };
  const dispose = (): void => {
    isReleased = true;
    if (node !== undefined) releaseHistory(order([node]));
  };
  return { output: detach(output), pull, dispose, [Symbol.dispose]: dispose };
}
