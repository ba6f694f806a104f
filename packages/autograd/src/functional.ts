import { cosize, layout } from "@sw/layout";
import { isTensor, type Tensor } from "@sw/tensor";
import { COPY, type GradNode, plain, runLoops } from "@sw/tensor/seam";
import { checkList, checkOptions } from "./check-argument.js";
import { type BackwardOptions, pass } from "./engine.js";
import { GradientError } from "./errors.js";
import { gradientLayout, makeIn } from "./gradient-layout.js";
import { copyOut, withHistory } from "./hand-out.js";
import { detach } from "./parameter.js";

/** Options of {@link grad}. @since 0.1.0 */
export interface GradOptions extends BackwardOptions {
  /**
   * Runs one pass for each entry of a first axis that every cotangent has before those of its output; the gradients have
   * that axis too, its stride the span of one gradient (VA-86). Default: false.
   */
  readonly batched?: boolean;
  /**
   * Writes the history of the pass itself, so that the gradients can be differentiated again. Keeps the history of the
   * outputs, and in the memory in force all that the pass makes: an arena bounds that. Default: false.
   */
  readonly createGraph?: boolean;
}

/**
 * Gives the gradients of outputs with respect to inputs, without touching any `.grad`. An input that no output
 * depends on gives `undefined`.
 *
 * @param cotangents - one per output; default: 1 for an output of one element.
 * Each gradient is memory of its own in the allocator in force, in the stride order of its input; an input that is
 * named twice gets the same tensor twice.
 *
 * @throws as {@link backward}; GradientError `SW_AUTOGRAD_NO_GRAPH` for an input that takes no part in gradients;
 * `SW_AUTOGRAD_COTANGENT` for batched cotangents without one common first axis, a leaf of extent 1 or more;
 * `SW_AUTOGRAD_CREATE_GRAPH` for `createGraph` with `batched`, a strict leaf that repeats elements, or an operation
 * that has no second derivative.
 * @example
 * ```ts
 * import { grad, parameter } from "@sw/autograd";
 * import { jsKernels } from "@sw/kernels-js";
 * import { mul, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const x = parameter(tensor(2));
 * const [slope] = grad([mul(mul(x, x), x)], [x], [], { createGraph: true });
 * const [curvature] = slope === undefined ? [] : grad([slope], [x]);
 * console.log(slope?.item(), curvature?.item()); // 12 12
 * ```
 * @since 0.1.0
 */
export function grad(
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
  cotangents: readonly (Tensor | undefined)[] = [],
  options: GradOptions = {},
): (Tensor | undefined)[] {
  checkList("grad", outputs, "the outputs");
  checkList("grad", inputs, "the inputs");
  checkList("grad", cotangents, "the cotangents");
  checkOptions("grad", options, "{ retainGraph, batched, createGraph }");
  const nodes = inputs.map((input, i): GradNode => {
    if (!isTensor(input)) plain(input, "grad");
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
  const createGraph = options.createGraph === true;
  if (options.batched === true && createGraph) {
    throw new GradientError(
      "SW_AUTOGRAD_CREATE_GRAPH",
      "grad: batched gradients are copies without history: got batched with createGraph, expected one of them. Call grad for each cotangent.",
    );
  }
  if (options.batched === true) {
    const stacks = batched(outputs, cotangents, wanted, options);
    return nodes.map((node) => stacks.get(node));
  }
  return pass(
    outputs,
    outputs.map((_, i) => cotangents[i]),
    "grad",
    { retainGraph: options.retainGraph === true, createGraph },
    (node) => wanted.has(node),
    (arrived) => {
      const found = createGraph ? withHistory(arrived) : copyOut(arrived.reached, () => arrived.memory);
      return nodes.map((node) => found.get(node));
    },
  );
}

/** One pass for each entry of the batch, its gradients copied into their places of the stacks. */
function batched(
  outputs: readonly Tensor[],
  cotangents: readonly (Tensor | undefined)[],
  wanted: ReadonlySet<GradNode>,
  options: GradOptions,
): Map<GradNode, Tensor> {
  const count = batchOf(outputs, cotangents);
  const stacks = new Map<GradNode, Tensor>();
  try {
    for (let entry = 0; entry < count; entry++) {
      const given = cotangents.map((cotangent) => detach(cotangent as Tensor).select(0, entry));
      // The history is released by the last pass, and only if that succeeds.
      const retainGraph = options.retainGraph === true || entry < count - 1;
      pass(
        outputs,
        given,
        "grad",
        { retainGraph },
        (node) => wanted.has(node),
        ({ reached, memory }) => {
          for (const [node, cotangent] of reached) {
            let stack = stacks.get(node);
            if (stack === undefined) {
              const single = gradientLayout(node);
              const stacked = layout([count, ...single.shape], [cosize(single), ...single.stride]);
              stack = makeIn(memory, node.dtype, stacked);
              stacks.set(node, stack);
            }
            runLoops(COPY, [stack.select(0, entry)], [cotangent]);
          }
        },
      );
    }
    return stacks;
  } catch (error) {
    for (const stack of stacks.values()) stack.dispose();
    throw error;
  }
}

/** The extent of the first axis that all cotangents of a batch have. */
function batchOf(outputs: readonly Tensor[], cotangents: readonly (Tensor | undefined)[]): number {
  const extents = outputs.map((_, i) => {
    const cotangent = cotangents[i];
    plain(cotangent, "grad");
    return cotangent.layout.shape[0];
  });
  const [count] = extents;
  if (typeof count === "number" && count > 0 && extents.every((extent) => extent === count)) return count;
  throw new GradientError(
    "SW_AUTOGRAD_COTANGENT",
    `grad: the cotangents are no batch: got first modes ${JSON.stringify(extents)}, expected one extent of at least 1 for all. Put the batch first.`,
    { given: extents },
  );
}
