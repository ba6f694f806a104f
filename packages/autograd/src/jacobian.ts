import type { DType, Tensor } from "@sw/tensor";
import { allocateRowMajor, COPY, current, type GradNode, plain, runLoops, withScope } from "@sw/tensor/seam";
import { checkFunction } from "./check-argument.js";
import { pass } from "./engine.js";
import { gradientLayout, makeIn } from "./gradient-layout.js";
import { enableGrad } from "./mode.js";
import { parameter } from "./parameter.js";
import { quietly, Scratch } from "./scratch.js";

/**
 * Gives the derivatives of all elements of a function's output by all elements of its input: of shape
 * `[...output, ...input]`, by one pass for each element of the output. What the function allocates is returned; the
 * Jacobian is in the allocator in force.
 *
 * @throws as {@link grad}; TensorShapeError `SW_TENSOR_SHAPE_LIMIT` where the ranks exceed 8 together.
 * @example
 * ```ts
 * import { jacobian } from "@sw/autograd";
 * import { jsKernels } from "@sw/kernels-js";
 * import { mul, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * console.log(jacobian((x) => mul(x, x.flip(0)), tensor([1, 2])).toArray()); // [ [ 2, 1 ], [ 2, 1 ] ]
 * ```
 * @since 0.1.0
 */
export function jacobian<D extends DType>(fn: (x: Tensor<D>) => Tensor<D>, x: Tensor<D>): Tensor<D> {
  checkFunction("jacobian", fn);
  return Scratch.run((memory) => {
    const leaf = parameter(x);
    const output = enableGrad(() => fn(leaf) as never) as Tensor<D>;
    plain(output, "jacobian");
    const shape = [...output.shape, ...x.shape];
    const result = withScope({ memory }, () => allocateRowMajor(x, "jacobian", x.dtype, shape) as never) as Tensor<D>;
    try {
      result.fill(0);
      if (output.node !== undefined) fillRows(result, output, output.node, leaf.node as GradNode);
      return result;
    } catch (error) {
      quietly(() => result.dispose());
      throw error;
    }
  });
}

/** One pass for each element of the output, with a cotangent of zeros and one 1. */
function fillRows(result: Tensor, output: Tensor, root: GradNode, leaf: GradNode): void {
  const cotangent = makeIn(current().memory, output.dtype, gradientLayout(root), { zero: true });
  const index = output.shape.map(() => 0);
  for (let element = 0; element < output.size; element++) {
    cotangent.set(1, ...index);
    const row = index.reduce((rows, i) => rows.select(0, i), result);
    pass(
      [output],
      [cotangent],
      "jacobian",
      { retainGraph: true },
      (node) => node === leaf,
      ({ reached }) => {
        for (const [, gradient] of reached) runLoops(COPY, [row], [gradient]);
      },
    );
    cotangent.set(0, ...index);
    advance(index, output.shape);
  }
}

/** Moves to the next index, last axis fastest. */
function advance(index: number[], shape: readonly number[]): void {
  for (let axis = index.length - 1; axis >= 0; axis--) {
    const next = (index[axis] as number) + 1;
    index[axis] = next === shape[axis] ? 0 : next;
    if (index[axis] !== 0) return;
  }
}
