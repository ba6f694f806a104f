import { type Tensor, zeros } from "@sw/tensor";
import { ADAM_STEP, defaultPool, withScope } from "@sw/tensor/seam";
import { checkNumber, finite } from "../check-number.js";
import { GradientError } from "../errors.js";
import { Optimiser } from "./optimiser.js";
import type { ModuleTree } from "./tree.js";

/** Options of {@link Adam} and {@link AdamW}. @since 0.1.0 */
export interface AdamOptions {
  readonly learningRate: number;
  /** How much of the mean of gradients each step keeps. Default: 0.9. */
  readonly beta1?: number;
  /** How much of the mean of their squares each step keeps. Default: 0.999. */
  readonly beta2?: number;
  /** Added to the divisor. Default: 1e-8. */
  readonly epsilon?: number;
  /** Default: 0; of {@link AdamW} 0.01. */
  readonly weightDecay?: number;
  /** Whether the decay shrinks the parameter itself, rather than adding to its gradient. Default: false; of {@link AdamW} true. */
  readonly decoupled?: boolean;
}

/**
 * Adam (Kingma and Ba, 2015): `m ← β₁m + (1−β₁)g`, `v ← β₂v + (1−β₂)g²`,
 * `p ← p − learningRate · (m/(1−β₁ᵗ)) / (√(v/(1−β₂ᵗ)) + epsilon)`.
 *
 * Steps are counted per parameter: one without a gradient does not age. The moments have the parameter's dtype: of 16
 * bits they are too coarse for small steps, so keep such parameters in float32.
 * @since 0.1.0
 */
export class Adam extends Optimiser {
  readonly beta1: number;
  readonly beta2: number;
  readonly epsilon: number;
  readonly weightDecay: number;
  readonly decoupled: boolean;
  /** How many steps each parameter has made. */
  readonly steps: Tensor<"int32">;

  /**
   * @throws as any {@link Optimiser}; GradientError `SW_AUTOGRAD_OPTION` for a beta that is not from 0 on and below 1, and for
   * an epsilon or decay that is negative or not finite.
   * @param operation - what errors call it.
   */
  constructor(parameters: ModuleTree, options: AdamOptions, operation = "Adam") {
    const { learningRate, beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0, decoupled = false } = options;
    for (const [name, beta] of Object.entries({ beta1, beta2 })) {
      checkNumber(operation, name, beta, (x) => x >= 0 && x < 1, "a number from 0 on and below 1");
    }
    finite(operation, "epsilon", epsilon);
    finite(operation, "weightDecay", weightDecay);
    super(operation, ADAM_STEP, ["first", "second"], parameters, learningRate);
    this.beta1 = beta1;
    this.beta2 = beta2;
    this.epsilon = epsilon;
    this.weightDecay = weightDecay;
    this.decoupled = decoupled;
    this.steps = withScope({ memory: defaultPool() }, () => zeros([this.places.length], { dtype: "int32" }));
  }

  override numbersOf(place: number): { readonly ints: readonly number[]; readonly floats: readonly number[] } {
    const t = this.steps.at(place) + 1;
    const { learningRate, beta1, beta2, epsilon, weightDecay } = this;
    const corrections = [1 - beta1 ** t, 1 - beta2 ** t];
    return {
      ints: [this.decoupled ? 1 : 0],
      floats: [learningRate, beta1, beta2, epsilon, weightDecay, ...corrections],
    };
  }

  override stepped(places: readonly number[]): void {
    for (const place of places) this.steps.set(this.steps.at(place) + 1, place);
  }

  override stateOf(place: number): Record<string, Tensor> {
    return { ...super.stateOf(place), steps: this.steps.select(0, place) };
  }

  override checkState(state: Record<string, Tensor>): void {
    for (const [name, t] of Object.entries(state)) {
      const given = /(^|\.)steps$/.test(name) ? Number(t.item()) : 0;
      if (given >= 0) continue;
      throw new GradientError(
        "SW_AUTOGRAD_STATE",
        `${this.operation}.load: "${name}" counts below 0: got ${given}, expected at least 0.`,
        { operation: `${this.operation}.load`, given },
      );
    }
  }

  override dispose(): void {
    super.dispose();
    this.steps.dispose();
  }
}

/**
 * Adam with decoupled weight decay (Loshchilov and Hutter, 2019): `p ← p·(1 − learningRate·weightDecay)` before Adam's
 * step.
 * @since 0.1.0
 */
export class AdamW extends Adam {
  /** @throws as {@link Adam}. */
  constructor(parameters: ModuleTree, options: AdamOptions) {
    super(parameters, { weightDecay: 0.01, decoupled: true, ...options }, "AdamW");
  }
}
