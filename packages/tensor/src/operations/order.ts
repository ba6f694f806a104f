import { describe, rowMajor } from "@sw/layout";
import type { DType } from "../dtype.js";
import { TensorShapeError } from "../errors.js";
import { checkAxis, checkKind, plain } from "../gate.js";
import { allocateLike } from "../handle.js";
import { checkOptions } from "../options.js";
import { runAxes } from "../run.js";
import type { Tensor } from "../tensor.js";
import { lentAs, withAxisLast } from "./lent.js";
import { nothingToChoose } from "./reduce.js";
import type { OperationSpec } from "./spec.js";
import { ARGMAX, ARGMIN, ARGSORT, TOP_K } from "./specs/rows.js";

// Positions of elements along one axis. NaN counts as larger than every number; zeros of both signs are equal.

/** Whether the axis stays with extent 1. @since 0.1.0 */
export interface ChoiceOptions {
  /** Default: false. */
  readonly keepAxes?: boolean;
}

/** Runs a kernel of positions into an output whose `axis` has extent `count`; without one it has no such axis. */
function positions(
  spec: OperationSpec,
  t: Tensor,
  axis: number,
  count: number | undefined,
  ints: readonly number[],
): Tensor<"int64"> {
  const { kind } = spec;
  const shape = t.shape.flatMap((extent, a) => (a !== axis ? [extent] : count === undefined ? [] : [count]));
  const out = allocateLike(t, kind, "int64", rowMajor(shape));
  try {
    const into = count === undefined ? out : withAxisLast(out, axis, kind);
    if (out.size > 0) runAxes(spec, [into], [withAxisLast(t, axis, kind)], ints);
  } catch (error) {
    out.dispose();
    throw error;
  }
  return out;
}

function choice(spec: OperationSpec, t: Tensor, axis: number | undefined, options: ChoiceOptions): Tensor<"int64"> {
  const { kind } = spec;
  plain(t, kind);
  checkOptions(kind, options, "{ keepAxes: true }");
  checkKind(kind, t.dtype, spec.kinds);
  const a = axis === undefined ? undefined : checkAxis(kind, axis, t.rank);
  const empty = a === undefined ? t.shape.indexOf(0) : a;
  if (t.shape[empty] === 0) throw nothingToChoose(kind, t, empty);
  const keepAxes = options.keepAxes === true;
  if (a !== undefined) {
    const out = positions(spec, t, a, undefined, []);
    return keepAxes ? out.unsqueeze(a) : out;
  }
  const out = lentAs(kind, [[t, [t.size]]], ([flat]) => positions(spec, flat as Tensor, 0, undefined, []));
  return keepAxes ? out.reshape(t.shape.map(() => 1)) : out;
}

/**
 * Finds the position of the largest element along one axis; without an axis among all elements, numbered row-major. Of
 * equals the first is found, and the first NaN before all.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`, or `SW_TENSOR_SHAPE_INVALID` when there is nothing to choose from;
 * TensorValueError `SW_TENSOR_DTYPE_REFUSED` for bool.
 * @since 0.1.0
 */
export function argmax(t: Tensor, axis?: number, options: ChoiceOptions = {}): Tensor<"int64"> {
  return choice(ARGMAX, t, axis, options);
}

/** Finds the position of the smallest element: of equals the first, the first NaN before all. See {@link argmax}. @since 0.1.0 */
export function argmin(t: Tensor, axis?: number, options: ChoiceOptions = {}): Tensor<"int64"> {
  return choice(ARGMIN, t, axis, options);
}

/**
 * Finds the positions along one axis in the order of their elements: ascending, NaN last; or descending, NaN first.
 * Either way equal elements stay in the order that they were in.
 *
 * @throws TensorShapeError `SW_TENSOR_AXIS`; TensorValueError `SW_TENSOR_DTYPE_REFUSED` for bool.
 * @since 0.1.0
 */
export function argsort(t: Tensor, axis: number, options: { readonly descending?: boolean } = {}): Tensor<"int64"> {
  return sortedPositions(ARGSORT.kind, t, axis, options);
}

/** {@link argsort}, whose errors speak of `operation`. */
export function sortedPositions(
  operation: string,
  t: Tensor,
  axis: number,
  options: { readonly descending?: boolean },
): Tensor<"int64"> {
  plain(t, operation);
  checkOptions(operation, options, "{ descending: true }");
  checkKind(operation, t.dtype, ARGSORT.kinds);
  const a = checkAxis(operation, axis, t.rank);
  return positions(ARGSORT, t, a, t.shape[a], [options.descending === true ? 1 : 0]);
}

/**
 * Finds the positions of the `k` largest or smallest elements along one axis, in that order: NaN first of the largest,
 * last of the smallest, of equals the first.
 *
 * @throws TypeError for a count that is no integer; TensorShapeError `SW_TENSOR_SHAPE_INVALID` for one that the axis
 * does not have; otherwise as {@link argsort}.
 */
export function topPositions(t: Tensor<DType>, k: number, axis: number, largest: boolean): Tensor<"int64"> {
  plain(t, "topK");
  checkKind("topK", t.dtype, TOP_K.kinds);
  const a = checkAxis("topK", axis, t.rank);
  const extent = t.shape[a] as number;
  if (!Number.isInteger(k)) {
    throw new TypeError(`topK: the count is no integer: got ${describe(k)}, expected one from 0 to ${extent}.`);
  }
  if (k < 0 || k > extent) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_INVALID",
      `topK: the axis does not have so many elements: got ${k}, expected 0 to ${extent} (axis ${a}).`,
      { given: k, expected: extent, axis: a, shape: t.shape },
    );
  }
  return positions(TOP_K, t, a, k, [largest ? 1 : 0]);
}
