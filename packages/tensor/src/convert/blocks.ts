import type { Operand } from "../backend.js";

/** Where one block of rows and columns lies in memory: in elements, column stride innermost. */
export interface BlockPlace {
  start: number;
  row: number;
  column: number;
}

/** Handles one block of `rows × columns` elements; `out` and `input` say where it lies and are reused. */
type BlockStep<Job> = (job: Job, out: BlockPlace, input: BlockPlace, rows: number, columns: number) => void;

/**
 * Walks two operands of equal shape in lock step, as blocks of their two innermost loops.
 * Rank 0 and 1 are blocks of one row. Empty operands have no block.
 */
export function walkBlocks<Job>(out: Operand, input: Operand, job: Job, step: BlockStep<Job>): void {
  const rank = out.shape.length;
  for (let axis = 0; axis < rank; axis++) {
    if (out.shape[axis] === 0) return;
  }
  const outPlace = placeOf(out);
  const inPlace = placeOf(input);
  const rows = rank > 1 ? out.shape[rank - 2]! : 1;
  const columns = rank > 0 ? out.shape[rank - 1]! : 1;
  walkAxis(out, input, 0, rank - 2, out.offset, input.offset, job, step, outPlace, inPlace, rows, columns);
}

function walkAxis<Job>(
  out: Operand,
  input: Operand,
  axis: number,
  blockAxis: number,
  outStart: number,
  inStart: number,
  job: Job,
  step: BlockStep<Job>,
  outPlace: BlockPlace,
  inPlace: BlockPlace,
  rows: number,
  columns: number,
): void {
  if (axis >= blockAxis) {
    outPlace.start = outStart;
    inPlace.start = inStart;
    step(job, outPlace, inPlace, rows, columns);
    return;
  }
  const extent = out.shape[axis]!;
  const outStride = out.strides[axis]!;
  const inStride = input.strides[axis]!;
  let o = outStart;
  let i = inStart;
  for (let k = 0; k < extent; k++) {
    walkAxis(out, input, axis + 1, blockAxis, o, i, job, step, outPlace, inPlace, rows, columns);
    o += outStride;
    i += inStride;
  }
}

function placeOf(operand: Operand): BlockPlace {
  const rank = operand.shape.length;
  return {
    start: operand.offset,
    row: rank > 1 ? operand.strides[rank - 2]! : 0,
    column: rank > 0 ? operand.strides[rank - 1]! : 0,
  };
}

/** Tells whether a block is one run of neighbouring elements in increasing order. */
export function isRun(place: BlockPlace, rows: number, columns: number): boolean {
  return (columns === 1 || place.column === 1) && (rows === 1 || place.row === columns);
}
