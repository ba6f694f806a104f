import { BLOCK_COLUMNS, BLOCK_DEPTH, blockSize } from "../kernels/blocking.js";
import type { Matrix, ProductEngine } from "./products.js";

/** So few rows do not pay for packing B. */
export const LINES = 2;

/** Whether a product of float32 is one of few rows by a matrix with contiguous rows or columns. */
export function isLines(rows: number, depth: number, b: Matrix): boolean {
  return rows <= LINES && depth > 0 && (b.column === 4 || b.row === 4);
}

/**
 * Multiplies row by row: along the rows of B where they are contiguous, else along its columns, by sums in four parts.
 * No part of a sum has more terms than a block of the depth has in other products.
 */
export function multiplyLines(
  { core, scratch }: ProductEngine,
  rows: number,
  columns: number,
  depth: number,
  a: Matrix,
  b: Matrix,
  c: Matrix,
  accumulate: number,
): void {
  const byRows = b.column === 4;
  const depthStep = byRows ? blockSize(depth, BLOCK_DEPTH, 1) : blockSize(depth, 4 * BLOCK_DEPTH, 4);
  const line = scratch + 4 * BLOCK_COLUMNS;
  for (let j = 0; j < columns; j += BLOCK_COLUMNS) {
    const width = Math.min(BLOCK_COLUMNS, columns - j);
    for (let k = 0; k < depth; k += depthStep) {
      const inner = Math.min(depthStep, depth - k);
      const right = b.at + k * b.row + j * b.column;
      for (let i = 0; i < rows; i++) {
        let left = a.at + i * a.row + k * a.column;
        if (byRows) core.lineProduct(width, inner, scratch, left, a.column, right, b.row);
        else {
          if (a.column !== 4) {
            core.copyPlane(1, inner, line, 0, 4, left, 0, a.column);
            left = line;
          }
          core.dotProduct(width, inner, scratch, left, right, b.column);
        }
        const to = c.at + i * c.row + j * c.column;
        if (k + accumulate > 0) core.addPlane(1, width, to, 0, c.column, scratch, 0, 4, 1);
        else core.copyPlane(1, width, to, 0, c.column, scratch, 0, 4);
      }
    }
  }
}
