import { compactLike, isInjective } from "@sw/layout";
import { DTYPES, fromBuffer, type Tensor } from "@sw/tensor";
import { checkLoops, runLoops, SGD_STEP } from "@sw/tensor/seam";
import { GradientError } from "../errors.js";
import { noGrad } from "../mode.js";
import { type ParameterTree, parametersOf } from "./tree.js";

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
 * for Nesterov's form. Each step is one kernel per parameter; its state lives where the parameter lives.
 * @since 0.1.0
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
   * @throws TypeError for an option or a branch of the tree of a wrong type.
   * @throws GradientError `SW_AUTOGRAD_OPTION` for a rate, momentum or decay that is negative or no number;
   * `SW_AUTOGRAD_NO_GRAPH` for a tensor that is no parameter; `SW_AUTOGRAD_OVERLAP` for one whose elements share memory.
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
    this.parameters.forEach((p, i) => {
      if (isInjective(p.layout)) return;
      throw new GradientError(
        "SW_AUTOGRAD_OVERLAP",
        `Sgd: elements of parameter ${i} share memory: got layout ${p.layout.toString()}, expected a place for each, since a step writes them. Use a contiguous() copy.`,
        { given: p.layout.toString() },
      );
    });
    this.velocities = this.momentum === 0 ? [] : zerosBeside(this.parameters);
  }

  /**
   * Updates every parameter that has a gradient, in place: all of them, or none when it throws.
   *
   * @throws StaleTensorError `SW_BUFFER_STALE` for a parameter, gradient or state that was disposed; BufferStateError
   * `SW_BUFFER_READ_ONLY`; KernelMissingError.
   */
  step(): void {
    const ints = [this.nesterov ? 1 : 0];
    const floats = [this.learningRate, this.momentum, this.weightDecay];
    const updates: { readonly outputs: readonly Tensor[]; readonly grad: Tensor }[] = [];
    this.parameters.forEach((p, i) => {
      const { grad } = p;
      const velocity = this.velocities[i];
      if (grad !== undefined) updates.push({ outputs: velocity === undefined ? [p] : [p, velocity], grad });
    });
    noGrad(() => {
      for (const { outputs, grad } of updates) checkLoops(SGD_STEP, outputs, [grad], ints, floats);
      for (const { outputs, grad } of updates) runLoops(SGD_STEP, outputs, [grad], ints, floats);
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
  if (typeof value !== "number") {
    throw new TypeError(`Sgd: ${name} is no number: got ${typeof value}, expected a number of at least 0.`);
  }
  if (Number.isFinite(value) && value >= 0) return value;
  throw new GradientError(
    "SW_AUTOGRAD_OPTION",
    `Sgd: ${name} is not possible: got ${value}, expected a finite number of at least 0.`,
    { given: value },
  );
}

/** Zeros of each parameter's shape in the parameter's own memory. */
function zerosBeside(parameters: readonly Tensor[]): Tensor[] {
  const made: Tensor[] = [];
  try {
    for (const p of parameters) {
      const layout = compactLike(p.layout);
      const buffer = p.buffer.owner.allocate(layout.size * DTYPES[p.dtype].byteLength, { zero: true });
      made.push(fromBuffer(p.dtype, buffer, layout));
    }
    return made;
  } catch (error) {
    for (const t of made) t.dispose();
    throw error;
  }
}
