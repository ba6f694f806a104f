import type { Tensor } from "@sw/tensor";
import type { GradNode } from "@sw/tensor/seam";
import { type BackwardOptions, copyOut, pass } from "./engine.js";
import { GradientError } from "./errors.js";

/**
 * Gives the gradients of outputs with respect to inputs, without touching any `.grad`. An input that no output
 * depends on gives `undefined`.
 *
 * @param cotangents - one per output; default: 1 for an output of one element.
 * Each gradient is memory of its own in the allocator in force, in the stride order of its input; an input that is
 * named twice gets the same tensor twice.
 *
 * @throws as {@link backward}; GradientError `SW_AUTOGRAD_NO_GRAPH` for an input that takes no part in gradients.
 * @since 0.1.0
 */
export function grad(
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  cotangents: readonly (Tensor | undefined)[] = [],
  options: BackwardOptions = {},
): (Tensor | undefined)[] {
  const nodes = inputs.map((input, i): GradNode => {
    if (input.node !== undefined) return input.node;
    throw new GradientError(
      "SW_AUTOGRAD_NO_GRAPH",
      `grad: an input takes no part in gradients: got input ${i} without a parameter upstream, expected a parameter or a result of one.`,
    );
  });
  if (cotangents.length > outputs.length) {
    throw new GradientError(
      "SW_AUTOGRAD_COTANGENT",
      `grad: more cotangents than outputs: got ${cotangents.length}, expected at most ${outputs.length}.`,
      { given: cotangents.length, expected: outputs.length },
    );
  }
  const wanted = new Set(nodes);
  return pass(
    outputs,
    outputs.map((_, i) => cotangents[i]),
    "grad",
    options,
    (node) => wanted.has(node),
    ({ reached, memory }) => {
      const found = copyOut(reached, () => memory);
      return nodes.map((node) => found.get(node));
    },
  );
}
