import { describe, permuteAxes, rowMajor } from "@sw/layout";
import { DTYPES, type DType } from "../dtype.js";
import { TensorShapeError } from "../errors.js";
import { checkAxis, checkKind, plain, showShape } from "../gate.js";
import { allocateLike, derive } from "../handle.js";
import { isRecorded, record } from "../record.js";
import { runAxes, runReduce } from "../run.js";
import type { Tensor } from "../tensor.js";
import type { OperationSpec } from "./spec.js";
import { MEAN, SUM } from "./specs/reduce.js";
import { ARGMAX } from "./specs/rows.js";

/** Which axes a reduction is over, and whether they stay with extent 1. @since 0.1.0 */
export interface ReduceOptions {
  /** Default: all axes. */
  readonly axes?: number | readonly number[];
  /** Default: false. */
  readonly keepAxes?: boolean;
}

/** The dtype a sum has: integers are summed in int64 (D14). @since 0.1.0 */
export type SumDType<D extends DType> = D extends "float32" | "float64" | "float16" | "bfloat16" ? D : "int64";

/** The axes of a reduction, each once, ascending. */
function axesOf(operation: string, t: Tensor, axes: number | readonly number[] | undefined): readonly number[] {
  if (axes === undefined) return t.shape.map((_, axis) => axis);
  if (typeof axes !== "number" && !Array.isArray(axes)) {
    throw new TypeError(
      `${operation}: the axes are no list: got ${describe(axes)}, expected an axis or a list of axes.`,
    );
  }
  const list = (typeof axes === "number" ? [axes] : axes).map((axis) => checkAxis(operation, axis, t.rank));
  if (new Set(list).size !== list.length) {
    throw new TensorShapeError(
      "SW_TENSOR_AXIS",
      `${operation}: an axis is named twice: got ${showShape(list)}, expected each axis at most once.`,
      { given: axes },
    );
  }
  return list.sort((a, b) => a - b);
}

function withoutAxes(shape: readonly number[], axes: readonly number[]): number[] {
  return shape.filter((_, axis) => !axes.includes(axis));
}

function reduce<D extends DType>(spec: OperationSpec, t: Tensor, dtype: D, options: ReduceOptions): Tensor<D> {
  const { kind } = spec;
  const axes = axesOf(kind, t, options.axes);
  const out = allocateLike(t, kind, dtype, rowMajor(withoutAxes(t.shape, axes)));
  try {
    runReduce(spec, out, t, axes);
  } catch (error) {
    out.dispose();
    throw error;
  }
  if (isRecorded(t)) record(out, { kind, inputs: [t], ints: axes });
  if (options.keepAxes !== true) return out;
  return out.reshape(t.shape.map((extent, axis) => (axes.includes(axis) ? 1 : extent)));
}

/**
 * Sums over axes, accumulating wide: float64 for floats, int64 for integers, which is also their result's dtype.
 * The sum over nothing is 0.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`; TensorValueError for bool.
 * @since 0.1.0
 */
export function sum<D extends DType>(t: Tensor<D>, options: ReduceOptions = {}): Tensor<SumDType<D>> {
  plain(t, "sum");
  checkKind("sum", t.dtype, SUM.kinds);
  const dtype = DTYPES[t.dtype].kind === "float" ? t.dtype : "int64";
  return reduce(SUM, t, dtype as SumDType<D>, options);
}

/**
 * Averages over axes, accumulating in float64 and dividing once. The mean over nothing is NaN. Float dtypes only.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`; TensorValueError for other dtypes: cast first.
 * @since 0.1.0
 */
export function mean<D extends DType>(t: Tensor<D>, options: ReduceOptions = {}): Tensor<D> {
  plain(t, "mean");
  checkKind("mean", t.dtype, MEAN.kinds);
  return reduce(MEAN, t, t.dtype, options);
}

/** A view with one axis moved to the end, without history: how kernels over one axis see their operands. */
export function withAxisLast<D extends DType>(t: Tensor<D>, axis: number, operation: string): Tensor<D> {
  const order: number[] = [];
  for (let a = 0; a < t.rank; a++) if (a !== axis) order.push(a);
  order.push(axis);
  return derive(t, permuteAxes(t.layout, order, operation), undefined, operation);
}

/**
 * Finds the index of the largest element along one axis: the first of equals, and the first NaN before all.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`, or `SW_TENSOR_SHAPE_INVALID` when the axis is empty.
 * @since 0.1.0
 */
export function argmax(t: Tensor, axis: number, options: { readonly keepAxes?: boolean } = {}): Tensor<"int64"> {
  plain(t, "argmax");
  checkKind("argmax", t.dtype, ARGMAX.kinds);
  const a = checkAxis("argmax", axis, t.rank);
  if (t.shape[a] === 0) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_INVALID",
      `argmax: nothing to choose from: got extent 0 of axis ${a} (shape ${showShape(t.shape)}), expected at least 1.`,
      { given: 0, axis: a, shape: t.shape },
    );
  }
  const out = allocateLike(t, "argmax", "int64", rowMajor(withoutAxes(t.shape, [a])));
  try {
    if (out.size > 0) runAxes(ARGMAX, [out], [withAxisLast(t, a, "argmax")]);
  } catch (error) {
    out.dispose();
    throw error;
  }
  return options.keepAxes === true ? out.unsqueeze(a) : out;
}
