import { compactLike, describe } from "@sw/layout";
import { type Generator, isTensor, type Tensor } from "@sw/tensor";
import {
  type BackwardRecord,
  type BackwardRule,
  current,
  type Edge,
  type GradNode,
  isRecorded,
  plain,
  record,
  type SavedSlot,
  save,
  type Tape,
  unpack,
  withLeaf,
  withScope,
} from "@sw/tensor/seam";
import { checkFunction, checkList, checkOptions } from "./check-argument.js";
import { traverse } from "./engine.js";
import { GradientError } from "./errors.js";
import { copies } from "./hand-out.js";
import { order } from "./history.js";
import { detach } from "./parameter.js";
import { Scratch } from "./scratch.js";

/** Options of {@link checkpoint}. @since 0.1.0 */
export interface CheckpointOptions {
  /** Those that the function draws from: the second run draws the same numbers. Default: none. */
  readonly generators?: readonly Generator[];
}

/**
 * Makes of a function another that keeps nothing of what it computes but its output: backward runs the function again
 * and goes through that history, with the same gradients bit for bit. Memory of one block at a time, for the time of a
 * second forward.
 *
 * The function may read tensors other than its arguments; those that take part in gradients are noticed, and get theirs.
 * Constants that it reads must stay as they are until backward. It must give the same output for the same arguments:
 * name the generators that it draws from.
 *
 * @param fn - gives one tensor. What else it allocates is returned: nothing of it can be kept outside.
 * @returns a function whose output has a backward that throws GradientError `SW_AUTOGRAD_CHECKPOINT` where the second
 * run gives another output or reads other tensors, `SW_AUTOGRAD_CREATE_GRAPH` under `createGraph`; TensorVersionError
 * where an input was modified in between.
 * @example
 * ```ts
 * import { backward, checkpoint, parameter } from "@sw/autograd";
 * import { jsKernels } from "@sw/kernels-js";
 * import { exp, mul, setKernels, sum, type Tensor, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const w = parameter(tensor([2, 3]));
 * const block = checkpoint((x: Tensor) => mul(w, exp(x)));
 * backward(sum(block(tensor([0, 0]))));
 * console.log(w.grad?.toArray()); // [ 1, 1 ]
 * ```
 * @since 0.1.0
 */
export function checkpoint<I extends readonly Tensor[]>(
  fn: (...inputs: I) => Tensor,
  options: CheckpointOptions = {},
): (...inputs: I) => Tensor {
  checkFunction("checkpoint", fn);
  checkOptions("checkpoint", options, "{ generators }");
  const { generators = [] } = options;
  checkList("checkpoint", generators, "the generators");
  for (const generator of generators) {
    if (typeof (generator as Partial<Generator> | undefined)?.restore === "function") continue;
    throw new TypeError(`checkpoint: not a generator: got ${describe(generator)}, expected one of createGenerator.`);
  }
  const block: Block = { fn: fn as (...inputs: readonly Tensor[]) => Tensor, generators };
  return (...inputs) => forward(block, inputs);
}

/** What is run twice. */
interface Block {
  readonly fn: (...inputs: readonly Tensor[]) => Tensor;
  readonly generators: readonly Generator[];
}

/** One run of a block, while its scratch memory is in force. */
interface Run {
  /** What the function was given: leaves on the tape in the place of inputs that take part. */
  readonly leaves: readonly Tensor[];
  readonly output: Tensor;
  readonly tape: Tape;
}

/** Runs the function on a tape of its own, with leaves over its inputs. */
function play({ fn }: Block, inputs: readonly Tensor[], takesPart: (input: Tensor) => boolean): Run {
  const tape: Tape = { foreign: new Map() };
  let leaves = inputs;
  const output = withScope({ tape }, () => {
    leaves = inputs.map((input) => (takesPart(input) ? withLeaf(detach(input), "shape") : input));
    return fn(...leaves) as never;
  }) as Tensor;
  plain(output, "checkpoint");
  const { node } = output;
  // A function may give what it closes over, untouched.
  if (node !== undefined && node.tape !== tape) tape.foreign.set(node, output);
  return { leaves, output, tape };
}

function forward(block: Block, inputs: readonly Tensor[]): Tensor {
  for (const input of inputs) plain(input, "checkpoint");
  const states = statesOf(block.generators);
  let history: readonly Edge[] | undefined;
  let out: Tensor;
  try {
    out = Scratch.run((memory) => {
      const { output, tape } = play(block, inputs, isRecorded);
      if (output.node !== undefined) history = [...tape.foreign.values()];
      const [copy] = copies([{ memory, dtype: output.dtype, layout: compactLike(output.layout), from: output }]);
      return copy as Tensor;
    });
  } catch (error) {
    restore(block.generators, states);
    throw error;
  }
  if (history === undefined) return out;
  const from = [...inputs, ...history];
  const known = new WeakSet(history.map(({ node }) => node as GradNode));
  return record(out, {
    kind: "checkpoint",
    inputs: from,
    saved: [...from.map((edge) => (isTensor(edge) ? save(edge) : undefined)), save(out)],
    rule: replay(block, inputs.length, known, states),
  });
}

