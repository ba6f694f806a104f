import type { AllocateOptions, Allocator, DataBuffer, MemorySource } from "@sw/buffer";
import { add, isTensor, type Tensor } from "@sw/tensor";
import {
  type BackwardRecord,
  COPY,
  checkLoops,
  current,
  type GradNode,
  plain,
  runLoops,
  withScope,
} from "@sw/tensor/seam";
import { admit } from "./cotangent.js";
import { GradientError, GraphReleasedError } from "./errors.js";
import { arrived, gradientLayout, laid, makeIn } from "./gradient-layout.js";
import { ruleOf } from "./rules.js";

/** Options of a backward pass. @since 0.1.0 */
export interface BackwardOptions {
  /** Keeps the history, so that another backward may follow. Default: false. */
  readonly retainGraph?: boolean;
}

/** A node and the cotangent that reached it. */
type Reached = readonly [node: GradNode, cotangent: Tensor];

/**
 * Remembers what a pass allocates, so that everything it does not hand out goes back to its allocator at the end,
 * also when it throws.
 */
class Scratch implements Allocator {
  readonly inner: Allocator;
  readonly made: DataBuffer[] = [];
  readonly generations: number[] = [];

  constructor(inner: Allocator) {
    this.inner = inner;
  }

  get source(): MemorySource {
    return this.inner.source;
  }

  allocate(byteLength: number, options?: AllocateOptions): DataBuffer {
    const buffer = this.inner.allocate(byteLength, options);
    this.made.push(buffer);
    this.generations.push(buffer.generation);
    return buffer;
  }

  reclaim(buffer: DataBuffer): void {
    this.inner.reclaim(buffer);
  }

  /** Gives everything back, also when that finds an error (a write past the end), and then throws the first. */
  release(): void {
    releaseAll(this.made.map((buffer, i) => () => buffer.release(this.generations[i] as number)));
  }
}

