import type { DType } from "./dtype.js";

/**
 * Several element-wise operations as one expression, which a backend may compile to one kernel. Plain data: values are
 * numbered, the inputs first, then the constants, then the results of the steps. A step's dtype follows from those of
 * its operands. Each is rounded to it, so that a fused program gives what its steps give one by one.
 * @since 0.1.0
 */
export interface Program {
  readonly inputs: readonly DType[];
  readonly constants: readonly ProgramConstant[];
  readonly steps: readonly ProgramStep[];
  /** The values that are written, by number: results of steps. */
  readonly outputs: readonly number[];
  /** A reduction of the only output, as the kernel of this kind does it. */
  readonly reduce?: ProgramReduction;
}

/** A number of a program, rounded to its dtype; a bigint of 64-bit integers, of bool 0 or 1. @since 0.1.0 */
export interface ProgramConstant {
  readonly dtype: DType;
  readonly value: number | bigint;
}

/** One operation of a program: of the family `loops`, one output that it does not read, no ints. @since 0.1.0 */
export interface ProgramStep {
  readonly kind: string;
  /** Values by number, each of them before this one. */
  readonly operands: readonly number[];
  /** What the kernel is handed as `floats`; absent where its operation has none. */
  readonly floats?: readonly number[];
}

/** What a program may end in. @since 0.1.0 */
export type ProgramReduction = "sum" | "mean" | "min" | "max";
