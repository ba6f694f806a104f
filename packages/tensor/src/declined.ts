import type { Backend, Operand } from "./backend.js";
import type { Tensor } from "./tensor.js";

/** A backend that did not run a call, and why. @since 0.1.0 */
export interface Declined {
  readonly backend: string;
  /** `has no kernel`, what its `objection` says, or `supports() said no`. Of programs: `has no compile`, `does not compile the program`. */
  readonly reason: string;
}

/** One call of a kernel, as `explain` tells it. @since 0.1.0 */
export interface ExplainedCall {
  /** The kind of the operation; `program` for a fused program. */
  readonly kernel: string;
  /** The name of the backend that ran it; `built-in` for what needs no backend. */
  readonly backend: string;
  /**
   * The operands that lie outside the backend's memory, by position, outputs first: those it copies in or out for the
   * time of the call. A backend without memory of its own copies none.
   */
  readonly staged: readonly number[];
  /** The backends before it in the chain. */
  readonly declined: readonly Declined[];
}

/** Is told of each call before its kernel runs. @since 0.1.0 */
export type Trace = (call: ExplainedCall) => void;

/** The name of what every process has without a backend. */
export const BUILT_IN_NAME = "built-in";

/** Why a backend does not take a call of one of its kernels; `undefined` where it does. */
export function objectionOf(
  backend: Backend,
  kernel: string,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  ints: readonly number[],
  floats: readonly number[],
): string | undefined {
  if (backend.supports?.(kernel, outputs, inputs, ints, floats) ?? true) return undefined;
  return backend.objection?.(kernel, outputs, inputs, ints, floats) ?? "supports() said no";
}

/** Asks a chain again what it was asked before a call: the backends that decline, up to the first that does not. */
export function declinedBy(
  chain: readonly Backend[],
  kernel: string,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  ints: readonly number[],
  floats: readonly number[],
): readonly Declined[] {
  const declined: Declined[] = [];
  for (const backend of chain) {
    const reason =
      backend.kernels[kernel] === undefined
        ? "has no kernel"
        : objectionOf(backend, kernel, outputs, inputs, ints, floats);
    if (reason === undefined) break;
    declined.push({ backend: backend.name, reason });
  }
  return declined;
}

/** What is told of a call: by whom it is run, the first of the chain that did not decline. */
export function explained(
  kernel: string,
  chain: readonly Backend[],
  declined: readonly Declined[],
  outputs: readonly Tensor[],
  inputs: readonly Tensor[],
): ExplainedCall {
  const backend = chain[declined.length];
  const memory = backend?.memory;
  const staged: number[] = [];
  if (memory !== undefined) {
    [...outputs, ...inputs].forEach((t, position) => {
      if (t.buffer.source !== memory) staged.push(position);
    });
  }
  return { kernel, backend: backend?.name ?? BUILT_IN_NAME, staged, declined };
}
