import { compactLike } from "@sw/layout";
import { DTYPES, fromBuffer, type Tensor } from "@sw/tensor";
import { checkLoops, type OperationSpec, runLoops } from "@sw/tensor/seam";
import { finite } from "../check-number.js";
import { GradientError } from "../errors.js";
import { noGrad } from "../mode.js";
import { checkNamed, checkPlaces, copyNamed } from "./named.js";
import { byName, leavesOf, type ModuleTree } from "./tree.js";

/** One parameter, and what an optimiser keeps beside it. */
interface Place {
  readonly name: string;
  readonly parameter: Tensor;
  /** One tensor for each name of the state, of the parameter's shape, dtype and memory. */
  readonly state: readonly Tensor[];
}

/**
 * What optimisers have in common: a step is one kernel per parameter that has a gradient, in place, and its state lies
 * where the parameter lies.
 * @since 0.1.0
 */
export abstract class Optimiser {
  readonly parameters: readonly Tensor[];
  /** May be changed between steps. */
  learningRate: number;
  /** What errors call it: the name of a class does not survive every bundler. @internal */
  readonly operation: string;
  /** @internal */
  readonly places: readonly Place[];
  /** What the state of each parameter is called. @internal */
  readonly stateNames: readonly string[];
  /** @internal */
  readonly spec: OperationSpec;

  /**
   * @throws TypeError for a rate or a branch of the tree of a wrong type.
   * @throws GradientError `SW_AUTOGRAD_OPTION` for a rate that is negative or not finite; `SW_AUTOGRAD_NO_GRAPH` for a
   * tensor that is no parameter; `SW_AUTOGRAD_OVERLAP` for one whose elements share memory.
   */
  constructor(
    operation: string,
    spec: OperationSpec,
    stateNames: readonly string[],
    tree: ModuleTree,
    learningRate: number,
  ) {
    this.operation = operation;
    this.learningRate = finite(operation, "learningRate", learningRate);
    const leaves = leavesOf(operation, tree);
    leaves.forEach(([name, p], i) => {
      if (p.node?.home === undefined) {
        throw new GradientError(
          "SW_AUTOGRAD_NO_GRAPH",
          `${operation}: not a parameter: got tensor ${i} of the tree without a leaf, expected one made by parameter(t).`,
          { operation, given: i },
        );
      }
      checkPlaces(operation, name, p);
    });
    this.spec = spec;
    this.stateNames = stateNames;
    this.parameters = leaves.map(([, p]) => p);
    this.places = withZeros(leaves, stateNames.length);
  }

  /** The numbers of the kernel, for one parameter. @internal */
  abstract numbersOf(place: number): { readonly ints: readonly number[]; readonly floats: readonly number[] };

  /** Is told which parameters a step has updated. @internal */
  stepped(_places: readonly number[]): void {
    // Nothing is counted here.
  }

  /**
   * Updates every parameter that has a gradient, in place: all of them, or none when it throws.
   *
   * @throws GradientError `SW_AUTOGRAD_OPTION` for a rate that was set to what is none; StaleTensorError
   * `SW_BUFFER_STALE` for a parameter, gradient or state that was disposed; BufferStateError `SW_BUFFER_READ_ONLY`;
   * KernelMissingError.
   */
  step(): void {
    finite(this.operation, "learningRate", this.learningRate);
    const calls = this.places.flatMap(({ parameter, state }, place) => {
      const { grad } = parameter;
      if (grad === undefined) return [];
      return [{ place, outputs: [parameter, ...state], inputs: [grad], ...this.numbersOf(place) }];
    });
    noGrad(() => {
      for (const { outputs, inputs, ints, floats } of calls) checkLoops(this.spec, outputs, inputs, ints, floats);
      for (const { outputs, inputs, ints, floats } of calls) runLoops(this.spec, outputs, inputs, ints, floats);
      this.stepped(calls.map(({ place }) => place));
    });
  }

  /** Forgets the gradients; their memory goes back to where it came from. */
  zeroGrad(): void {
    for (const { node } of this.parameters) {
      node?.grad?.dispose();
      if (node !== undefined) node.grad = undefined;
    }
  }

  /**
   * Gives the state by name, what it is after the parameter's: `"layers.0.weight.velocity"`. No parameter has such a
   * name, whatever the parts of a model are called, since nothing of a tree is below a tensor. The tensors are those of the
   * optimiser, not copies, and a file format takes the result as it is. Parameters are not among them.
   *
   * @throws GradientError `SW_AUTOGRAD_NAME` for two tensors of one name, which takes keys with dots.
   */
  state(): Record<string, Tensor> {
    return this.named("state");
  }

  /** The state, for the operation that asks for it. @internal */
  named(operation: string): Record<string, Tensor> {
    const named = this.places.flatMap(({ name }, place) =>
      Object.entries(this.stateOf(place)).map(([what, t]): [string, Tensor] => [
        name === "" ? what : `${name}.${what}`,
        t,
      ]),
    );
    const parameters = this.places.map(({ name, parameter }): [string, Tensor] => [name, parameter]);
    byName(`${this.operation}.${operation}`, [...parameters, ...named]);
    return Object.fromEntries(named);
  }

  /** What is kept beside one parameter. @internal */
  stateOf(place: number): Record<string, Tensor> {
    const state = this.places[place]?.state ?? [];
    return Object.fromEntries(this.stateNames.map((what, k) => [what, state[k] as Tensor]));
  }

  /**
   * Goes on from a state that `state()` gave, or a file has kept: copies all of it, or nothing when it throws.
   *
   * @throws TypeError for what is no tensor; GradientError `SW_AUTOGRAD_NAME` for a name that is missing or unknown,
   * `SW_AUTOGRAD_STATE` for a shape, dtype or count that does not fit; StaleTensorError `SW_BUFFER_STALE`.
   */
  load(state: Record<string, Tensor>): void {
    const into = this.named("load");
    checkNamed(`${this.operation}.load`, into, state);
    this.checkState(state);
    copyNamed(into, state);
  }

  /** Checks what shape and dtype do not say. @internal */
  checkState(_state: Record<string, Tensor>): void {
    // Any numbers will do.
  }

  /** Returns the memory of the state. The parameters stay. */
  dispose(): void {
    for (const { state } of this.places) for (const t of state) t.dispose();
  }

  /** The same as {@link Optimiser.dispose}, for `using`. */
  [Symbol.dispose](): void {
    this.dispose();
  }
}

/** Zeros beside each parameter, in the parameter's own memory. */
function withZeros(leaves: readonly (readonly [string, Tensor])[], count: number): Place[] {
  const made: Tensor[] = [];
  const zeros = (p: Tensor): Tensor => {
    const layout = compactLike(p.layout);
    const buffer = p.buffer.owner.allocate(layout.size * DTYPES[p.dtype].byteLength, { zero: true });
    const t = fromBuffer(p.dtype, buffer, layout);
    made.push(t);
    return t;
  };
  try {
    return leaves.map(([name, parameter]) => ({
      name,
      parameter,
      state: Array.from({ length: count }, () => zeros(parameter)),
    }));
  } catch (error) {
    for (const t of made) t.dispose();
    throw error;
  }
}
