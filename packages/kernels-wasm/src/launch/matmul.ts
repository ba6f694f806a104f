import type { Operand } from "@sw/tensor/seam";
import {
  BLOCK_COLUMNS,
  BLOCK_DEPTH,
  BLOCK_ROWS,
  blockSize,
  PACKED_A_BYTES,
  PACKED_B_BYTES,
} from "../kernels/blocking.js";
import { ROW_BYTES } from "../kernels/tile.js";
import { isLines, LINES, multiplyLines } from "./lines.js";
import type { Matrix, ProductEngine } from "./products.js";

/** Where the elements of an operand lie, from its address on. */
type Extents = Pick<Operand, "shape" | "strides">;

/** A product of matrices: `c = a · b`. */
export type MultiplyMatrices = (rows: number, columns: number, depth: number, a: Matrix, b: Matrix, c: Matrix) => void;

/** Multiplies matrices, given with their addresses: see `eachProduct`. */
export function launchMatmul(
  engine: ProductEngine,
  out: Extents,
  outAt: number,
  a: Extents,
  aAt: number,
  b: Extents,
  bAt: number,
): void {
  eachProduct(engine.bytes, out, outAt, a, aAt, b, bAt, (rows, columns, depth, left, right, c) =>
    multiply(engine, rows, columns, depth, left, right, c),
  );
}

/**
 * Calls for the matrices at every coordinate of the batch axes, unless the output is empty; operands have one rank, axes as
 * the seam has them.
 */
export function eachProduct(
  bytes: number,
  out: Extents,
  outAt: number,
  a: Extents,
  aAt: number,
  b: Extents,
  bAt: number,
  product: MultiplyMatrices,
): void {
  const rank = out.shape.length;
  for (const extent of out.shape) if (extent === 0) return;
  const rows = out.shape[rank - 2]!;
  const columns = out.shape[rank - 1]!;
  const depth = a.shape[rank - 1]!;
  const c = matrixOf(out, outAt, bytes);
  const left = matrixOf(a, aAt, bytes);
  const right = matrixOf(b, bAt, bytes);
  const counter = new Array<number>(rank).fill(0);
  for (;;) {
    product(rows, columns, depth, left, right, c);
    let axis = rank - 3;
    for (; axis >= 0; axis--) {
      const extent = out.shape[axis]!;
      const count = counter[axis]! + 1;
      const back = count < extent ? 1 : 1 - extent;
      counter[axis] = count < extent ? count : 0;
      c.at += back * out.strides[axis]! * bytes;
      left.at += back * a.strides[axis]! * bytes;
      right.at += back * b.strides[axis]! * bytes;
      if (back === 1) break;
    }
    if (axis < 0) return;
  }
}

/**
 * Multiplies matrices. The transpose of a product is the product of the transposes: so a column-major output is stored by
 * vectors as well, and a matrix times few columns is few rows times a matrix.
 */
export function multiply(
  engine: ProductEngine,
  rows: number,
  columns: number,
  depth: number,
  a: Matrix,
  b: Matrix,
  c: Matrix,
  accumulate = 0,
): void {
  const turned = columns <= LINES ? rows > LINES : c.column !== engine.bytes && c.row === engine.bytes;
  if (turned) multiplyShared(engine, columns, rows, depth, transposed(b), transposed(a), transposed(c), accumulate);
  else multiplyShared(engine, rows, columns, depth, a, b, c, accumulate);
}

/** Multiplies in threads where that pays, else here. Few rows are bound by memory, which threads share. */
function multiplyShared(
  engine: ProductEngine,
  rows: number,
  columns: number,
  depth: number,
  a: Matrix,
  b: Matrix,
  c: Matrix,
  accumulate: number,
): void {
  const part = (width: number, right: Matrix, to: Matrix): void =>
    multiplyByRows(engine, rows, width, depth, a, right, to, accumulate);
  if (rows > LINES && engine.threads?.share(engine.bytes, rows, columns, depth, a, b, c, accumulate, part)) return;
  part(columns, b, c);
}

/** Products of at most so many terms, and of one block's depth, read both operands as they lie. */
const SMALL = 64 ** 3;

