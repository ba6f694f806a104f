import { type FillBlock, multiplyBlocks, type TakeBlock, takeBlockRoom } from "./block-matmul.js";
import { castPlane, stagesOf } from "./cast.js";
import { allOf, type Engine, type RoomKernel } from "./family.js";
import { eachProduct, launchMatmul } from "./matmul.js";
import type { Matrix } from "./products.js";

/** The product of matrices of float64, which are copied where they live elsewhere. */
const WIDE: RoomKernel = {
  objection: allOf("float64"),
  launch: ({ products }, room, [out], [left, right]) => {
    const [c, a, b] = [room.locate(out!, true), room.locate(left!, true), room.locate(right!, true)];
    room.fill();
    launchMatmul(products.float64, c, c.at, a, a.at, b, b.at);
    room.giveBack();
  },
};

/** The product of matrices of a float of 16 bits: widened block by block, summed as float32, and rounded once. */
function narrow(dtype: "float16" | "bfloat16"): RoomKernel {
  return {
    objection: allOf(dtype),
    launch: (engine, room, [out], [left, right]) => {
      const [c, a, b] = [room.locate(out!, true), room.locate(left!, true), room.locate(right!, true)];
      const [rows, depth] = a.shape.slice(-2) as [number, number];
      const blocks = takeBlockRoom(room, rows, c.shape[c.shape.length - 1]!, depth);
      room.fill();
      eachProduct(2, c, c.at, a, a.at, b, b.at, (m, n, k, aHere, bHere, cHere) => {
        const [fillA, fillB] = [widen(engine, dtype, aHere), widen(engine, dtype, bHere)];
        multiplyBlocks(engine.products.float32, blocks, m, n, k, fillA, fillB, narrowTo(engine, dtype, cHere));
      });
      room.giveBack();
    },
  };
}

/** Widens blocks of a matrix, in that order of the two in which it is closer together. */
function widen({ core, blocks }: Engine, dtype: "float16" | "bfloat16", from: Matrix): FillBlock {
  const stages = stagesOf("float32", dtype)!;
  const byRows = Math.abs(from.column) <= Math.abs(from.row);
  return (at, row, column, rows, columns) => {
    const [outer, inner, outerStep, step] = byRows
      ? [rows, columns, from.row, from.column]
      : [columns, rows, from.column, from.row];
    const to = { size: 4, row: 4 * inner, step: 4 } as const;
    const plane = { core, blocks, stages, to, from: { size: 2, row: outerStep, step } as const };
    castPlane(plane, outer, inner, at, from.at + row * from.row + column * from.column);
    return byRows ? { row: to.row, column: 4 } : { row: 4, column: to.row };
  };
}

function narrowTo({ core, blocks }: Engine, dtype: "float16" | "bfloat16", c: Matrix): TakeBlock {
  const stages = stagesOf(dtype, "float32")!;
  return (at, row, column, rows, columns) => {
    const to = { size: 2, row: c.row, step: c.column } as const;
    const plane = { core, blocks, stages, to, from: { size: 4, row: 4 * columns, step: 4 } as const };
    castPlane(plane, rows, columns, c.at + row * c.row + column * c.column, at);
  };
}

/** The products of other dtypes than float32, by dtype. */
export const OTHER_MATMULS: { readonly [dtype: string]: RoomKernel } = {
  float64: WIDE,
  float16: narrow("float16"),
  bfloat16: narrow("bfloat16"),
};
