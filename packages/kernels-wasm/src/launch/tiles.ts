import type { ElementwiseExports } from "../kernels/core.js";

// An element-wise loop wants operands that are contiguous along it, or stand still. So the two innermost loops of a call are
// cut into tiles: what is neither is gathered into a block first, and an output scattered from one.

/** What brings elements together and apart. */
export type Copies = Pick<ElementwiseExports, "move4" | "turn4">;

/** Elements of one call where nothing is gathered: an engine replaces slow first code between calls only. */
export const DIRECT = 16_384;
/** Columns of a tile of which an operand is contiguous along the rows: as many as keep to a few cache lines. */
const TURNED = 32;

/** An operand along the two loops that are cut. Steps are in bytes. */
export interface Side {
  readonly row: number;
  readonly step: number;
  /** Whether it stands still along the inner loop, and the call reads its one element. */
  readonly still: boolean;
}

/** Where the operands of a tile lie, outputs first, and how far their rows are apart. */
export type TileCall = (rows: number, count: number, at: readonly number[], rowSteps: readonly number[]) => void;

/** What becomes of a tile of an output that was computed in a block: its place, extents, and address. */
export type TakeTile = (i: number, j: number, rows: number, count: number, block: number) => void;

/** The two loops of a call, cut into tiles. */
export interface Tiles {
  readonly rows: number;
  readonly count: number;
  /** Outputs first. */
  readonly sides: readonly Side[];
  readonly outputs: number;
  readonly call: TileCall;
  readonly copies: Copies;
  /** The address of a block for each operand, one after another, and how many elements a block has. */
  readonly blocks: number;
  readonly blockElements: number;
  /** Takes every tile of the one output, which then has no place of its own. */
  readonly take?: TakeTile;
}

/** Runs the tiles of operands that begin at these addresses. */
export function runTiles(tiles: Tiles, at: readonly number[]): void {
  const { rows, count, sides, outputs, call, copies, blocks, blockElements, take } = tiles;
  const apart = sides.map((side, k) => (take !== undefined && k < outputs) || isApart(side));
  const most = apart.includes(true) ? blockElements : DIRECT;
  const width = Math.min(count, sides.some(isTurned) ? TURNED : most);
  const height = Math.max(1, Math.min(rows, Math.floor(most / width)));
  const here = new Array<number>(sides.length);
  const rowSteps = sides.map(({ row }) => row);
  for (let i = 0; i < rows; i += height) {
    const tileRows = Math.min(height, rows - i);
    for (let j = 0; j < count; j += width) {
      const tileCount = Math.min(width, count - j);
      const step = tileCount * 4;
      for (let k = 0; k < sides.length; k++) {
        const side = sides[k]!;
        const place = at[k]! + i * side.row + (side.still ? 0 : j * side.step);
        if (!apart[k]) {
          here[k] = place;
          continue;
        }
        here[k] = blocks + k * blockElements * 4;
        rowSteps[k] = step;
        if (k >= outputs) copyTile(copies, tileRows, tileCount, here[k]!, step, 4, place, side.row, side.step);
      }
      call(tileRows, tileCount, here, rowSteps);
      take?.(i, j, tileRows, tileCount, here[0]!);
      for (let k = 0; k < outputs && take === undefined; k++) {
        const side = sides[k]!;
        if (!apart[k]) continue;
        const place = at[k]! + i * side.row + j * side.step;
        copyTile(copies, tileRows, tileCount, place, side.row, side.step, here[k]!, step, 4);
      }
    }
  }
}

/** Whether the elements of an operand are brought together. */
function isApart({ step, still }: Side): boolean {
  return step !== 4 && !still;
}

/** Whether neighbours along the rows are nearer than those along the inner loop. */
function isTurned(side: Side): boolean {
  const { row, step } = side;
  return isApart(side) && row !== 0 && Math.abs(row) < Math.abs(step);
}

/** Copies `rows` × `count` elements; of what is contiguous along the other loop on each side, the squares are turned. */
export function copyTile(
  copies: Copies,
  rows: number,
  count: number,
  to: number,
  toRow: number,
  toStep: number,
  from: number,
  fromRow: number,
  fromStep: number,
): void {
  if (toRow === 4 && fromStep === 4) {
    copyTile(copies, count, rows, to, toStep, toRow, from, fromStep, fromRow);
    return;
  }
  const turned = toStep === 4 && fromRow === 4;
  const height = turned ? rows & ~3 : 0;
  const width = turned ? count & ~3 : 0;
  if (height === 0 || width === 0) {
    copies.move4(rows, count, to, toRow, toStep, from, fromRow, fromStep);
    return;
  }
  copies.turn4(height, width, to, toRow, from, fromStep);
  if (width < count) {
    copies.move4(height, count - width, to + 4 * width, toRow, 4, from + width * fromStep, 4, fromStep);
  }
  if (height < rows) {
    copies.move4(rows - height, count, to + height * toRow, toRow, 4, from + height * 4, 4, fromStep);
  }
}

/** Finds the loop at `from` or outside of it that turns more than once, or -1. */
export function nextLoop(extents: readonly number[], from: number): number {
  let loop = from;
  while (loop >= 0 && extents[loop] === 1) loop--;
  return loop;
}

/** Visits every turn of loops, given with the steps of each operand, with the addresses of all operands there. */
export function eachTurn(
  extents: readonly number[],
  steps: readonly (readonly number[])[],
  at: number[],
  visit: (at: readonly number[]) => void,
): void {
  const counter = new Array<number>(extents.length).fill(0);
  let loop: number;
  do {
    visit(at);
    for (loop = extents.length - 1; loop >= 0; loop--) {
      const count = counter[loop]! + 1;
      const turned = count === extents[loop]!;
      const by = turned ? 1 - count : 1;
      for (let k = 0; k < at.length; k++) at[k]! += by * steps[k]![loop]!;
      counter[loop] = turned ? 0 : count;
      if (!turned) break;
    }
  } while (loop >= 0);
}
