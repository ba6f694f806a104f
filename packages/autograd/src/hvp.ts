import { compactLike } from "@sw/layout";
import type { DType, Tensor } from "@sw/tensor";
import { type GradNode, plain } from "@sw/tensor/seam";
import { checkFunction } from "./check-argument.js";
import { admit } from "./cotangent.js";
import { pass } from "./engine.js";
import { gradientLayout } from "./gradient-layout.js";
import { copies, copyOut, withHistory } from "./hand-out.js";
import { enableGrad } from "./mode.js";
import { parameter } from "./parameter.js";
import { Scratch } from "./scratch.js";

/** What {@link hvp} gives. @since 0.1.0 */
export interface HessianProduct<D extends DType> {
  readonly value: Tensor<D>;
  readonly gradient: Tensor<D>;
  /** The Hessian times the vector. */
  readonly product: Tensor<D>;
}

/**
 * Gives the value of a function, its gradient, and the product of its Hessian with a vector, without forming the
 * Hessian: the gradient of the gradient, by two passes. Where the function is linear or constant, zeros. What the
 * function allocates is returned; the three results are in the allocator in force.
 *
 * @param fn - gives one element.
 * @param v - of the shape and dtype of `x`.
 * @throws as {@link grad} with `createGraph`.
 * @example
 * ```ts
 * import { hvp } from "@sw/autograd";
 * import { jsKernels } from "@sw/kernels-js";
 * import { mul, setKernels, sum, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const { product } = hvp((x) => sum(mul(x, mul(x, x))), tensor([1, 2]), tensor([1, 1]));
 * console.log(product.toArray()); // [ 6, 12 ]
 * ```
 * @since 0.1.0
 */
export function hvp<D extends DType>(fn: (x: Tensor<D>) => Tensor<D>, x: Tensor<D>, v: Tensor<D>): HessianProduct<D> {
  checkFunction("hvp", fn);
  return Scratch.run((memory) => {
    const leaf = parameter(x);
    const node = leaf.node as GradNode;
    const isLeaf = (other: GradNode): boolean => other === node;
    admit("hvp", leaf, v);
    const value = enableGrad(() => fn(leaf) as never) as Tensor<D>;
    plain(value, "hvp");
    if (value.node === undefined) admit("hvp", value, undefined);
    const gradient =
      value.node &&
      pass([value], [undefined], "hvp", { createGraph: true }, isLeaf, (arrived) => withHistory(arrived).get(node));
    const product =
      gradient?.node &&
      // Nothing is released: what this call recorded is scratch, and what it closes over is not its own.
      pass([gradient], [v], "hvp", { retainGraph: true }, isLeaf, ({ reached, memory: scratch }) =>
        copyOut(reached, () => scratch).get(node),
      );
    const layout = gradientLayout(node);
    const { dtype } = x;
    const made = copies([
      { memory, dtype: value.dtype, layout: compactLike(value.layout), from: value },
      { memory, dtype, layout, from: gradient },
      { memory, dtype, layout, from: product },
    ]);
    const [valueCopy, gradientCopy, productCopy] = made as [Tensor<D>, Tensor<D>, Tensor<D>];
    return { value: valueCopy, gradient: gradientCopy, product: productCopy };
  });
}
