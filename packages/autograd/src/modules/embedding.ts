import { type DType, type EmbeddingOptions, embedding, type Tensor } from "@sw/tensor";
import { checkNumber, whole } from "../check-number.js";
import { noGrad } from "../mode.js";
import { parametersOf } from "../optimise/tree.js";
import { checkGenerator, disposeAll, type RandomModuleOptions, randomParameter } from "./random-parameter.js";

/** Options of the module {@link Embedding}. @since 0.1.0 */
export interface EmbeddingModuleOptions<D extends DType> extends RandomModuleOptions<D>, EmbeddingOptions {}

/**
 * A table that numbers are looked up in: `embedding` with a table of its own, of numbers in ±1/√width. The row of `skipId`
 * is zeros and gets no gradient.
 * @since 0.1.0
 */
export class Embedding<D extends DType = "float32"> {
  /** `[count, width]`. */
  readonly parameters: { readonly weight: Tensor<D> };
  readonly options: EmbeddingOptions;

  /**
   * @throws TypeError without a generator; GradientError `SW_AUTOGRAD_OPTION` for extents that are no integers of at least 1,
   * or a `skipId` that is no row; TensorValueError `SW_TENSOR_DTYPE_REFUSED` for a dtype that is no float.
   */
  constructor(count: number, width: number, options: EmbeddingModuleOptions<D>) {
    whole("Embedding", "count", count, 1);
    whole("Embedding", "width", width, 1);
    checkGenerator("Embedding", options?.generator);
    const { skipId } = options;
    this.options = skipId === undefined ? {} : { skipId };
    if (skipId !== undefined) {
      const fits = (id: number): boolean => Number.isInteger(id) && id >= 0 && id < count;
      checkNumber("Embedding", "skipId", skipId, fits, `an integer from 0 to ${count - 1}`);
    }
    const weight = randomParameter([count, width], width, options);
    if (skipId !== undefined) noGrad(() => weight.select(0, skipId).fill(0));
    this.parameters = { weight };
  }

  /**
   * @param ids - row numbers, of any shape and integer dtype.
   * @param parameters - others than its own: what `valueAndGrad` hands over, say.
   * @returns the shape of `ids`, then `width`.
   * @throws as `embedding`.
   */
  forward(ids: Tensor, parameters: Embedding<D>["parameters"] = this.parameters): Tensor<D> {
    return embedding(parameters.weight, ids, this.options);
  }

  /** Returns the memory of the parameters and of their gradients. */
  dispose(): void {
    disposeAll(parametersOf(this.parameters));
  }

  /** The same as {@link Embedding.dispose}, for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}
