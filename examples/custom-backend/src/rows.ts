import type { Operand } from "@sw/tensor/seam";

/** Handles one innermost loop. `starts` says where each operand's row begins, in elements; it is not to be kept. */
type Row = (starts: readonly number[]) => void;

/**
 * Visits the innermost loops of operands that have one nest of loops, outermost first. Operands of the loops family
 * have one shape; a broadcast loop has stride 0, a reversed one a negative stride, and nothing else need be known.
 */
export function forEachRow(operands: readonly Operand[], visit: Row): void {
  const { shape } = operands[0]!;
  const outer = shape.length - 1;
  if (shape.includes(0)) return;
  const starts = operands.map((operand) => operand.offset);
  if (outer < 0) {
    visit(starts);
    return;
  }
  const index = new Array<number>(outer).fill(0);
  for (;;) {
    visit(starts);
    // An odometer: the last digit that can still rise does, and those behind it fall back to 0.
    let digit = outer - 1;
    while (digit >= 0 && index[digit] === shape[digit]! - 1) {
      const turns = index[digit]!;
      for (let i = 0; i < operands.length; i++) starts[i]! -= turns * operands[i]!.strides[digit]!;
      index[digit] = 0;
      digit -= 1;
    }
    if (digit < 0) return;
    index[digit]! += 1;
    for (let i = 0; i < operands.length; i++) starts[i]! += operands[i]!.strides[digit]!;
  }
}

/** The extent of the innermost loop, and an operand's step along it; of an operand without loops, one element. */
export function innermost({ shape, strides }: Operand): readonly [count: number, step: number] {
  const last = shape.length - 1;
  return last < 0 ? [1, 0] : [shape[last]!, strides[last]!];
}
