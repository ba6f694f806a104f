import type { Operand } from "@sw/tensor/seam";
import {
  BLOCK_COLUMNS,
  BLOCK_DEPTH,
  BLOCK_ROWS,
  PACKED_A_BYTES,
  PACKED_B_BYTES,
  TILE_COLUMNS,
  TILE_ROWS,
} from "../kernels/blocking.js";
import type { CoreExports } from "../kernels/core.js";

/** A matrix in memory: the address of element (0, 0) and the steps in bytes. */
interface Matrix {
  at: number;
  readonly row: number;
  readonly column: number;
}

/** What the product needs beside its operands. `scratch` is the address of the working memory. */
export interface ProductEngine {
  readonly core: Pick<CoreExports, "packRows" | "packColumns" | "blockProduct">;
  readonly scratch: number;
}

/**
 * Multiplies matrices, given with their addresses, once for every coordinate of the batch axes; operands have one rank, axes as the seam has
 * them.
 */
export function launchMatmul(
  engine: ProductEngine,
  out: Operand,
  outAt: number,
  a: Operand,
  aAt: number,
  b: Operand,
  bAt: number,
): void {
  const rank = out.shape.length;
  for (const extent of out.shape) if (extent === 0) return;
  const rows = out.shape[rank - 2]!;
  const columns = out.shape[rank - 1]!;
  const depth = a.shape[rank - 1]!;
  const c = matrixOf(out, outAt, rank);
  const left = matrixOf(a, aAt, rank);
  const right = matrixOf(b, bAt, rank);
  // A column-major output is stored by vectors as well: its transpose is the product of the transposes.
  const turned = c.column !== 4 && c.row === 4;
  const product = (): void => {
    if (turned) multiply(engine, columns, rows, depth, transposed(right), transposed(left), transposed(c));
    else multiply(engine, rows, columns, depth, left, right, c);
  };
  const counter = new Array<number>(rank).fill(0);
  for (;;) {
    product();
    let axis = rank - 3;
    for (; axis >= 0; axis--) {
      const extent = out.shape[axis]!;
      const count = counter[axis]! + 1;
      const back = count < extent ? 1 : 1 - extent;
      counter[axis] = count < extent ? count : 0;
      c.at += back * out.strides[axis]! * 4;
      left.at += back * a.strides[axis]! * 4;
      right.at += back * b.strides[axis]! * 4;
      if (back === 1) break;
    }
    if (axis < 0) return;
  }
}

/**
 * Multiplies by blocks: a block of B is packed, then every block of A that meets it. Blocks of one direction are
 * of equal size, so that none is left over that is too small to pay for its packing. A depth of 0 is one block of
 * zeros.
 */
function multiply(
  { core, scratch }: ProductEngine,
  rows: number,
  columns: number,
  depth: number,
  a: Matrix,
  b: Matrix,
  c: Matrix,
): void {
  const packedA = scratch;
  const packedB = packedA + PACKED_A_BYTES;
  const tile = packedB + PACKED_B_BYTES;
  const rowStep = blockSize(rows, BLOCK_ROWS, TILE_ROWS);
  const columnStep = blockSize(columns, BLOCK_COLUMNS, TILE_COLUMNS);
  const depthStep = blockSize(depth, BLOCK_DEPTH, 1);
  for (let j = 0; j < columns; j += columnStep) {
    const blockColumns = Math.min(columnStep, columns - j);
    let k = 0;
    do {
      const blockDepth = Math.min(depthStep, depth - k);
      if (blockDepth > 0) {
        core.packColumns(packedB, b.at + k * b.row + j * b.column, b.column, b.row, blockColumns, blockDepth);
      }
      for (let i = 0; i < rows; i += rowStep) {
        const blockRows = Math.min(rowStep, rows - i);
        if (blockDepth > 0) {
          core.packRows(packedA, a.at + i * a.row + k * a.column, a.row, a.column, blockRows, blockDepth);
        }
        const at = c.at + i * c.row + j * c.column;
        const accumulate = k > 0 ? 1 : 0;
        core.blockProduct(blockRows, blockColumns, blockDepth, packedA, packedB, at, c.row, c.column, tile, accumulate);
      }
      k += depthStep;
    } while (k < depth);
  }
}

/** The size of equal blocks, none above `most`, in whole tiles (`most` is whole tiles). */
function blockSize(extent: number, most: number, tile: number): number {
  const blocks = Math.max(1, Math.ceil(extent / most));
  return Math.ceil(extent / blocks / tile) * tile;
}

function matrixOf(operand: Operand, at: number, rank: number): Matrix {
  return { at, row: operand.strides[rank - 2]! * 4, column: operand.strides[rank - 1]! * 4 };
}

function transposed({ at, row, column }: Matrix): Matrix {
  return { at, row: column, column: row };
}
