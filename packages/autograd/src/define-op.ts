import type { DataBuffer } from "@sw/buffer";
import { describe, rowMajor } from "@sw/layout";
import { DTYPES, isTensor, type Tensor } from "@sw/tensor";
import {
  type BackwardRule,
  current,
  type Edge,
  isNeeded,
  isRecorded,
  OPERATIONS,
  plain,
  record,
  refuseCompound,
  type SavedSlot,
  type Slot,
  save,
  unpack,
} from "@sw/tensor/seam";
import { checkFunction, checkList, checkOptions } from "./check-argument.js";
import { GradientError } from "./errors.js";
import { noGrad } from "./mode.js";
import { releaseAll } from "./scratch.js";

/** What an operation's backward is told of the call. @since 0.1.0 */
export interface CustomCall<A> {
  /** The tensors that `saves` names, in its order; `undefined` for an operand that is absent or was not needed. */
  readonly saved: readonly (Tensor | undefined)[];
  readonly attributes: A;
  /** Whether each input wants a cotangent. */
  readonly needs: readonly boolean[];
  /** The shape of each input; `[]` for one that is absent. */
  readonly shapes: readonly (readonly number[])[];
}

/** An operation of one's own. @since 0.1.0 */
export interface CustomOperation<I extends readonly (Tensor | undefined)[], A> {
  /** Names it in errors. Not the name of an operation of `@sw/tensor`. */
  readonly name: string;
  /**
   * Computes the output, of memory of its own, and where `recorded` more tensors for backward after it. Runs without
   * recording.
   */
  forward(
    inputs: I,
    attributes: A,
    recorded: boolean,
  ): Tensor | readonly [output: Tensor, ...extras: readonly Tensor[]];
  /**
   * Gives a cotangent for each input that needs one, of its shape and dtype. Made of differentiable operations it can be
   * differentiated again. What it allocates is returned after the pass.
   */
  backward(cotangent: Tensor, call: CustomCall<A>): readonly (Tensor | undefined)[];
  /**
   * What backward reads, with versions checked: input k as `[k]`, the output as `[-1]`, extras as `[-2]` and on; with
   * more numbers only where one of those inputs needs a cotangent. Default: nothing.
   */
  readonly saves?: readonly Slot[];
}

/** The arguments of a custom operation: its inputs, then its attributes if it has any. @since 0.1.0 */
export type CustomArguments<I extends readonly unknown[], A> = [...I, ...(A extends undefined ? [] : [attributes: A])];

function refused(name: string, problem: string, given: unknown, expected: string, advice = ""): GradientError {
  return new GradientError(
    "SW_AUTOGRAD_CUSTOM",
    `${name}: ${problem}: got ${String(given)}, expected ${expected}.${advice && ` ${advice}`}`,
    { operation: name, given },
  );
}

/**
 * Makes an operation of a forward and a backward of one's own, which takes part in gradients as those of `@sw/tensor`
 * do. Check it with {@link gradcheck}.
 *
 * @returns a function of the inputs, and of the attributes if there are any: the last argument that is neither a tensor
 * nor `undefined`. Its calls throw GradientError `SW_AUTOGRAD_CUSTOM` for an output or extra that shares memory with an
 * operand or has a history, an output of no float dtype while recorded, or a slot of no operand or needed by no input.
 * @throws GradientError `SW_AUTOGRAD_CUSTOM` for a name that is empty or taken.
 * @example
 * ```ts
 * import { backward, defineOp, parameter } from "@sw/autograd";
 * import { jsKernels } from "@sw/kernels-js";
 * import { mul, setKernels, sum, type Tensor, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const scaled = defineOp<[x: Tensor], { by: number }>({
 *   name: "scaled",
 *   forward: ([x], { by }) => mul(x, by),
 *   backward: (g, { attributes }) => [mul(g, attributes.by)],
 * });
 * const x = parameter(tensor([1, 2]));
 * backward(sum(scaled(x, { by: 3 })));
 * console.log(x.grad?.toArray()); // [ 3, 3 ]
 * ```
 * @since 0.1.0
 */
export function defineOp<I extends readonly (Tensor | undefined)[], A = undefined>(
  operation: CustomOperation<I, A>,
): (...call: CustomArguments<I, A>) => Tensor {
  checkOptions("defineOp", operation, "{ name, forward, backward }");
  const { name } = operation;
  checkFunction("defineOp", operation.forward, "forward");
  checkFunction("defineOp", operation.backward, "backward");
  checkList("defineOp", operation.saves ?? [], "saves");
  for (const slot of operation.saves ?? []) checkList("defineOp", slot, "the numbers of a slot");
  if (typeof name !== "string") throw new TypeError(`defineOp: the name is no string: got ${describe(name)}.`);
  if (name === "" || Object.hasOwn(OPERATIONS, name)) {
    throw refused("defineOp", "the name is not possible", JSON.stringify(name), "one that no operation has");
  }
  return (...call) => {
    const last: unknown = call.at(-1);
    const hasAttributes = call.length > 0 && last !== undefined && !isTensor(last);
    if (hasAttributes) refuseCompound(last, name);
    const inputs = (hasAttributes ? call.slice(0, -1) : call) as readonly (Tensor | undefined)[];
    for (const input of inputs) if (input !== undefined) plain(input, name);
    return run(operation, inputs as I, (hasAttributes ? last : undefined) as A);
  };
}

