import type { DType, Tensor } from "@sw/tensor";
import { nodeOf } from "./engine.js";

/**
 * Has a function called with the cotangent of a tensor in every pass that sends one through it: the whole sum, once a
 * pass, before it is kept as a gradient and before it goes on. What the function returns takes its place, if anything.
 * The cotangent is memory of the pass: `keep(cotangent)` outlives it, and writes to it may show elsewhere.
 *
 * @returns a function that ends the calls.
 * @throws TypeError for what is no function; GradientError `SW_AUTOGRAD_NO_GRAPH` when the tensor takes no part in
 * gradients. In a pass: GradientError `SW_AUTOGRAD_SHAPE` for a cotangent of another shape or dtype; TensorStateError
 * `SW_TENSOR_SCOPE_PROMISE` for an asynchronous function.
 * @example
 * ```ts
 * import { backward, hook, parameter } from "@sw/autograd";
 * import { jsKernels } from "@sw/kernels-js";
 * import { mul, setKernels, sum, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const x = parameter(tensor([1, 2]));
 * const remove = hook(x, (cotangent) => mul(cotangent, 10));
 * backward(sum(mul(x, x)));
 * remove();
 * console.log(x.grad?.toArray()); // [ 20, 40 ]
 * ```
 * @since 0.1.0
 */
export function hook<D extends DType>(t: Tensor<D>, fn: (cotangent: Tensor<D>) => Tensor<D> | undefined): () => void {
  if (typeof fn !== "function") {
    throw new TypeError(`hook: not a function: got ${typeof fn}, expected one that takes a cotangent.`);
  }
  const node = nodeOf(t, "hook");
  // A function of its own: the same one may be given twice, and each call ends what it began.
  const call = (cotangent: Tensor): Tensor | undefined => fn(cotangent as Tensor<D>);
  node.hooks = [...(node.hooks ?? []), call];
  return () => {
    const rest = node.hooks?.filter((other) => other !== call) ?? [];
    node.hooks = rest.length === 0 ? undefined : rest;
  };
}
