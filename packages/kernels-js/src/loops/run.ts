import type { Operand } from "@sw/tensor/seam";
import { driveFour, driveThree, driveTwo, rowOf } from "../driver.js";
import type { FourRow, RowTable, ThreeRow, TwoRow } from "../rows.js";
import { driveStaged, isStaged } from "../stations.js";

// What holds for every element-wise kernel: all operands have the loops of the output; an element is computed from the
// elements at its own coordinate, in float64, and rounded once when it is stored, so for one float operation the result
// is the correctly rounded one, of 16 bits too. All operands have one dtype, but for bool ones: those whose documentation
// says so. The output may be the very same elements as an input. An output of another overlap is refused by the caller.

const NONE: readonly number[] = [];

/** Runs the rows of a kernel of one operand. */
export function runUnary(
  kernel: string,
  rows: RowTable<TwoRow>,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
  floats: readonly number[] = NONE,
): void {
  const out = outputs[0]!;
  const x = inputs[0]!;
  const row = rowOf(kernel, rows, x.dtype);
  if (isStaged(x.dtype)) driveStaged(row, [out, x], 1, false, NONE, floats);
  else driveTwo(row, out, x, NONE, floats);
}

/** Runs the rows of a kernel of two operands, which have one dtype. */
export function runBinary(kernel: string, rows: RowTable<ThreeRow>, out: Operand, a: Operand, b: Operand): void {
  const row = rowOf(kernel, rows, a.dtype);
  if (isStaged(a.dtype)) driveStaged(row, [out, a, b], 1, false, NONE, NONE);
  else driveThree(row, out, a, b, NONE, NONE);
}

/** Runs the rows of a kernel of three operands; the output and the last two have one dtype. */
export function runTernary(
  kernel: string,
  rows: RowTable<FourRow>,
  outputs: readonly Operand[],
  inputs: readonly Operand[],
): void {
  const out = outputs[0]!;
  const row = rowOf(kernel, rows, out.dtype);
  if (isStaged(out.dtype)) driveStaged(row, [out, ...inputs], 1, false, NONE, NONE);
  else driveFour(row, out, inputs[0]!, inputs[1]!, inputs[2]!, NONE, NONE);
}
