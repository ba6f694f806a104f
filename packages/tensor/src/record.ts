import type { Layout, Located } from "@sw/layout";
import type { DType } from "./dtype.js";
import { TensorVersionError } from "./errors.js";
import { checkLive } from "./handle.js";
import { current } from "./scope.js";
import type { Tensor } from "./tensor.js";

/** A node of the gradient graph: a leaf, or the result of a recorded operation. @since 0.1.0 */
export interface GradNode {
  /** How the value came about; `undefined` for a leaf. */
  record: BackwardRecord | undefined;
  grad: Tensor | undefined;
  retainGrad: boolean;
  /** What is called with the whole cotangent of the node, and may replace it. */
  hooks: readonly ((cotangent: Tensor) => Tensor | undefined)[] | undefined;
  /** What was in force when the node was made. */
  readonly tape: Tape | undefined;
  /** The leaf tensor itself, whose owner's memory holds `grad`; `undefined` for results. */
  readonly home: Tensor | undefined;
  readonly shape: readonly number[];
  readonly layout: Layout;
  readonly dtype: DType;
  /** What a cotangent must agree with: the shape, or the layout too (VA-72 to VA-75). */
  readonly cotangent: "shape" | "layout";
}

/** A stretch of history that can be told from what is around it, as that of a block that will run again. @since 0.1.0 */
export interface Tape {
  /** What the operations of the stretch took from outside, by node: the input that came first. */
  readonly foreign: Map<GradNode, Edge>;
}

/** The recipe for the cotangents of an operation's inputs, as plain data (OneModel section 8). @since 0.1.0 */
export interface BackwardRecord {
  readonly kind: string;
  inputs: readonly Edge[];
  saved: readonly (SavedSlot | undefined)[];
  readonly ints: readonly number[];
  readonly floats: readonly number[];
  /** The compact layout that `selector` is a view of. */
  readonly domain: Layout | undefined;
  /** What a view shows of its source, were that laid out as `domain`. */
  readonly selector: Located | undefined;
  /** Custom operations carry their rule. */
  rule: BackwardRule | undefined;
  /** Tensors the record made for itself; disposed with it. */
  owned: readonly Tensor[];
  released: boolean;
}

/** One input of a recorded operation; `node` is `undefined` where it needs no gradient. @since 0.1.0 */
export interface Edge {
  readonly node: GradNode | undefined;
  readonly shape: readonly number[];
  readonly layout: Layout;
  readonly dtype: DType;
}

/** A tensor kept for backward, with its buffer's version when it was kept. @since 0.1.0 */
export interface SavedSlot {
  readonly tensor: Tensor;
  readonly version: number;
}

/** Gives the cotangent of each input, `undefined` where none is needed. @since 0.1.0 */
export type BackwardRule = (record: BackwardRecord, cotangent: Tensor) => readonly (Tensor | undefined)[];

/** What {@link record} is told of an operation; absent lists are empty. @since 0.1.0 */
export interface History {
  readonly kind: string;
  /** Tensors, or edges of another record, of whose inputs `out` is a function too. */
  readonly inputs: readonly Edge[];
  readonly saved?: readonly (SavedSlot | undefined)[];
  readonly ints?: readonly number[];
  readonly floats?: readonly number[];
  readonly domain?: Layout;
  readonly selector?: Located;
  readonly rule?: BackwardRule;
  readonly owned?: readonly Tensor[];
  readonly cotangent?: "shape" | "layout";
}

const NONE: readonly never[] = [];

/**
 * Tells whether an operation on a tensor must write history: recording is on, and a leaf is upstream.
 * Where it says no, an operation saves, allocates and computes nothing for gradients.
 * @since 0.1.0
 */
export function isRecorded(t: Tensor): boolean {
  return t.node !== undefined && current().recording;
}

/** Keeps a tensor for backward, with the version its memory has now. @since 0.1.0 */
export function save(t: Tensor): SavedSlot {
  return { tensor: t, version: t.buffer.version };
}

/**
 * Opens a saved slot.
 *
 * @throws TensorVersionError `SW_TENSOR_VERSION` when the memory was written since it was saved.
 * @throws StaleTensorError `SW_BUFFER_STALE` when the memory was returned.
 * @since 0.1.0
 */
export function unpack(record: BackwardRecord, slot: number): Tensor {
  const { tensor } = slotOf(record, slot);
  checkLive(tensor, `backward of ${record.kind}`);
  checkSaved(record, slot);
  return tensor;
}

/**
 * Compares a saved slot's version, and reads no memory: for rules that need the tensor unchanged, not its elements.
 * Memory that was returned cannot have been written through the tensor, so it passes (VA-26).
 *
 * @throws TensorVersionError `SW_TENSOR_VERSION` when the memory was written since it was saved.
 * @since 0.1.0
 */
export function checkSaved(record: BackwardRecord, slot: number): void {
  const { tensor, version } = slotOf(record, slot);
  const { buffer } = tensor;
  // A recycled buffer counts from 0 again: its versions say nothing of the generation before.
  if (buffer.generation !== tensor.generation || buffer.version === version) return;
  throw new TensorVersionError(record.kind, version, buffer.version);
}

function slotOf(record: BackwardRecord, slot: number): SavedSlot {
  const saved = record.saved[slot];
  if (saved !== undefined) return saved;
  throw new Error(`Internal: ${record.kind} opens saved slot ${slot}, which it left empty. Please report this.`);
}

function edgeTo({ node, shape, layout, dtype }: Edge): Edge {
  return { node, shape, layout, dtype };
}

/** Hangs the history of an operation on its result, and returns the result. @since 0.1.0 */
export function record<T extends Tensor>(out: T, history: History): T {
  const { tape } = current();
  if (tape !== undefined) noteForeign(tape, history.inputs);
  out.node = {
    record: {
      kind: history.kind,
      inputs: history.inputs.map(edgeTo),
      saved: history.saved ?? NONE,
      ints: history.ints ?? NONE,
      floats: history.floats ?? NONE,
      domain: history.domain,
      selector: history.selector,
      rule: history.rule,
      owned: history.owned ?? NONE,
      released: false,
    },
    grad: undefined,
    retainGrad: false,
    hooks: undefined,
    tape,
    home: undefined,
    shape: out.shape,
    layout: out.layout,
    dtype: out.dtype,
    cotangent: history.cotangent ?? "shape",
  };
  return out;
}

function noteForeign(tape: Tape, inputs: readonly Edge[]): void {
  for (const input of inputs) {
    const { node } = input;
    if (node !== undefined && node.tape !== tape && !tape.foreign.has(node)) tape.foreign.set(node, input);
  }
}

/** Makes a handle a gradient leaf, and returns it. @since 0.1.0 */
export function withLeaf<T extends Tensor>(t: T, cotangent: "shape" | "layout"): T {
  t.node = {
    record: undefined,
    grad: undefined,
    retainGrad: true,
    hooks: undefined,
    tape: current().tape,
    home: t,
    shape: t.shape,
    layout: t.layout,
    dtype: t.dtype,
    cotangent,
  };
  return t;
}
