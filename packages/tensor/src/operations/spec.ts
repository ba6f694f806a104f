import type { DTypeKind } from "../dtype.js";

/**
 * How a kernel sees its operands; see `run.ts`. What is a `view`, or `composed` of other operations, has no kernel.
 * @since 0.1.0
 */
export type Family = "loops" | "reduce" | "axes" | "view" | "composed";

/**
 * One tensor that a record keeps: an input by its position, or output k as −1 − k. With more numbers it is kept only if
 * one of those inputs has a node, since their cotangents alone need it.
 * @since 0.1.0
 */
export type Slot = readonly [operand: number, ...neededBy: readonly number[]];

/**
 * What is known of an operation: one annotated literal each, so that an application carries those of the operations that
 * it calls (`docs/decisions/0027`).
 *
 * Operands are named in the order of the kernel's lists. A name may go on with `:` and a dtype of its own: `bool`,
 * `int32` and `int64` are these, `index` is either of the two, `sum` is what sums have (floats their own, all else int64),
 * `any` is any. Then with `!` for an output that is read as well, and `?` for an operand that may be absent; those stand
 * last, and are there all or none. `…` stands for any number of operands. All operands without a dtype of their own have one dtype.
 * @since 0.1.0
 */
export interface OperationSpec<K extends string = string, G extends boolean = boolean> {
  /** The name of its kernel and of its records. */
  readonly kind: K;
  readonly family: Family;
  readonly outputs: readonly string[];
  readonly inputs: readonly string[];
  /** What each position of the kernel's `ints` means; of the record's, where it has no `recordInts`. One with `?` may be absent. */
  readonly ints: readonly string[];
  /** What each position of `floats` means. `number?` is in records only, and there where an operand was a plain number. */
  readonly floats: readonly string[];
  /** What each position of the record's `ints` means, where the kernel has others. A list that goes on ends in `…`. */
  readonly recordInts?: readonly string[];
  /** The dtype families of the operands that have no dtype of their own. */
  readonly kinds: readonly DTypeKind[];
  /** The slots of a record's `saved`, in their order. */
  readonly saves: readonly Slot[];
  /** Whether records of it are written, so that `@sw/autograd` must have its rule. */
  readonly differentiable: G;
}

export const FLOATS: readonly DTypeKind[] = ["float"];
export const NUMBERS: readonly DTypeKind[] = ["float", "int", "uint"];
export const BOOLS: readonly DTypeKind[] = ["bool"];
export const EVERYTHING: readonly DTypeKind[] = ["float", "int", "uint", "bool"];
