import { compactLike } from "@sw/layout";
import { DTYPES, fromBuffer, type Tensor } from "@sw/tensor";
import { runLoops } from "@sw/tensor/seam";
import { GradientError } from "../errors.js";
import { noGrad } from "../mode.js";
import { type ParameterTree, parametersOf } from "./tree.js";

/** Options of {@link Sgd}. */
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
 * for Nesterov's form. Each step is one kernel per parameter; its state lives where the parameter lives.
 */
export class Sgd {
  readonly parameters: readonly Tensor[];
  readonly momentum: number;
  readonly weightDecay: number;
  readonly nesterov: boolean;
  /** May be changed between steps. */
  learningRate: number;
  /** One per parameter; empty without momentum. */
  readonly velocities: readonly Tensor[];

  /**
   * @throws GradientError `SW_AUTOGRAD_OPTION` for a rate, momentum or decay that is negative or no number;
   * `SW_AUTOGRAD_NO_GRAPH` for a tensor that is no parameter.
   */
  constructor(parameters: ParameterTree, options: SgdOptions) {
    this.parameters = parametersOf(parameters);
    this.learningRate = checkOption("learningRate", options.learningRate);
    this.momentum = checkOption("momentum", options.momentum ?? 0);
    this.weightDecay = checkOption("weightDecay", options.weightDecay ?? 0);
    this.nesterov = options.nesterov ?? false;
    this.parameters.forEach((p, i) => {
      if (p.node?.home !== undefined) return;
      throw new GradientError(
        "SW_AUTOGRAD_NO_GRAPH",
        `Sgd: not a parameter: got tensor ${i} of the tree without a leaf, expected one made by parameter(t).`,
        { given: i },
      );
    });
    this.velocities = this.momentum === 0 ? [] : this.parameters.map(zerosBeside);
  }

  /** Updates every parameter that has a gradient, in place. */
  step(): void {
    const attributes = {
      ints: [this.nesterov ? 1 : 0],
      floats: [this.learningRate, this.momentum, this.weightDecay],
    };
    noGrad(() => {
      this.parameters.forEach((p, i) => {
        const { grad } = p;
        if (grad === undefined) return;
        const velocity = this.velocities[i];
        runLoops("sgdStep", velocity === undefined ? [p] : [p, velocity], [grad], attributes);
      });
    });
  }

  /** Forgets the gradients; their memory goes back to where it came from. */
  zeroGrad(): void {
    for (const { node } of this.parameters) {
      node?.grad?.dispose();
      if (node !== undefined) node.grad = undefined;
    }
  }

  /** Returns the memory of the state. The parameters stay. */
  dispose(): void {
    for (const velocity of this.velocities) velocity.dispose();
  }

  /** The same as {@link Sgd.dispose}, for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}

function checkOption(name: string, value: number): number {
  if (Number.isFinite(value) && value >= 0) return value;
  throw new GradientError(
    "SW_AUTOGRAD_OPTION",
    `Sgd: ${name} is not possible: got ${value}, expected a finite number of at least 0.`,
    {
      given: value,
    },
  );
}

/** Zeros of a parameter's shape in the parameter's own memory. */
function zerosBeside(p: Tensor): Tensor {
  const layout = compactLike(p.layout);
  const buffer = p.buffer.owner.allocate(layout.size * DTYPES[p.dtype].byteLength, { zero: true });
  return fromBuffer(p.dtype, buffer, layout);
}
