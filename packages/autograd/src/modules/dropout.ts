import { bernoulli, type DType, type Generator, mul, type Tensor, where } from "@sw/tensor";
import { checkNumber } from "../check-number.js";
import { checkGenerator } from "./random-parameter.js";

/** Options of {@link Dropout}. @since 0.1.0 */
export interface DropoutOptions {
  /** How likely an element is to be left out, from 0 on and below 1. */
  readonly p: number;
  readonly generator: Generator;
}

/** What {@link Dropout} must be told: the same number means something else in training. @since 0.1.0 */
export interface DropoutState {
  readonly training: boolean;
}

/**
 * Leaves elements out at random in training, and scales the others by `1/(1 − p)`, so that sums stay what they are on
 * average. Otherwise it hands its operand on. What is left out is 0 even where it was NaN.
 * @since 0.1.0
 */
export class Dropout {
  /** None; it has a place in a tree of modules all the same. */
  readonly parameters: { readonly [name: string]: never } = {};
  readonly p: number;
  /** Each call in training draws a number for each element. */
  readonly generator: Generator;

  /** @throws TypeError without a generator; GradientError `SW_AUTOGRAD_OPTION` for a `p` out of range. */
  constructor({ p, generator }: DropoutOptions) {
    checkNumber("Dropout", "p", p, (x) => x >= 0 && x < 1, "a probability from 0 on and below 1");
    checkGenerator("Dropout", generator);
    this.p = p;
    this.generator = generator;
  }

  /** @throws TypeError where `training` is no boolean. */
  forward<D extends DType>(x: Tensor<D>, { training }: DropoutState): Tensor<D> {
    if (typeof training !== "boolean") {
      throw new TypeError(`Dropout: training is no boolean: got ${String(training)}, expected true or false.`);
    }
    if (!training || this.p === 0) return x;
    const mask = bernoulli(x.shape, { p: 1 - this.p, generator: this.generator });
    return where(mask, mul(x, 1 / (1 - this.p)) as Tensor, 0) as Tensor<D>;
  }
}
