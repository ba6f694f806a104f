import { describe } from "@sw/layout";
import type { ExplainedCall } from "./declined.js";
import { current, type Synchronous, withScope } from "./scope.js";

/** What {@link explain} gives. @since 0.1.0 */
export interface Explained<T> {
  readonly result: T;
  /** Every kernel that was called, in order. */
  readonly calls: readonly ExplainedCall[];
}

/**
 * Runs an operation and tells which kernels it called: which backend of the chain in force ran each of them, why those
 * before it did not, and which operands had to be copied into the backend's memory. An operation that is composed of
 * others makes several calls, a view none.
 *
 * Types of an overloaded operation are those of its last overload; of anything else pass a function without operands.
 * Backends are asked twice what they take, and so count twice what they decline.
 *
 * @returns the operation's own result, and the calls.
 * @throws what the operation throws; TypeError for what is no function; TensorStateError `SW_TENSOR_SCOPE_PROMISE` for
 * an asynchronous one.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { add, explain, relu, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const a = tensor([1, -2]);
 * const { result, calls } = explain(() => relu(add(a, 1)));
 * console.log(result.toArray(), calls.map((call) => `${call.kernel}: ${call.backend}`)); // [ 2, 0 ] [ 'add: js', 'relu: js' ]
 * console.log(explain(add, a, a).calls); // [ { kernel: 'add', backend: 'js', staged: [], declined: [] } ]
 * ```
 * @since 0.1.0
 */
export function explain<A extends readonly unknown[], T>(
  operation: (...operands: A) => T,
  ...operands: A
): Explained<T> {
  if (typeof operation !== "function") {
    throw new TypeError(`explain: not an operation: got ${describe(operation)}, expected a function.`);
  }
  const calls: ExplainedCall[] = [];
  const outer = current().trace;
  const trace = (call: ExplainedCall): void => {
    calls.push(call);
    outer?.(call);
  };
  const result = withScope({ trace }, (() => operation(...operands)) as Synchronous<T>);
  return { result, calls };
}