/** Makes all calls, whichever of them throw, and throws the first of their errors. */
function releaseAll(calls: readonly (() => void)[]): void {
  const errors: unknown[] = [];
  for (const call of calls) {
    try {
      call();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}

/** Cleans up while an error is under way, which came first and is the one to be heard. */
function quietly(call: () => void): void {
  try {
    call();
  } catch {
    // See above.
  }
}

/** The nodes that some roots reach, each before the nodes it came from. Iterative: histories are long. */
function order(roots: readonly GradNode[]): GradNode[] {
  const done: GradNode[] = [];
  const seen = new Set<GradNode>();
  const stack: GradNode[] = [];
  const position: number[] = [];
  for (const root of roots) {
    if (seen.has(root)) continue;
    seen.add(root);
    stack.push(root);
    position.push(0);
    while (stack.length > 0) {
      const node = stack[stack.length - 1] as GradNode;
      const inputs = node.record?.inputs ?? [];
      const next = position[position.length - 1] as number;
      if (next === inputs.length) {
        done.push(node);
        stack.pop();
        position.pop();
        continue;
      }
      position[position.length - 1] = next + 1;
      const input = inputs[next]?.node;
      if (input === undefined || seen.has(input)) continue;
      seen.add(input);
      stack.push(input);
      position.push(0);
    }
  }
  return done.reverse();
}

function show(shape: readonly number[]): string {
  return `[${shape.join(",")}]`;
}

/** Runs a record's rule and checks what it gives against the record's inputs. */
function contributions(record: BackwardRecord, cotangent: Tensor): readonly (Tensor | undefined)[] {
  const given = ruleOf(record)(record, cotangent);
  if (given.length !== record.inputs.length) {
    throw new GradientError(
      "SW_AUTOGRAD_SHAPE",
      `backward of ${record.kind}: the rule gives another number of cotangents: got ${given.length}, expected ${record.inputs.length}.`,
      { operation: record.kind, given: given.length, expected: record.inputs.length },
    );
  }
  given.forEach((contribution, i) => {
    const edge = record.inputs[i] as BackwardRecord["inputs"][number];
    if (contribution === undefined || edge.node === undefined) return;
    const fits =
      contribution.dtype === edge.dtype &&
      contribution.rank === edge.shape.length &&
      contribution.shape.every((extent, axis) => extent === edge.shape[axis]);
    if (fits) return;
    throw new GradientError(
      "SW_AUTOGRAD_SHAPE",
      `backward of ${record.kind}: the cotangent of input ${i} does not fit: got ${contribution.dtype}${show(contribution.shape)}, expected ${edge.dtype}${show(edge.shape)}.`,
      { operation: record.kind, given: contribution.shape, expected: edge.shape },
    );
  });
  return given;
}

/**
 * Sends cotangents back through the history of some roots: each node once, after all that came from it, its
 * contributions summed first. Gives the cotangents of the nodes that `wanted` chooses, in scratch memory.
 */
function traverse(
  nodes: readonly GradNode[],
  seeds: readonly Reached[],
  wanted: (node: GradNode) => boolean,
): Reached[] {
  const pending = new Map<GradNode, Tensor>();
  const send = (node: GradNode, cotangent: Tensor): void => {
    const before = pending.get(node);
    pending.set(node, before === undefined ? cotangent : add(before, cotangent));
  };
  for (const [node, cotangent] of seeds) send(node, cotangent);
  const reached: Reached[] = [];
  for (const node of nodes) {
    const cotangent = pending.get(node);
    if (cotangent === undefined) continue;
    pending.delete(node);
    if (wanted(node)) reached.push([node, arrived(node, cotangent)]);
    const { record } = node;
    if (record === undefined) continue;
    // The library's own rules read by axis; that of a custom operation may rely on the layout it asked for (D6).
    const given = contributions(record, record.rule === undefined ? cotangent : laid(node, cotangent));
    for (let i = 0; i < given.length; i++) {
      const input = record.inputs[i]?.node;
      const contribution = given[i];
      if (input !== undefined && contribution !== undefined) send(input, contribution);
    }
  }
  return reached;
}

/** Frees what a history keeps. The nodes stay, so that a later backward can say why it cannot go on. */
function releaseHistory(nodes: readonly GradNode[]): void {
  const owned: Tensor[] = [];
  for (const { record } of nodes) {
    if (record === undefined || record.released) continue;
    owned.push(...record.owned);
    record.saved = [];
    record.owned = [];
    record.released = true;
  }
  releaseAll(owned.map((t) => () => t.dispose()));
}

/** What a pass arrived at, and the memory that outlives the pass. */
export interface Arrived {
  readonly reached: readonly Reached[];
  readonly memory: Allocator;
}

/**
 * Runs a pass over the history of some roots. `use` runs while the pass's scratch memory is in force, and allocates in
 * `memory` what is to stay. Nothing is released when anything throws.
 */
export function pass<T>(
  roots: readonly Tensor[],
  cotangents: readonly (Tensor | undefined)[],
  operation: string,
  options: BackwardOptions,
  wanted: (node: GradNode) => boolean,
  use: (arrived: Arrived) => T,
): T {
  const rootNodes = roots.map((root) => {
    // Its elements are not read: where no rule reads any, a pass goes through memory that was returned (VA-26).
    if (!isTensor(root)) plain(root, operation);
    if (root.node !== undefined) return root.node;
    throw new GradientError(
      "SW_AUTOGRAD_NO_GRAPH",
      `${operation}: the tensor takes no part in gradients: got one without a parameter upstream, expected a result of one. Make a leaf by parameter(t), and record outside noGrad.`,
    );
  });
  const nodes = order(rootNodes);
  for (const { record } of nodes) if (record?.released === true) throw new GraphReleasedError(record.kind);
  const { memory } = current();
  const scratch = new Scratch(memory);
  let result: T;
  try {
    result = withScope({ recording: false, memory: scratch }, () => {
      const seeds = roots.map((root, i): Reached => [rootNodes[i] as GradNode, admit(operation, root, cotangents[i])]);
      return use({ reached: traverse(nodes, seeds, wanted), memory }) as never;
    }) as T;
    if (options.retainGraph !== true) releaseHistory(nodes);
  } catch (error) {
    quietly(() => scratch.release());
    throw error;
  }
  scratch.release();
  return result;
}

/**
 * Copies cotangents of a pass into memory that stays: all of them, or none.
 *
 * @param owner - where the copy of each lives.
 */
export function copyOut(reached: readonly Reached[], owner: (node: GradNode) => Allocator): Map<GradNode, Tensor> {
  const copies = new Map<GradNode, Tensor>();
  try {
    for (const [node, cotangent] of reached) {
      const copy = makeIn(owner(node), node.dtype, gradientLayout(node));
      copies.set(node, copy);
      runLoops(COPY, [copy], [cotangent]);
    }
  } catch (error) {
    quietly(() => releaseAll([...copies.values()].map((copy) => () => copy.dispose())));
    throw error;
  }
  return copies;
}

function isLive(t: Tensor | undefined): t is Tensor {
  return t !== undefined && t.buffer.generation === t.generation;
}

/**
 * Adds cotangents into `.grad`. All sums are in scratch memory before the first gradient is written: a cotangent may
 * be a view of a gradient, and a sum that fails must change none.
 */
function accumulate({ reached, memory }: Arrived): void {
  const firsts = reached.filter(([node]) => !isLive(node.grad));
  const sums = reached
    .filter(([node]) => isLive(node.grad))
    .map(([node, cotangent]): Reached => [node, add(node.grad as Tensor, cotangent)]);
  for (const [node, sum] of sums) checkLoops(COPY, [node.grad as Tensor], [sum]);
  // What belongs to a leaf lives where the leaf lives, whatever arena is in force.
  const fresh = copyOut(firsts, (node) => node.home?.buffer.owner ?? memory);
  for (const [node, grad] of fresh) node.grad = grad;
  for (const [node, sum] of sums) runLoops(COPY, [node.grad as Tensor], [sum]);
}

/**
 * Sends a cotangent back from a tensor and adds what arrives at the leaves into their `.grad`, and at results that
 * {@link retainGrad} marked. A pass that throws has changed no `.grad`. Afterwards the history is released.
 *
 * @param cotangent - default: 1, for a tensor of one element.
 * @throws GradientError for a tensor without history, or a cotangent that is missing or does not fit.
 * @throws GraphReleasedError `SW_AUTOGRAD_RELEASED` when an earlier backward released the history.
 * @throws TensorVersionError `SW_TENSOR_VERSION` when a saved value was modified in place.
 * @throws StaleTensorError `SW_BUFFER_STALE` when a saved value was disposed.
 * @since 0.1.0
 */
export function backward(t: Tensor, cotangent?: Tensor, options: BackwardOptions = {}): void {
  pass([t], [cotangent], "backward", options, (node) => node.retainGrad, accumulate);
}