/**
 * Multiplies by blocks: a block of B is packed, then every block of A that meets it. Blocks of one direction are
 * of equal size, so that none is left over that is too small to pay for its packing. A depth of 0 is one block of
 * zeros. Rows of A that are contiguous along the depth are read as they lie, and so are the rows of B in a small product:
 * sums are the same, to the bit.
 */
export function multiplyByRows(
  engine: ProductEngine,
  rows: number,
  columns: number,
  depth: number,
  a: Matrix,
  b: Matrix,
  c: Matrix,
  accumulate: number,
): void {
  const { core, bytes, scratch } = engine;
  const packedB = scratch + PACKED_A_BYTES;
  const tileColumns = ROW_BYTES / bytes;
  if (bytes === 4 && isLines(rows, depth, b)) {
    multiplyLines(engine, rows, columns, depth, a, b, c, accumulate);
    return;
  }
  if (b.column === bytes && depth <= BLOCK_DEPTH && rows * columns * depth <= SMALL) {
    const whole = columns - (columns % tileColumns);
    if (whole > 0) multiplyBlock(engine, rows, whole, depth, a, b.at, ROW_BYTES, b.row, c.at, c, accumulate);
    if (whole === columns) return;
    if (depth > 0) core.packColumns(packedB, b.at + whole * bytes, bytes, b.row, columns - whole, depth);
    multiplyBlock(
      engine,
      rows,
      columns - whole,
      depth,
      a,
      packedB,
      0,
      ROW_BYTES,
      c.at + whole * c.column,
      c,
      accumulate,
    );
    return;
  }
  const columnStep = blockSize(columns, (BLOCK_COLUMNS * 4) / bytes, tileColumns);
  const depthStep = blockSize(depth, BLOCK_DEPTH, 1);
  for (let j = 0; j < columns; j += columnStep) {
    const width = Math.min(columnStep, columns - j);
    let k = 0;
    do {
      const inner = Math.min(depthStep, depth - k);
      if (inner > 0) core.packColumns(packedB, b.at + k * b.row + j * b.column, b.column, b.row, width, inner);
      const left = { ...a, at: a.at + k * a.column };
      const to = c.at + j * c.column;
      multiplyBlock(
        engine,
        rows,
        width,
        inner,
        left,
        packedB,
        inner * ROW_BYTES,
        ROW_BYTES,
        to,
        c,
        k > 0 ? 1 : accumulate,
      );
      k += depthStep;
    } while (k < depth);
  }
}

/** So few columns do not pay for packing A, although the tile of packed rows is some 5 % faster. */
const FEW_COLUMNS = 64;

/** Multiplies A by a block of B in panels, row block by row block. */
export function multiplyBlock(
  { core, bytes, scratch, tileRows }: ProductEngine,
  rows: number,
  columns: number,
  depth: number,
  a: Matrix,
  b: number,
  bPanel: number,
  bStep: number,
  to: number,
  c: Matrix,
  accumulate: number,
): void {
  const tile = scratch + PACKED_A_BYTES + PACKED_B_BYTES;
  const plain = a.column === bytes && columns <= FEW_COLUMNS;
  const [aRow, aStep] = plain ? [a.row, bytes] : [bytes, tileRows * bytes];
  const aPanel = tileRows * (plain ? a.row : bytes * depth);
  const rowStep = blockSize(rows, (BLOCK_ROWS * 4) / bytes, tileRows);
  for (let i = 0; i < rows; i += rowStep) {
    const height = Math.min(rowStep, rows - i);
    let left = a.at + i * a.row;
    if (!plain && depth > 0) {
      core.packRows(scratch, left, a.row, a.column, height, depth);
      left = scratch;
    }
    const at = to + i * c.row;
    core.blockProduct(
      height,
      columns,
      depth,
      left,
      aPanel,
      aRow,
      aStep,
      b,
      bPanel,
      bStep,
      at,
      c.row,
      c.column,
      tile,
      accumulate,
    );
  }
}

function matrixOf({ strides }: Extents, at: number, bytes: number): Matrix {
  return { at, row: strides[strides.length - 2]! * bytes, column: strides[strides.length - 1]! * bytes };
}

function transposed({ at, row, column }: Matrix): Matrix {
  return { at, row: column, column: row };
}
