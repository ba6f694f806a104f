import type { Tensor } from "@sw/tensor";
import { allocateRowMajor, type GradNode, runLoops } from "@sw/tensor/seam";
import { type BackwardOptions, pass } from "./engine.js";
import { GradientError } from "./errors.js";

/**
 * Gives the gradients of outputs with respect to inputs, without touching any `.grad`. An input that no output
 * depends on gives `undefined`.
 *
 * @param cotangents - one per output; default: 1 for an output of one element.
 * @throws as {@link backward}; GradientError `SW_AUTOGRAD_NO_GRAPH` for an input that takes no part in gradients.
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
  const wanted = new Set(nodes);
  return pass(
    outputs,
    outputs.map((_, i) => cotangents[i]),
    "grad",
    options,
    (node) => wanted.has(node),
    (reached) => {
      const found = new Map(reached);
      return nodes.map((node) => {
        const cotangent = found.get(node);
        if (cotangent === undefined) return undefined;
        const out = allocateRowMajor(cotangent, "grad", cotangent.dtype, cotangent.shape);
        runLoops("copy", [out], [cotangent]);
        return out;
      });
    },
  );
}
