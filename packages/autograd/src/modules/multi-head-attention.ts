import { type AttentionOptions, attention, type DType, type Tensor } from "@sw/tensor";
import { checkNumber, whole } from "../check-number.js";
import { parametersOf } from "../optimise/tree.js";
import { affine, Linear, type LinearOptions, type LinearParameters } from "./linear.js";
import { disposeAll } from "./random-parameter.js";

/** Options of {@link MultiHeadAttention}: those of each of its four layers. @since 0.1.0 */
export type MultiHeadAttentionOptions<D extends DType> = LinearOptions<D>;

/** What {@link MultiHeadAttention} learns. @since 0.1.0 */
export type AttentionParameters<D extends DType> = {
  readonly [Layer in "query" | "key" | "value" | "output"]: LinearParameters<D>;
};

/** Options of one call of {@link MultiHeadAttention}. @since 0.1.0 */
export interface MultiHeadCall<D extends DType> extends AttentionOptions<D> {
  /** `[…, m, width]`, what keys and values are made of. Default: the queries' own `x`. */
  readonly context?: Tensor<D>;
}

/**
 * Attention in several heads: each sees the whole through layers of its own, and a last layer mixes what they found.
 * @since 0.1.0
 */
export class MultiHeadAttention<D extends DType = "float32"> {
  readonly parameters: AttentionParameters<D>;
  readonly heads: number;

  /**
   * @param heads - how many; they share the width evenly.
   * @throws TypeError without a generator; GradientError `SW_AUTOGRAD_OPTION` for numbers that are no integers of at least 1,
   * and for heads that do not divide the width; TensorValueError `SW_TENSOR_DTYPE_REFUSED` for a dtype that is no float.
   */
  constructor(width: number, heads: number, options: MultiHeadAttentionOptions<D>) {
    whole("MultiHeadAttention", "width", width, 1);
    whole("MultiHeadAttention", "heads", heads, 1);
    checkNumber("MultiHeadAttention", "heads", heads, (x) => width % x === 0, `a divisor of the width ${width}`);
    const layer = (): LinearParameters<D> => new Linear(width, width, options).parameters;
    this.parameters = { query: layer(), key: layer(), value: layer(), output: layer() };
    this.heads = heads;
  }

  /**
   * @param x - `[…, n, width]`, what queries are made of.
   * @param options - a mask broadcasts to `[…, heads, n, m]`: one of each batch needs an axis of 1 for the heads.
   * @param parameters - others than its own: what `valueAndGrad` hands over, say.
   * @returns `[…, n, width]`.
   * @throws as `matmul` and `attention`.
   */
  forward(
    x: Tensor<D>,
    options: MultiHeadCall<D> = {},
    parameters: AttentionParameters<D> = this.parameters,
  ): Tensor<D> {
    const { context = x, ...rest } = options;
    const { query, key, value, output } = parameters;
    const [q, k, v] = [
      this.split(affine(x, query)),
      this.split(affine(context, key)),
      this.split(affine(context, value)),
    ];
    const found = attention(q, k, v, rest).transpose(x.rank - 2, x.rank - 1);
    return affine(found.reshape(x.shape), output);
  }

  /** From `[…, n, width]` to `[…, heads, n, width / heads]`. @internal */
  split(t: Tensor<D>): Tensor<D> {
    const { heads } = this;
    const [outer, width] = [t.shape.slice(0, -1), t.shape.at(-1) as number];
    return t.reshape([...outer, heads, width / heads]).transpose(t.rank - 2, t.rank - 1);
  }

  /** Returns the memory of the parameters and of their gradients. */
  dispose(): void {
    disposeAll(parametersOf(this.parameters));
  }

  /** The same as {@link MultiHeadAttention.dispose}, for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}
