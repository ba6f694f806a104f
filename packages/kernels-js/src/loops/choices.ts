import type { Operand } from "@sw/tensor/seam";
import { clampRows, whereRows } from "../generated/elementwise.js";
import { runTernary } from "./run.js";

/**
 * Writes `r = condition ? a : b` for a condition of bool; an element that is not chosen has no influence. Exact.
 * Source: NumPy, `where`.
 */
export function where(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runTernary("where", whereRows, outputs, inputs);
}

/**
 * Writes `r = min(max(a, low), high)` with the rules of `maximum` and `minimum`: NaN where any of the three is NaN,
 * and high where low is above it. Exact. Source: NumPy, `clip`.
 */
export function clamp(outputs: readonly Operand[], inputs: readonly Operand[]): void {
  runTernary("clamp", clampRows, outputs, inputs);
}
