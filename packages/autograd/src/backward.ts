import { add, type Tensor } from "@sw/tensor";
import { COPY, checkLoops, runLoops } from "@sw/tensor/seam";
import { checkOptions } from "./check-argument.js";
import { type Arrived, type BackwardOptions, pass, type Reached } from "./engine.js";
import { copyOut } from "./hand-out.js";

function isLive(t: Tensor | undefined): t is Tensor {
  return t !== undefined && t.buffer.generation === t.generation;
}

/**
 * Adds cotangents into `.grad`. All sums are in scratch memory before the first gradient is written: a cotangent may
 * be a view of a gradient, and a sum that fails must change none.
 */
function accumulate({ reached, memory }: Arrived): void {
  const firsts = reached.filter(([node]) => !isLive(node.grad));
  const sums = reached
    .filter(([node]) => isLive(node.grad))
    .map(([node, cotangent]): Reached => [node, add(node.grad as Tensor, cotangent)]);
  for (const [node, sum] of sums) checkLoops(COPY, [node.grad as Tensor], [sum]);
  // What belongs to a leaf lives where the leaf lives, whatever arena is in force.
  const fresh = copyOut(firsts, (node) => node.home?.buffer.owner ?? memory);
  for (const [node, grad] of fresh) node.grad = grad;
  for (const [node, sum] of sums) runLoops(COPY, [node.grad as Tensor], [sum]);
}

/**
 * Sends a cotangent back from a tensor and adds what arrives at the leaves into their `.grad`, and at results that
 * {@link retainGrad} marked. A pass that throws has changed no `.grad`. Afterwards the history is released.
 *
 * @param cotangent - default: 1, for a tensor of one element.
 * @throws GradientError for a tensor without history, or a cotangent that is missing or does not fit.
 * @throws GraphReleasedError `SW_AUTOGRAD_RELEASED` when an earlier backward released the history.
 * @throws TensorVersionError `SW_TENSOR_VERSION` when a saved value was modified in place.
 * @throws StaleTensorError `SW_BUFFER_STALE` when a saved value was disposed.
 * @since 0.1.0
 */
export function backward(t: Tensor, cotangent?: Tensor, options: BackwardOptions = {}): void {
  checkOptions("backward", options, "{ retainGraph: true }");
  pass(
    [t],
    [cotangent],
    "backward",
    { retainGraph: options.retainGraph === true },
    (node) => node.retainGrad,
    accumulate,
  );
}
