import { add, type DType, matmul, type Tensor } from "@sw/tensor";
import { whole } from "../check-number.js";
import { parametersOf } from "../optimise/tree.js";
import { checkGenerator, disposeAll, type RandomModuleOptions, randomParameter } from "./random-parameter.js";

/** Options of {@link Linear}. @since 0.1.0 */
export interface LinearOptions<D extends DType> extends RandomModuleOptions<D> {
  /** Whether there is something to add. Default: true. */
  readonly bias?: boolean;
}

/** What {@link Linear} learns. @since 0.1.0 */
export type LinearParameters<D extends DType> = {
  /** `[inputs, outputs]`. */
  readonly weight: Tensor<D>;
  /** `[outputs]`. */
  readonly bias?: Tensor<D>;
};

/**
 * A fully connected layer: `x · weight + bias`.
 *
 * @example
 * ```ts
 * import { Linear } from "@sw/autograd/modules";
 * import { jsKernels } from "@sw/kernels-js";
 * import { createGenerator, ones, setKernels } from "@sw/tensor";
 * setKernels(jsKernels);
 * const layer = new Linear(3, 2, { generator: createGenerator(7) });
 * console.log(layer.forward(ones([5, 3])).shape); // [ 5, 2 ]
 * ```
 * @since 0.1.0
 */
export class Linear<D extends DType = "float32"> {
  readonly parameters: LinearParameters<D>;

  /**
   * @throws TypeError without a generator; GradientError `SW_AUTOGRAD_OPTION` for extents that are no integers of at least 1;
   * TensorValueError `SW_TENSOR_DTYPE_REFUSED` for a dtype that is no float.
   */
  constructor(inputs: number, outputs: number, options: LinearOptions<D>) {
    whole("Linear", "inputs", inputs, 1);
    whole("Linear", "outputs", outputs, 1);
    checkGenerator("Linear", options?.generator);
    const weight = randomParameter([inputs, outputs], inputs, options);
    this.parameters =
      options.bias === false ? { weight } : { weight, bias: randomParameter([outputs], inputs, options) };
  }

  /**
   * @param x - `[…, inputs]`.
   * @param parameters - others than its own: what `valueAndGrad` hands over, say.
   * @returns `[…, outputs]`.
   * @throws as `matmul` and `add`.
   */
  forward(x: Tensor<D>, parameters: LinearParameters<D> = this.parameters): Tensor<D> {
    return affine(x, parameters);
  }

  /** Returns the memory of the parameters and of their gradients. */
  dispose(): void {
    disposeAll(parametersOf(this.parameters));
  }

  /** The same as {@link Linear.dispose}, for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** What {@link Linear} computes. */
export function affine<D extends DType>(x: Tensor<D>, { weight, bias }: LinearParameters<D>): Tensor<D> {
  const product = matmul(x, weight);
  return bias === undefined ? product : (add(product, bias) as Tensor<D>);
}
