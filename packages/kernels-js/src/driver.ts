import type { Operand } from "@sw/tensor/seam";
import { KernelDTypeError } from "./errors.js";
import type { DType, FourRow, RowTable, ThreeRow, TwoRow } from "./rows.js";

/**
 * Finds the row of a dtype.
 *
 * @throws KernelDTypeError `SW_KERNELS_DTYPE` when there is none.
 */
export function rowOf<Row>(kernel: string, rows: RowTable<Row>, dtype: DType): Row {
  const row = rows[dtype];
  if (row === undefined) throw new KernelDTypeError(kernel, dtype, Object.keys(rows));
  return row;
}

/**
 * Calls `row` for the innermost loop of `x`'s shape, once for every turn of the outer ones, row-major. Lists of `y`
 * may be longer than the shape; what is beyond the loops is the row's affair. A shape of no loops is one element.
 */
export function driveTwo(
  row: TwoRow,
  x: Operand,
  y: Operand,
  ints: readonly number[],
  floats: readonly number[],
): void {
  const shape = x.shape;
  const xs = x.strides;
  const ys = y.strides;
  const xd = x.data;
  const yd = y.data;
  let xo = x.offset;
  let yo = y.offset;
  const last = shape.length - 1;
  if (last <= 0) {
    const n = last < 0 ? 1 : shape[0]!;
    row(n, xd, xo, last < 0 ? 1 : xs[0]!, yd, yo, last < 0 ? 1 : ys[0]!, ints, floats);
    return;
  }
  const n = shape[last]!;
  const xn = xs[last]!;
  const yn = ys[last]!;
  const turns = n === 0 ? 0 : turnsOf(shape);
  const counter = new Array<number>(last).fill(0);
  for (let turn = 0; turn < turns; turn++) {
    row(n, xd, xo, xn, yd, yo, yn, ints, floats);
    for (let k = last - 1; k >= 0; k--) {
      const extent = shape[k]!;
      xo += xs[k]!;
      yo += ys[k]!;
      const count = counter[k]! + 1;
      counter[k] = count;
      if (count < extent) break;
      counter[k] = 0;
      xo -= extent * xs[k]!;
      yo -= extent * ys[k]!;
    }
  }
}

/** Does for three operands what `driveTwo` does for two. */
export function driveThree(
  row: ThreeRow,
  x: Operand,
  y: Operand,
  z: Operand,
  ints: readonly number[],
  floats: readonly number[],
): void {
  const shape = x.shape;
  const xs = x.strides;
  const ys = y.strides;
  const zs = z.strides;
  const xd = x.data;
  const yd = y.data;
  const zd = z.data;
  let xo = x.offset;
  let yo = y.offset;
  let zo = z.offset;
  const last = shape.length - 1;
  if (last <= 0) {
    if (last < 0) row(1, xd, xo, 1, yd, yo, 1, zd, zo, 1, ints, floats);
    else row(shape[0]!, xd, xo, xs[0]!, yd, yo, ys[0]!, zd, zo, zs[0]!, ints, floats);
    return;
  }
  const n = shape[last]!;
  const xn = xs[last]!;
  const yn = ys[last]!;
  const zn = zs[last]!;
  const turns = n === 0 ? 0 : turnsOf(shape);
  const counter = new Array<number>(last).fill(0);
  for (let turn = 0; turn < turns; turn++) {
    row(n, xd, xo, xn, yd, yo, yn, zd, zo, zn, ints, floats);
    for (let k = last - 1; k >= 0; k--) {
      const extent = shape[k]!;
      xo += xs[k]!;
      yo += ys[k]!;
      zo += zs[k]!;
      const count = counter[k]! + 1;
      counter[k] = count;
      if (count < extent) break;
      counter[k] = 0;
      xo -= extent * xs[k]!;
      yo -= extent * ys[k]!;
      zo -= extent * zs[k]!;
    }
  }
}

/** Does for four operands what `driveTwo` does for two. */
export function driveFour(
  row: FourRow,
  x: Operand,
  y: Operand,
  z: Operand,
  w: Operand,
  ints: readonly number[],
  floats: readonly number[],
): void {
  const shape = x.shape;
  const xs = x.strides;
  const ys = y.strides;
  const zs = z.strides;
  const ws = w.strides;
  const xd = x.data;
  const yd = y.data;
  const zd = z.data;
  const wd = w.data;
  let xo = x.offset;
  let yo = y.offset;
  let zo = z.offset;
  let wo = w.offset;
  const last = shape.length - 1;
  if (last < 0) {
    row(1, xd, xo, 1, yd, yo, 1, zd, zo, 1, wd, wo, 1, ints, floats);
    return;
  }
  const n = shape[last]!;
  const xn = xs[last]!;
  const yn = ys[last]!;
  const zn = zs[last]!;
  const wn = ws[last]!;
  const turns = n === 0 ? 0 : turnsOf(shape);
  const counter = new Array<number>(last).fill(0);
  for (let turn = 0; turn < turns; turn++) {
    row(n, xd, xo, xn, yd, yo, yn, zd, zo, zn, wd, wo, wn, ints, floats);
    for (let k = last - 1; k >= 0; k--) {
      const extent = shape[k]!;
      xo += xs[k]!;
      yo += ys[k]!;
      zo += zs[k]!;
      wo += ws[k]!;
      const count = counter[k]! + 1;
      counter[k] = count;
      if (count < extent) break;
      counter[k] = 0;
      xo -= extent * xs[k]!;
      yo -= extent * ys[k]!;
      zo -= extent * zs[k]!;
      wo -= extent * ws[k]!;
    }
  }
}

/** The product of all extents but the last. */
function turnsOf(shape: readonly number[]): number {
  let turns = 1;
  for (let k = shape.length - 2; k >= 0; k--) turns *= shape[k]!;
  return turns;
}
