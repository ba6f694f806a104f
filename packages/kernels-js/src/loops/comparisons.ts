import type { Operand } from "@sw/tensor/seam";
import { eqRows, leRows, ltRows, neRows } from "../generated/elementwise.js";
import { runBinary } from "./run.js";

// The output is bool, 0 or 1, and the operands have one dtype of any family. NaN is unequal to everything, and neither less
// nor greater; 0 equals -0. Exact.

/** Writes whether a equals b: false of NaN. Source: IEEE 754-2019, 5.11. */
export function eq(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("eq", eqRows, outputs[0]!, inputs[0]!, inputs[1]!);
}

/** Writes whether a differs from b: true of NaN, of itself too. Source: IEEE 754-2019, 5.11. */
export function ne(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("ne", neRows, outputs[0]!, inputs[0]!, inputs[1]!);
}

/** Writes whether a is less than b. Source: IEEE 754-2019, 5.11. */
export function lt(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("lt", ltRows, outputs[0]!, inputs[0]!, inputs[1]!);
}

/** Writes whether a is less than b or equal. Source: IEEE 754-2019, 5.11. */
export function le(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("le", leRows, outputs[0]!, inputs[0]!, inputs[1]!);
}

/** Writes whether a is greater than b. Source: IEEE 754-2019, 5.11. */
export function gt(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("gt", ltRows, outputs[0]!, inputs[1]!, inputs[0]!);
}

/** Writes whether a is greater than b or equal. Source: IEEE 754-2019, 5.11. */
export function ge(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runBinary("ge", leRows, outputs[0]!, inputs[1]!, inputs[0]!);
}
