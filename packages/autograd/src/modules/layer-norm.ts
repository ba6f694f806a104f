import { type DType, layerNorm, ones, type Tensor, zeros } from "@sw/tensor";
import { finite, whole } from "../check-number.js";
import { parametersOf } from "../optimise/tree.js";
import { disposeAll, kept } from "./random-parameter.js";

/** Options of {@link LayerNorm}. @since 0.1.0 */
export interface LayerNormOptions<D extends DType> {
  /** Added to the variance. Default: 1e-5. */
  readonly epsilon?: number;
  /** Default: float32. */
  readonly dtype?: D;
}

/**
 * Normalises the last axes together, then scales and shifts: `layerNorm` with a weight, ones at first, and a bias, zeros.
 * @since 0.1.0
 */
export class LayerNorm<D extends DType = "float32"> {
  readonly parameters: { readonly weight: Tensor<D>; readonly bias: Tensor<D> };
  readonly shape: readonly number[];
  readonly epsilon: number;

  /**
   * @param shape - the last extents of what is normalised; a number means one axis.
   * @throws GradientError `SW_AUTOGRAD_OPTION` for an extent that is no integer of at least 1, or an epsilon that is negative
   * or not finite; GradientError `SW_AUTOGRAD_DTYPE` for a dtype that is no float.
   */
  constructor(shape: number | readonly number[], options: LayerNormOptions<D> = {}) {
    const { epsilon = 1e-5, dtype = "float32" as D } = options;
    this.shape = typeof shape === "number" ? [shape] : [...shape];
    for (const extent of this.shape) whole("LayerNorm", "an extent", extent, 1);
    this.epsilon = finite("LayerNorm", "epsilon", epsilon);
    this.parameters = {
      weight: kept(() => ones(this.shape, { dtype })),
      bias: kept(() => zeros(this.shape, { dtype })),
    };
  }

  /**
   * @param x - `[…, ...shape]`.
   * @param parameters - others than its own: what `valueAndGrad` hands over, say.
   * @throws as `layerNorm`.
   */
  forward(x: Tensor<D>, parameters: LayerNorm<D>["parameters"] = this.parameters): Tensor<D> {
    return layerNorm(x, this.shape, { ...parameters, epsilon: this.epsilon });
  }

  /** Returns the memory of the parameters and of their gradients. */
  dispose(): void {
    disposeAll(parametersOf(this.parameters));
  }

  /** The same as {@link LayerNorm.dispose}, for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}
