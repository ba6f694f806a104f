import type { Operand } from "@sw/tensor/seam";
import type { CoreExports } from "../kernels/core.js";
import { allOf, type Family, type RoomKernel } from "./family.js";
import { multiply } from "./matmul.js";
import type { Matrix } from "./products.js";
import { eachTurn } from "./tiles.js";
import type { Located } from "./working-room.js";

// Attention goes by blocks of queries: the scores of a block with all keys are a product, its weights the softmax of the
// rows, its result a product again. So there is never a matrix of all queries by all keys.

/** Queries of a block, and scores that it has at most, as long as a row of them is no longer. */
const BLOCK_ROWS = 64;
const BLOCK_SCORES = 2 ** 18;

/** What is added to scores: numbers, or 0 and −Infinity for true and false. */
interface Mask {
  readonly located: Located;
  readonly isBool: boolean;
  /** Where a block of it is brought together. */
  readonly block: number;
}

const launch: RoomKernel["launch"] = ({ core, products }, room, [out], inputs, [isCausal], [scale]) => {
  const [q, k, v] = inputs.slice(0, 3).map((input) => room.locate(input!, true)) as [Located, Located, Located];
  const result = room.locate(out!, true);
  const axes = result.shape.length - 2;
  const [n, f] = result.shape.slice(axes) as [number, number];
  const [m, e] = k.shape.slice(axes) as [number, number];
  const most = Math.max(1, Math.min(BLOCK_ROWS, n, Math.floor(BLOCK_SCORES / Math.max(1, m))));
  const scores = room.take(4 * most * m);
  const factor = room.take(4);
  const given = inputs[3];
  const mask: Mask | undefined =
    given === undefined
      ? undefined
      : { located: room.locate(given, true), isBool: given.dtype === "bool", block: room.take(4 * most * m) };
  room.fill();
  const floats = room.floats();
  floats[factor / 4] = scale!;
  if (result.shape.includes(0)) return;
  const operands = [result, q, k, v, ...(mask === undefined ? [] : [mask.located])];
  const bytes = operands.map((_, i) => (i === 4 && mask?.isBool === true ? 1 : 4));
  const steps = operands.map(({ strides }, i) => strides.slice(0, axes).map((stride) => stride * bytes[i]!));
  const matrices = operands.map(({ strides }, i) => ({
    row: strides[axes]! * bytes[i]!,
    column: strides[axes + 1]! * bytes[i]!,
  }));
  eachTurn(
    result.shape.slice(0, axes),
    steps,
    operands.map(({ at }) => at),
    (at) =>
      attend(at.map((here, i): Matrix => ({ at: here, ...matrices[i]! })) as [Matrix, Matrix, Matrix, Matrix, Matrix?]),
  );
  room.giveBack();

  function attend([to, query, key, value, added]: [Matrix, Matrix, Matrix, Matrix, Matrix?]): void {
    // A weight of a key that is not seen is 0, which makes NaN of a value that is not finite.
    const height = isCausal !== 0 && !allFinite(core, m, f, value, floats) ? 1 : most;
    for (let i = 0; i < n; i += height) {
      const rows = Math.min(height, n - i);
      const seen = isCausal !== 0 ? Math.min(m, i + rows) : m;
      const here = { ...to, at: to.at + i * to.row };
      const block: Matrix = { at: scores, row: 4 * seen, column: 4 };
      const left = { ...query, at: query.at + i * query.row };
      multiply(products.float32, rows, seen, e, left, { ...key, row: key.column, column: key.row }, block);
      if (scale !== 1 && seen > 0) core.mul_vs(1, rows * seen, scores, 0, scores, 0, factor, 0);
      if (mask !== undefined && added !== undefined && seen > 0) {
        addMask(core, floats, mask, { ...added, at: added.at + i * added.row }, rows, seen, scores);
      }
      weigh(i, rows, seen);
      // Without keys there is nothing that could be weighed.
      if (seen === 0) fillRows(floats, here, rows, f, Number.NaN);
      else multiply(products.float32, rows, f, seen, block, value, here);
    }
  }

  /** Turns the scores of a block into weights. */
  function weigh(first: number, rows: number, seen: number): void {
    const step = 4 * seen;
    if (seen === 0) return;
    if (isCausal === 0) {
      core.softmax(rows, seen, scores, step, scores, step);
      return;
    }
    for (let i = 0; i < rows; i++) {
      const own = Math.min(seen, first + i + 1);
      const at = scores + i * step;
      core.softmax(1, own, at, step, at, step);
      floats.fill(0, at / 4 + own, at / 4 + seen);
    }
  }
};

function addMask(
  core: CoreExports,
  floats: Float32Array,
  { isBool, block }: Mask,
  mask: Matrix,
  rows: number,
  columns: number,
  scores: number,
): void {
  const step = 4 * columns;
  let [at, row] = [mask.at, mask.row];
  if (isBool) {
    const bools = new Uint8Array(floats.buffer);
    let to = block / 4;
    for (let i = 0; i < rows; i++) {
      for (let j = 0, from = at + i * row; j < columns; j++, from += mask.column) {
        floats[to++] = bools[from] === 0 ? Number.NEGATIVE_INFINITY : 0;
      }
    }
    [at, row] = [block, step];
  } else if (mask.column !== 4) {
    core.copyPlane(rows, columns, block, step, 4, at, row, mask.column);
    [at, row] = [block, step];
  }
  core.add_vv(rows, columns, scores, step, scores, step, at, row);
}

function fillRows(floats: Float32Array, to: Matrix, rows: number, columns: number, value: number): void {
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) floats[(to.at + i * to.row + j * to.column) / 4] = value;
  }
}

/** Whether all elements of a matrix are finite. */
function allFinite(core: CoreExports, rows: number, columns: number, x: Matrix, floats: Float32Array): boolean {
  if (rows === 0 || columns === 0) return true;
  if (x.column === 4 && x.row === 4 * columns) return core.finiteProbe(rows * columns, x.at) === 0;
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j < columns; j++) {
      if (!Number.isFinite(floats[(x.at + i * x.row + j * x.column) / 4])) return false;
    }
  }
  return true;
}

const allFloats = allOf("float32");

export const ATTENTION: Family<"attention"> = {
  attention: {
    objection: (outputs, inputs, ints, floats) => {
      const isMaskBool = (inputs[3] as Operand | undefined)?.dtype === "bool";
      return allFloats(outputs, isMaskBool ? inputs.slice(0, 3) : inputs, ints, floats);
    },
    launch,
  },
};
