import { axisStart, describe, slicedAxis } from "@sw/layout";
import type { DType } from "../dtype.js";
import { TensorShapeError } from "../errors.js";
import { checkAxis, plain } from "../gate.js";
import { allocateRowMajor, viewAt } from "../handle.js";
import { resultType } from "../promotion.js";
import { isRecorded, record } from "../record.js";
import { unsqueeze } from "../row-major-views.js";
import { runPieces } from "../run.js";
import type { Tensor } from "../tensor.js";
import { checkFits, replacedAxis } from "./indices.js";
import { promotedAll, settle } from "./promoted.js";
import { CONCAT, COPY } from "./specs/movement.js";

/** The tensors of a list, and the dtype in which they meet. */
function checkList(operation: string, tensors: readonly Tensor[]): DType {
  if (!Array.isArray(tensors)) {
    throw new TypeError(`${operation}: no list of tensors: got ${describe(tensors)}, expected one like [a, b].`);
  }
  let dtype: DType | undefined;
  for (const t of tensors) {
    plain(t, operation);
    dtype = dtype === undefined ? t.dtype : resultType(dtype, t.dtype);
  }
  if (dtype !== undefined) return dtype;
  throw new TensorShapeError("SW_TENSOR_SHAPE_INVALID", `${operation}: no tensors: got [], expected at least one.`, {
    given: 0,
    expected: 1,
  });
}

/**
 * Puts tensors one after another along an axis. Those of several dtypes meet in their {@link resultType}.
 *
 * @param tensors - at least one, of one shape but along the axis.
 * @returns fresh memory, row-major.
 * @throws TypeError for what is no list of tensors; TensorShapeError `SW_TENSOR_SHAPE_INVALID` for an empty list,
 * `SW_TENSOR_AXIS`, or `SW_TENSOR_SHAPE_MISMATCH` for a tensor that does not fit the first.
 * @example
 * ```ts
 * import { concat, tensor } from "@sw/tensor";
 * console.log(concat([tensor([[1, 2]]), tensor([[3, 4], [5, 6]])], 0).toArray()); // [ [ 1, 2 ], [ 3, 4 ], [ 5, 6 ] ]
 * ```
 * @since 0.1.0
 */
export function concat<D extends DType>(tensors: readonly Tensor<D>[], axis: number): Tensor<D> {
  return concatFor(CONCAT.kind, tensors, axis);
}

/** {@link concat}, whose errors speak of `operation`. */
export function concatFor<D extends DType>(operation: string, tensors: readonly Tensor<D>[], axis: number): Tensor<D> {
  const dtype = checkList(operation, tensors) as D;
  const [first] = tensors as readonly [Tensor<D>];
  const a = checkAxis(operation, axis, first.rank);
  let extent = 0;
  for (const t of tensors) {
    const wanted = replacedAxis(first.shape, a, [t.shape[a] ?? 0]);
    checkFits(operation, "a tensor of the list", t, wanted, `as the first but along axis ${a}`);
    extent += t.shape[a] as number;
  }
  const { tensors: operands, made } = promotedAll(operation, tensors, dtype);
  let out: Tensor<D>;
  try {
    out = joined(operation, operands as readonly Tensor<D>[], a, replacedAxis(first.shape, a, [extent]));
  } catch (error) {
    settle(made);
    throw error;
  }
  // A cast has a record of its own, and nothing is saved of it here.
  if (operands.some(isRecorded)) record(out, { kind: CONCAT.kind, inputs: operands, ints: [a] });
  settle(made);
  return out;
}

/** Copies the pieces into fresh memory, which counts as one write. */
function joined<D extends DType>(
  operation: string,
  pieces: readonly Tensor<D>[],
  axis: number,
  shape: readonly number[],
): Tensor<D> {
  const out = allocateRowMajor(pieces[0] as Tensor<D>, operation, (pieces[0] as Tensor<D>).dtype, shape);
  try {
    const pairs: (readonly [Tensor, Tensor])[] = [];
    let start = 0;
    for (const piece of pieces) {
      const end = start + (piece.shape[axis] as number);
      if (piece.size > 0) {
        const layout = slicedAxis(out.layout, axis, start, end, 1, operation);
        pairs.push([viewAt(out, layout, axisStart(out.layout, axis, start, operation), undefined, operation), piece]);
      }
      start = end;
    }
    runPieces(COPY, out, pairs);
    return out;
  } catch (error) {
    out.dispose();
    throw error;
  }
}

/**
 * Puts tensors one beside another along a new axis: {@link concat} of them with an axis of extent 1 more.
 *
 * @param tensors - at least one, of one shape.
 * @param axis - where the new axis stands in the result.
 * @throws as {@link concat}.
 * @example
 * ```ts
 * import { stack, tensor } from "@sw/tensor";
 * console.log(stack([tensor([1, 2]), tensor([3, 4])], 1).toArray()); // [ [ 1, 3 ], [ 2, 4 ] ]
 * ```
 * @since 0.1.0
 */
export function stack<D extends DType>(tensors: readonly Tensor<D>[], axis: number): Tensor<D> {
  const operation = "stack";
  checkList(operation, tensors);
  const [first] = tensors as readonly [Tensor<D>];
  const a = checkAxis(operation, axis, first.rank + 1);
  for (const t of tensors) checkFits(operation, "a tensor of the list", t, first.shape, "as the first");
  return concatFor(
    operation,
    tensors.map((t) => unsqueeze(t, a)),
    a,
  );
}

/**
 * Moves the elements along an axis, and those that leave it at one end come in at the other:
 * `out[(i + shift) mod extent] = x[i]`. {@link concat} of two slices.
 *
 * @param shift - any integer.
 * @returns fresh memory, row-major.
 * @throws TypeError for a shift that is no integer; TensorShapeError `SW_TENSOR_AXIS`.
 * @example
 * ```ts
 * import { roll, tensor } from "@sw/tensor";
 * console.log(roll(tensor([1, 2, 3, 4]), 1, 0).toArray()); // [ 4, 1, 2, 3 ]
 * ```
 * @since 0.1.0
 */
export function roll<D extends DType>(x: Tensor<D>, shift: number, axis: number): Tensor<D> {
  const operation = "roll";
  plain(x, operation);
  if (!Number.isInteger(shift)) {
    throw new TypeError(`${operation}: the shift is no integer: got ${describe(shift)}, expected an integer.`);
  }
  const a = checkAxis(operation, axis, x.rank);
  const extent = x.shape[a] as number;
  const moved = extent === 0 ? 0 : (((extent - shift) % extent) + extent) % extent;
  return concatFor(operation, [x.slice(a, moved), x.slice(a, 0, moved)], a);
}