function run<I extends readonly (Tensor | undefined)[], A>(
  operation: CustomOperation<I, A>,
  inputs: I,
  attributes: A,
): Tensor {
  const { name } = operation;
  const isOurs = inputs.some((input) => input !== undefined && isRecorded(input));
  const result = noGrad(() => operation.forward(inputs, attributes, isOurs) as never) as Tensor | readonly Tensor[];
  const outputs: readonly Tensor[] = Array.isArray(result) ? result : [result as Tensor];
  checkOutputs(name, inputs, outputs, isOurs);
  const [output, ...extras] = outputs as [Tensor, ...Tensor[]];
  if (!isOurs) {
    releaseAll(extras.map((extra) => () => extra.dispose()));
    return output;
  }
  const saved = (operation.saves ?? []).map((slot) => kept(name, slot, inputs, outputs));
  return record(output, {
    kind: name,
    inputs: inputs.map((input) => input ?? nowhere()),
    saved,
    owned: extras,
    rule: ruleOf(operation, attributes),
  });
}

/** Checks what forward gave, before it is handed on. */
function checkOutputs(
  name: string,
  inputs: readonly (Tensor | undefined)[],
  outputs: readonly Tensor[],
  recorded: boolean,
): void {
  if (outputs.length === 0) {
    throw new TypeError(`${name}: forward gave no tensor: got an empty list, expected a tensor or a list of them.`);
  }
  const taken = new Set<DataBuffer>();
  for (const input of inputs) if (input !== undefined) taken.add(input.buffer);
  outputs.forEach((t, i) => {
    plain(t, name);
    const which = i === 0 ? "the output" : `extra ${i}`;
    if (taken.has(t.buffer)) {
      throw refused(
        name,
        `${which} is, or shares memory with, another operand`,
        t.layout,
        "memory of its own",
        "Copy it.",
      );
    }
    taken.add(t.buffer);
    if (t.node !== undefined) {
      throw refused(
        name,
        `${which} has a history`,
        "one of an inner call",
        "none",
        "Do not enable recording in forward.",
      );
    }
  });
  if (recorded && DTYPES[(outputs[0] as Tensor).dtype].kind !== "float") {
    throw refused(name, "the output has no gradient", (outputs[0] as Tensor).dtype, "a float dtype");
  }
}

/** What stands for an input that is absent. */
function nowhere(): Edge {
  return { node: undefined, shape: [], layout: rowMajor([]), dtype: "float32" };
}

/** Keeps what one slot names. */
function kept(
  name: string,
  slot: Slot,
  inputs: readonly (Tensor | undefined)[],
  outputs: readonly Tensor[],
): SavedSlot | undefined {
  const [operand, ...neededBy] = slot;
  for (const input of neededBy) {
    if (input in inputs) continue;
    throw refused(name, "a slot is needed by no input", input, `0 to ${inputs.length - 1}`);
  }
  if (!(operand in inputs) && !(-1 - operand in outputs)) {
    throw refused(name, "a slot has no operand", operand, `0 to ${inputs.length - 1}, or -1 to ${-outputs.length}`);
  }
  if (!isNeeded(slot, inputs)) return undefined;
  const t = operand < 0 ? outputs[-1 - operand] : inputs[operand];
  return t && save(t);
}

/** The rule of a record. It knows the definition and the attributes, and no tensor of the call. */
function ruleOf<I extends readonly (Tensor | undefined)[], A>(
  operation: CustomOperation<I, A>,
  attributes: A,
): BackwardRule {
  return (own, cotangent) => {
    const saved = own.saved.map((slot, i) => slot && unpack(own, i));
    const isFloatExtra = (t: Tensor | undefined, i: number): boolean =>
      t !== undefined && (operation.saves?.[i]?.[0] ?? 0) <= -2 && DTYPES[t.dtype].kind === "float";
    if (current().recording && saved.some(isFloatExtra)) {
      // It depends on the inputs, and nothing says how.
      throw new GradientError(
        "SW_AUTOGRAD_CREATE_GRAPH",
        `backward of ${own.kind}: an extra output has no derivative: got createGraph for an operation that saves one, expected inputs and the output only. Compute it in backward.`,
        { operation: own.kind },
      );
    }
    const needs = own.inputs.map(({ node }) => node !== undefined);
    const shapes = own.inputs.map(({ shape }) => shape);
    return operation.backward(cotangent, { saved, attributes, needs, shapes });
  };
}
