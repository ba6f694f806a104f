import { isTensor, type Tensor } from "@sw/tensor";
import { type GradNode, plain } from "@sw/tensor/seam";
import { checkFunction } from "./check-argument.js";
import { pass } from "./engine.js";
import { GradientError } from "./errors.js";
import { copyOrZeros } from "./hand-out.js";
import { enableGrad } from "./mode.js";
import { type ParameterTree, parametersOf } from "./optimise/tree.js";
import { detach, parameter } from "./parameter.js";

/** A tree of gradients: that of the parameters, with a gradient in the place of each. @since 0.1.0 */
export type GradientsOf<P> = P extends Tensor<infer D> ? Tensor<D> : { readonly [K in keyof P]: GradientsOf<P[K]> };

/** A value and the gradients of it. @since 0.1.0 */
export interface ValueAndGradients<P> {
  /** Takes no part in gradients. */
  readonly value: Tensor;
  readonly gradients: GradientsOf<P>;
}

/**
 * Makes of a function another that gives its value, of one element, and the gradients to its first argument, a tree of
 * tensors. The function is called with leaves of its own in place of these, and touches no `.grad`; a tensor in several
 * places (tied weights) is one leaf. Parameters that the value does not depend on have gradients of zeros. Gradients
 * are memory of their own in the allocator in force.
 *
 * @returns a function whose calls throw as {@link grad}, and GradientError `SW_AUTOGRAD_NO_GRAPH` where the value
 * depends on none of the parameters it was called with, as when the function reads others.
 * @example
 * ```ts
 * import { valueAndGrad } from "@sw/autograd";
 * import { jsKernels } from "@sw/kernels-js";
 * import { add, mul, setKernels, sum, type Tensor, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * type Line = { readonly w: Tensor<"float32">; readonly b: Tensor<"float32"> };
 * const step = valueAndGrad(({ w, b }: Line, x: Tensor<"float32">) => sum(add(mul(w, x), b)));
 * const { value, gradients } = step({ w: tensor([1, 2]), b: tensor([0, 1]) }, tensor([3, 4]));
 * console.log(value.item(), gradients.w.toArray(), gradients.b.toArray()); // 12 [ 3, 4 ] [ 1, 1 ]
 * ```
 * @since 0.1.0
 */
export function valueAndGrad<P extends ParameterTree, R extends readonly unknown[]>(
  fn: (parameters: P, ...rest: R) => Tensor,
): (parameters: P, ...rest: R) => ValueAndGradients<P> {
  checkFunction("valueAndGrad", fn);
  return (parameters, ...rest) => {
    const given = parametersOf(parameters);
    const leaves = given.map((t) => parameter(t, { cotangent: t.node?.cotangent ?? "shape" }));
    const place = new Map(given.map((t, i) => [identity(t), i]));
    const mapped = (of: readonly Tensor[]): unknown =>
      mapTree(parameters, (t) => of[place.get(identity(t)) as number] as Tensor);
    const value = enableGrad(() => fn(mapped(leaves) as P, ...rest) as never) as Tensor;
    plain(value, "valueAndGrad");
    const nodes = leaves.map((leaf) => leaf.node as GradNode);
    const wanted = new Set(nodes);
    if (value.node === undefined) throw nothingReached();
    const gradients = pass(
      [value],
      [undefined],
      "valueAndGrad",
      {},
      (node) => wanted.has(node),
      ({ reached, memory }) => {
        if (reached.length === 0) throw nothingReached();
        return copyOrZeros(nodes, reached, memory);
      },
    );
    return { value: detach(value), gradients: mapped(gradients) as GradientsOf<P> };
  };
}

function nothingReached(): GradientError {
  return new GradientError(
    "SW_AUTOGRAD_NO_GRAPH",
    "valueAndGrad: the value depends on none of the parameters: got a result of other tensors, expected one of the function's first argument. Read the parameters from there.",
  );
}

/** What tells parameters apart: handles on one leaf are one parameter. */
function identity(t: Tensor): GradNode | Tensor {
  return t.node ?? t;
}

function mapTree(tree: ParameterTree, fn: (t: Tensor) => Tensor): unknown {
  if (isTensor(tree)) return fn(tree);
  if (Array.isArray(tree)) return tree.map((branch: ParameterTree) => mapTree(branch, fn));
  return Object.fromEntries(Object.entries(tree).map(([name, branch]) => [name, mapTree(branch as ParameterTree, fn)]));
}
