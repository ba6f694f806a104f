import type { Allocator } from "@sw/buffer";
import { isInjective } from "@sw/layout";
import { add, DTYPES, type DType, isTensor, type Tensor } from "@sw/tensor";
import {
  ACCUMULATE,
  type BackwardRecord,
  current,
  type GradNode,
  plain,
  runLoops,
  type Tape,
  withScope,
} from "@sw/tensor/seam";
import { checkCotangent, contributions, pruned } from "./contributions.js";
import { admit } from "./cotangent.js";
import { GradientError, GraphReleasedError } from "./errors.js";
import { arrived, laid } from "./gradient-layout.js";
import { isOn, leading, order, releaseHistory } from "./history.js";
import { behind, Scratch } from "./scratch.js";

/** Options of a backward pass. @since 0.1.0 */
export interface BackwardOptions {
  /** Keeps the history, so that another backward may follow. Default: false. */
  readonly retainGraph?: boolean;
}

/** What a pass is told beside. */
export interface PassOptions extends BackwardOptions {
  /** Writes the history of the pass itself; keeps that of the roots. */
  readonly createGraph?: boolean;
}

/** A node and the cotangent that reached it. */
export type Reached = readonly [node: GradNode, cotangent: Tensor];

/** What a pass arrived at, and the memory that outlives the pass. */
export interface Arrived {
  readonly reached: readonly Reached[];
  /** What the pass made; in force while it is used. */
  readonly scratch: Scratch;
  readonly memory: Allocator;
}

/**
 * The node of a tensor whose history a pass begins at.
 *
 * @throws TypeError for what is no tensor; GradientError `SW_AUTOGRAD_NO_GRAPH`.
 */
export function nodeOf(t: Tensor, operation: string): GradNode {
  // Its elements are not read: where no rule reads any, a pass goes through memory that was returned (VA-26).
  if (!isTensor(t)) plain(t, operation);
  if (t.node !== undefined) return t.node;
  throw new GradientError(
    "SW_AUTOGRAD_NO_GRAPH",
    `${operation}: the tensor takes no part in gradients: got one without a parameter upstream, expected a result of one. Make a leaf by parameter(t), and record outside noGrad.`,
  );
}

/** Whether the first backend adds into an output. Where only a slower one would, a new sum is the better bargain. */
function addsInPlace(dtype: DType): boolean {
  return DTYPES[dtype].byteLength > 2 && current().kernels[0]?.kernels[ACCUMULATE.kind] !== undefined;
}

/** Adds two cotangents of one node, in place where the memory of the first is the pass's own and nobody else reads it. */
function summed(scratch: Scratch, sum: Tensor, contribution: Tensor): Tensor {
  if (scratch.isSole(sum) && addsInPlace(sum.dtype) && isInjective(sum.layout)) {
    runLoops(ACCUMULATE, [sum], [contribution]);
    return sum;
  }
  const total = add(sum, contribution);
  scratch.hold(total);
  scratch.drop(sum);
  return total;
}

/** Lets the hooks of a node see its cotangent, and replace it. */
function hooked(scratch: Scratch, node: GradNode, cotangent: Tensor): Tensor {
  let present = cotangent;
  for (const fn of node.hooks ?? []) {
    const given = withScope({}, () => fn(present) as never) as Tensor | undefined;
    if (given === undefined) continue;
    checkCotangent("hook", "the cotangent that the function gives", node, given, "hook");
    scratch.hold(given);
    scratch.drop(present);
    present = given;
  }
  return present;
}

/** What a traversal is told beside. */
interface Way {
  readonly scratch: Scratch;
  /** Whose cotangents are asked for. */
  readonly wanted: (node: GradNode) => boolean;
  /** Where it is given, the way ends before nodes that are on no or another tape. */
  readonly tape?: Tape;
}

/**
 * Sends cotangents back through ordered nodes: each node once, after all that came from it, its contributions summed
 * first. Nodes and edges that lead to nothing wanted are passed over. What is no longer read is returned on the way.
 * Gives the cotangents of the nodes that are wanted, in scratch memory.
 */
export function traverse(
  nodes: readonly GradNode[],
  seeds: readonly Reached[],
  { scratch, wanted, tape }: Way,
): Reached[] {
  const leads = leading(nodes, wanted, tape);
  const pending = new Map<GradNode, Tensor>();
  const send = (node: GradNode, cotangent: Tensor): void => {
    if (!leads.has(node)) return;
    const before = pending.get(node);
    if (before === undefined) scratch.hold(cotangent);
    pending.set(node, before === undefined ? cotangent : summed(scratch, before, cotangent));
  };
  const run = (record: BackwardRecord, node: GradNode, cotangent: Tensor): void => {
    // A hook may have run a pass of its own over the same history.
    if (record.released) throw new GraphReleasedError(record.kind);
    // A rule that writes history needs all edges: what it saved is a function of inputs that lead nowhere, too.
    const asked = scratch.stays ? record : pruned(record, leads);
    // The library's own rules read by axis; that of a custom operation may rely on the layout it asked for (D6).
    const given = contributions(asked, record.rule === undefined ? cotangent : laid(node, cotangent));
    // The new history reads what the record made for itself: it is no longer the record's to return.
    if (scratch.stays) record.owned = [];
    for (let i = 0; i < given.length; i++) {
      const input = asked.inputs[i]?.node;
      const contribution = given[i];
      if (input !== undefined && contribution !== undefined) send(input, contribution);
    }
  };
  for (const [node, cotangent] of seeds) send(node, cotangent);
  const reached: Reached[] = [];
  for (const node of nodes) {
    const whole = pending.get(node);
    if (whole === undefined) continue;
    pending.delete(node);
    const inside = isOn(node, tape);
    // Of a node outside, the pass that goes through it calls the hooks and sums for its leaf.
    const cotangent = inside ? hooked(scratch, node, whole) : whole;
    if (wanted(node)) {
      const result = inside ? arrived(node, cotangent) : cotangent;
      scratch.hold(result);
      reached.push([node, result]);
    }
    const { record } = node;
    if (inside && record !== undefined) run(record, node, cotangent);
    scratch.sweep();
    scratch.drop(cotangent);
  }
  return reached;
}

/**
 * Runs a pass over the history of some roots. `use` runs while the pass's scratch memory is in force, and allocates in
 * `memory` what is to stay. Nothing of the history is released when anything throws.
 *
 * @throws GradientError, GraphReleasedError, TensorVersionError, StaleTensorError.
 */
export function pass<T>(
  roots: readonly Tensor[],
  cotangents: readonly (Tensor | undefined)[],
  operation: string,
  { retainGraph = false, createGraph = false }: PassOptions,
  wanted: (node: GradNode) => boolean,
  use: (arrived: Arrived) => T,
): T {
  const rootNodes = roots.map((root) => nodeOf(root, operation));
  const nodes = order(rootNodes);
  for (const { record } of nodes) if (record?.released === true) throw new GraphReleasedError(record.kind);
  const { memory } = current();
  const scratch = new Scratch(createGraph ? memory : behind(memory), createGraph);
  return scratch.enclose({ recording: createGraph }, () => {
    const seeds = roots.map((root, i): Reached => [rootNodes[i] as GradNode, admit(operation, root, cotangents[i])]);
    const result = use({ reached: traverse(nodes, seeds, { scratch, wanted }), scratch, memory });
    if (!retainGraph && !createGraph) releaseHistory(nodes);
    return result;
  });
}
