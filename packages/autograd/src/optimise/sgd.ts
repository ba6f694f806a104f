import type { Tensor } from "@sw/tensor";
import { SGD_STEP } from "@sw/tensor/seam";
import { finite } from "../check-number.js";
import { Optimiser } from "./optimiser.js";
import type { ModuleTree } from "./tree.js";

/** Options of {@link Sgd}. @since 0.1.0 */
export interface SgdOptions {
  readonly learningRate: number;
  /** Default: 0. */
  readonly momentum?: number;
  /** Added to the gradient as `weightDecay · parameter`. Default: 0. */
  readonly weightDecay?: number;
  /** Default: false. */
  readonly nesterov?: boolean;
}

/**
 * Stochastic gradient descent: `v ← momentum·v + g`, `p ← p − learningRate·v`, with `g + momentum·v` in place of `v`
 * for Nesterov's form. Without momentum it has no state.
 * @since 0.1.0
 */
export class Sgd extends Optimiser {
  readonly momentum: number;
  readonly weightDecay: number;
  readonly nesterov: boolean;

  /**
   * @throws as any {@link Optimiser}; GradientError `SW_AUTOGRAD_OPTION` for a momentum or decay that is negative or not
   * finite.
   */
  constructor(parameters: ModuleTree, options: SgdOptions) {
    const { learningRate, momentum = 0, weightDecay = 0, nesterov = false } = options;
    finite("Sgd", "momentum", momentum);
    finite("Sgd", "weightDecay", weightDecay);
    super("Sgd", SGD_STEP, momentum === 0 ? [] : ["velocity"], parameters, learningRate);
    this.momentum = momentum;
    this.weightDecay = weightDecay;
    this.nesterov = nesterov;
  }

  /** One per parameter; empty without momentum. */
  get velocities(): readonly Tensor[] {
    return this.places.flatMap(({ state }) => state);
  }

  override numbersOf(): { readonly ints: readonly number[]; readonly floats: readonly number[] } {
    return { ints: [this.nesterov ? 1 : 0], floats: [this.learningRate, this.momentum, this.weightDecay] };
  }
}