type States = readonly ReturnType<Generator["state"]>[];

function statesOf(generators: readonly Generator[]): States {
  return generators.map((generator) => generator.state());
}

function restore(generators: readonly Generator[], states: States): void {
  for (const [i, state] of states.entries()) generators[i]?.restore(state);
}

/** The rule: runs the block again, compares, and goes back through the history of the second run. */
function replay(block: Block, count: number, known: WeakSet<GradNode>, states: States): BackwardRule {
  return (own, cotangent) => {
    if (current().recording) {
      throw new GradientError(
        "SW_AUTOGRAD_CREATE_GRAPH",
        "backward of checkpoint: a block that is run again has no second derivative: got createGraph, expected a single pass. Call the function itself.",
        { operation: own.kind },
      );
    }
    return drawing(block, states, () => rerun(block, own, count, known, cotangent));
  };
}

/** Runs a function with the generators of a block put back, and afterwards where they were. */
function drawing<T>({ generators }: Block, states: States, fn: () => T): T {
  const before = statesOf(generators);
  restore(generators, states);
  try {
    return fn();
  } finally {
    restore(generators, before);
  }
}

function rerun(
  block: Block,
  own: BackwardRecord,
  count: number,
  known: WeakSet<GradNode>,
  cotangent: Tensor,
): readonly (Tensor | undefined)[] {
  // All that takes part is there, and as it was. The output may have been written.
  const taken = own.inputs.map((_, i) => own.saved[i] && unpack(own, i));
  const outer = current().memory as Scratch;
  // The values of the second run outlive the steps of the traversal.
  const values = new Scratch(outer.pool, false);
  const steps = new Scratch(outer.pool, false);
  return values.enclose({ recording: true }, () => {
    const inputs = taken.slice(0, count) as Tensor[];
    const { leaves, output, tape } = play(block, inputs, (input) => input.node !== undefined);
    const root = checkRun(own, output, tape, known);
    return steps.enclose({ recording: false }, () => {
      /** The node of the second run that stands for each input. */
      const nodes = own.inputs.map(({ node }, i) => node && (i < count ? leaves[i]?.node : node));
      const wanted = new Set(nodes);
      const found = new Map(
        traverse(order([root], tape), [[root, cotangent]], {
          scratch: steps,
          wanted: (node) => wanted.has(node),
          tape,
        }),
      );
      const given = nodes.map((node) => node && found.get(node));
      for (const t of given) {
        if (t === undefined) continue;
        outer.adopt(t, steps);
        outer.adopt(t, values);
      }
      return given;
    });
  });
}

/** Checks that the second run did what the first did, and gives the node of its output. */
function checkRun(own: BackwardRecord, output: Tensor, tape: Tape, known: WeakSet<GradNode>): GradNode {
  const refused = (problem: string, given: string, expected: string): GradientError =>
    new GradientError(
      "SW_AUTOGRAD_CHECKPOINT",
      `backward of checkpoint: ${problem}: got ${given}, expected ${expected}. Name the generators that the function draws from, and keep what it reads as it is.`,
      { operation: own.kind },
    );
  const { tensor: first, version } = own.saved.at(-1) as SavedSlot;
  const isUntouched = first.buffer.generation === first.generation && first.buffer.version === version;
  const { node } = output;
  if (node === undefined || !alike(first, output) || (isUntouched && !sameBits(first, output))) {
    throw refused("the second run gave another output", String(output.layout), "the bits of the first");
  }
  for (const other of tape.foreign.keys()) {
    if (known.has(other)) continue;
    throw refused("the second run read another tensor", other.record?.kind ?? "a leaf", "those of the first");
  }
  return node;
}

function alike(a: Tensor, b: Tensor): boolean {
  return a.dtype === b.dtype && a.rank === b.rank && a.shape.every((extent, axis) => extent === b.shape[axis]);
}

function sameBits(a: Tensor, b: Tensor): boolean {
  const [x, y] = [bytesOf(a), bytesOf(b)];
  for (let i = 0; i < x.length; i++) if (x[i] !== y[i]) return false;
  return true;
}

function bytesOf(t: Tensor): Uint8Array {
  const { buffer, byteOffset, byteLength } = t.data();
  return new Uint8Array(buffer, byteOffset, byteLength);
}
