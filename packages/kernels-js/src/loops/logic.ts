import type { Operand } from "@sw/tensor/seam";
import {
  isFiniteRows,
  isInfiniteRows,
  isNaNRows,
  logicalAndRows,
  logicalNotRows,
  logicalOrRows,
  logicalXorRows,
} from "../generated/elementwise.js";
import { runBinary, runUnary } from "./run.js";

// Operands and output are bool: 0 is false, anything else true. Predicates take floats, and their output is bool. Exact.

/** Writes whether both a and b are true. Source: NumPy, `logical_and` and its kin. */
export function logicalAnd(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("logicalAnd", logicalAndRows, outputs[0]!, inputs[0]!, inputs[1]!);
}

/** Writes whether a or b is true, or both. Source: NumPy, `logical_and` and its kin. */
export function logicalOr(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("logicalOr", logicalOrRows, outputs[0]!, inputs[0]!, inputs[1]!);
}

/** Writes whether one of a and b is true, but not both. Source: NumPy, `logical_and` and its kin. */
export function logicalXor(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("logicalXor", logicalXorRows, outputs[0]!, inputs[0]!, inputs[1]!);
}

/** Writes whether a is false. Source: NumPy, `logical_and` and its kin. */
export function logicalNot(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("logicalNot", logicalNotRows, outputs, inputs);
}

/** Writes whether a is NaN. Source: IEEE 754-2019, 5.7.2. */
export function whetherNaN(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("isNaN", isNaNRows, outputs, inputs);
}

/** Writes whether a is neither NaN nor an infinity. Source: IEEE 754-2019, 5.7.2. */
export function whetherFinite(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("isFinite", isFiniteRows, outputs, inputs);
}

/** Writes whether a is an infinity, of either sign. Source: IEEE 754-2019, 5.7.2. */
export function isInfinite(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runUnary("isInfinite", isInfiniteRows, outputs, inputs);
}
