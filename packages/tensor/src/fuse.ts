import { broadcastExtents, compactLike, describe, rowMajor } from "@sw/layout";
import { isTensor, plain } from "./gate.js";
import { allocateLike } from "./handle.js";
import { copy, viewOf } from "./movement.js";
import { isRecorded } from "./record.js";
import { runProgram } from "./run-program.js";
import { withScope } from "./scope.js";
import type { Tensor } from "./tensor.js";
import { type Traced, traceProgram } from "./trace-program.js";

/** A function of tensors as {@link fuse} gives it. @since 0.1.0 */
export interface Fused<A extends readonly Tensor[], R> {
  (...tensors: A): R;
  /** Why the last call ran operation by operation, in words; `undefined` where it ran as one program, and before a call. */
  readonly fallback: string | undefined;
  /** Why a call with these tensors would run operation by operation. The function is traced, where it was not before. */
  objection(...tensors: A): string | undefined;
}

/** How many shapes and dtypes of arguments are remembered. */
const REMEMBERED = 64;

/**
 * Makes one program of a function of tensors that is written with ordinary operations, so that a backend may compile it to
 * one kernel: what is in between is never in memory. The function is traced when it is first called with arguments of some
 * shapes and dtypes: it runs once, and what it calls is written down. Later calls run the program, and not the function.
 *
 * The function has to be pure: numbers and shapes that it uses are part of the program. It may use element-wise operations
 * of one output, in one dtype and comparisons of it, broadcasting, numbers, and at its end one `sum`, `mean`, `min` or
 * `max`; it returns a tensor or a list of them. With anything else, with arguments that are recorded for gradients, and
 * where there are no elements, it runs as it is, and `fallback` says why: a read of elements, a view, a tensor that is no
 * argument, another operation. Results have the bits of the same backend's kernels for the steps, and a reduction its bound.
 *
 * @throws TypeError for what is no function, and for an argument that is no tensor: give a number as a tensor of rank 0, or
 * have the function know it. What the function throws.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { add, mul, relu, setKernels, tensor } from "@sw/tensor";
 * import { fuse } from "@sw/tensor/fuse";
 * setKernels(jsKernels);
 * const step = fuse((a, b, c) => relu(add(mul(a, b), c)));
 * console.log(step(tensor([1, -2]), tensor([3, 4]), tensor([5])).toArray(), step.fallback); // [ 8, 0 ] undefined
 * ```
 * @since 0.1.0
 */
export function fuse<A extends readonly Tensor[], R extends Tensor | readonly Tensor[]>(
  fn: (...tensors: A) => R,
): Fused<A, R> {
  if (typeof fn !== "function") {
    throw new TypeError(`fuse: not a function: got ${describe(fn)}, expected a function of tensors.`);
  }
  const known = new Map<string, Traced | string>();
  const call = fn as unknown as (...tensors: readonly Tensor[]) => R;
  let fallback: string | undefined;
  const find = (tensors: readonly Tensor[]): Traced | string =>
    objectionTo(tensors) ?? remembered(known, keyOf(tensors), () => trace(call, tensors));
  const objection = (...tensors: readonly Tensor[]): string | undefined => {
    const traced = find(tensors);
    return typeof traced === "string" ? traced : undefined;
  };
  const fused = (...tensors: readonly Tensor[]): R => {
    const traced = find(tensors);
    fallback = typeof traced === "string" ? traced : undefined;
    return typeof traced === "string" ? call(...tensors) : (run(traced, tensors) as R);
  };
  const properties = { fallback: { get: () => fallback }, objection: { value: objection } };
  return Object.defineProperties(fused, properties) as unknown as Fused<A, R>;
}

/** Why these arguments are not for a program, once they are arguments at all. */
function objectionTo(tensors: readonly Tensor[]): string | undefined {
  for (const [position, t] of tensors.entries()) {
    if (!isTensor(t)) {
      throw new TypeError(
        `fuse: argument ${position} is no tensor: got ${describe(t)}, expected a tensor. Give a number as a tensor of rank 0.`,
      );
    }
    plain(t, "fuse");
  }
  if (tensors.length === 0) return "it has no arguments";
  if (tensors.some(isRecorded)) return "an argument is recorded for gradients";
  if (tensors.some(({ size }) => size === 0)) return "an argument has no elements";
  return undefined;
}

function keyOf(tensors: readonly Tensor[]): string {
  return tensors.map(({ dtype, shape }) => `${dtype}[${shape.join()}]`).join(" ");
}

/** What is known by a key, the keys that were asked for last being kept. */
function remembered<T>(known: Map<string, T>, key: string, find: () => T): T {
  const before = known.get(key);
  if (before !== undefined) known.delete(key);
  const found = before ?? find();
  known.set(key, found);
  if (known.size > REMEMBERED) known.delete(known.keys().next().value as string);
  return found;
}

/**
 * Traces on copies: contiguous, they say by their strides what is what; in memory of their own, they are not taken for a
 * tensor that the function knows from elsewhere and that is an argument this time.
 */
function trace(fn: (...tensors: readonly Tensor[]) => unknown, tensors: readonly Tensor[]): Traced | string {
  const copies: Tensor[] = [];
  try {
    for (const t of tensors) copies.push(withScope({ recording: false }, () => copy(t, "fuse")));
    return traceProgram(fn, copies);
  } finally {
    for (const own of copies) own.dispose();
  }
}

function run({ program, inputs, axes, results, isList }: Traced, tensors: readonly Tensor[]): Tensor | Tensor[] {
  const from = inputs.map((position) => tensors[position] as Tensor);
  const outputs: Tensor[] = [];
  try {
    for (const { dtype, shape, layout } of results) {
      const own = layout < 0 ? rowMajor(shape) : compactLike((tensors[layout] as Tensor).layout);
      outputs.push(allocateLike(from[0] as Tensor, "fuse", dtype, own));
    }
    if (axes === undefined) runProgram(program, outputs, from);
    else runProgram(program, [reducedView(outputs[0] as Tensor, from, axes)], from, axes);
  } catch (error) {
    for (const out of outputs) out.dispose();
    throw error;
  }
  return isList ? outputs : (outputs[0] as Tensor);
}

/** A result as a reduction has it, which keeps none of the axes. */
function reducedView(out: Tensor, inputs: readonly Tensor[], axes: readonly number[]): Tensor {
  const shape = inputs.reduce<readonly number[]>((whole, t) => broadcastExtents(whole, t.shape, "fuse"), []);
  return viewOf(
    out,
    shape.filter((_, axis) => !axes.includes(axis)),
  );
}
