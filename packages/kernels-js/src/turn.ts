import type { Operand } from "@sw/tensor/seam";

/**
 * Turns the first `loops` loops of some operands together, row-major, and hands over where each operand is: `at`, which
 * is one list for all turns. The extents are the first operand's.
 */
export function turn(loops: number, operands: readonly Operand[], body: (at: readonly number[]) => void): void {
  const at = operands.map(({ offset }) => offset);
  turnFrom(0, loops, operands, at, body);
}

function turnFrom(
  level: number,
  loops: number,
  operands: readonly Operand[],
  at: number[],
  body: (at: readonly number[]) => void,
): void {
  if (level === loops) {
    body(at);
    return;
  }
  const extent = operands[0]!.shape[level]!;
  for (let i = 0; i < extent; i++) {
    turnFrom(level + 1, loops, operands, at, body);
    for (let k = 0; k < at.length; k++) at[k] = at[k]! + operands[k]!.strides[level]!;
  }
  for (let k = 0; k < at.length; k++) at[k] = at[k]! - extent * operands[k]!.strides[level]!;
}
