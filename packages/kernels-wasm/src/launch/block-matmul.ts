import { BLOCK_COLUMNS, BLOCK_DEPTH, blockSize } from "../kernels/blocking.js";
import { multiply } from "./matmul.js";
import type { Matrix, ProductEngine } from "./products.js";
import type { WorkingRoom } from "./working-room.js";

/** Writes `rows` × `columns` elements from (row, column) on as float32 at an address, in the order that it gives. */
export type FillBlock = (
  at: number,
  row: number,
  column: number,
  rows: number,
  columns: number,
) => Pick<Matrix, "row" | "column">;

/** Takes a finished block of the output, row-major float32, to its place. */
export type TakeBlock = (at: number, row: number, column: number, rows: number, columns: number) => void;

/** Rows of a block of A and of the output. */
const ROWS = 512;

/** The working room of products whose operands are made float32 block by block: of both operands, and of the output. */
export interface BlockRoom {
  readonly a: number;
  readonly b: number;
  readonly c: number;
}

/** Takes room for the blocks of a product of these extents. */
export function takeBlockRoom(room: WorkingRoom, rows: number, columns: number, depth: number): BlockRoom {
  const [tall, wide, deep] = blocksOf(rows, columns, depth);
  return { a: room.take(4 * tall * deep), b: room.take(4 * deep * wide), c: room.take(4 * tall * wide) };
}

function blocksOf(rows: number, columns: number, depth: number): [number, number, number] {
  return [blockSize(rows, ROWS, 1), blockSize(columns, BLOCK_COLUMNS, 1), blockSize(depth, BLOCK_DEPTH, 1)];
}

/**
 * Multiplies matrices of other elements: `fillA` and `fillB` make blocks of float32 of them, as deep as the blocks of other
 * products, and `takeC` has each block of the output once, when all of the depth is in it. So the sums are those of float32,
 * and an operand is never whole in memory a second time.
 */
export function multiplyBlocks(
  engine: ProductEngine,
  room: BlockRoom,
  rows: number,
  columns: number,
  depth: number,
  fillA: FillBlock,
  fillB: FillBlock,
  takeC: TakeBlock,
): void {
  const [tall, wide, deep] = blocksOf(rows, columns, depth);
  for (let j = 0; j < columns; j += wide) {
    const width = Math.min(wide, columns - j);
    for (let i = 0; i < rows; i += tall) {
      const height = Math.min(tall, rows - i);
      const c: Matrix = { at: room.c, row: 4 * width, column: 4 };
      let k = 0;
      do {
        const inner = Math.min(deep, depth - k);
        const a: Matrix = { at: room.a, ...fillA(room.a, i, k, height, inner) };
        const b: Matrix = { at: room.b, ...fillB(room.b, k, j, inner, width) };
        multiply(engine, height, width, inner, a, b, c, k > 0 ? 1 : 0);
        k += deep;
      } while (k < depth);
      takeC(room.c, i, j, height, width);
    }
  }
}
