import { describe } from "@sw/layout";
import { createWith } from "../create.js";
import type { DType } from "../dtype.js";
import { endsOf } from "../element.js";
import { TensorShapeError } from "../errors.js";
import { checkKind, plain, showShape } from "../gate.js";
import { allocateLike } from "../handle.js";
import type { ResultType } from "../promotion.js";
import { isRecorded, record } from "../record.js";
import { runInto } from "../run.js";
import type { Tensor } from "../tensor.js";
import { type Met, meet, meetingDType, resultLayout, type Value } from "./meet.js";
import { settle } from "./promoted.js";
import { savedSlots } from "./saved-slots.js";
import type { OperationSpec } from "./spec.js";
import { CLAMP, WHERE } from "./specs/elementwise.js";

// What takes elements from one operand or another.

/**
 * Runs a kernel on operands that have met, and records it. What was made for the call is returned, or owned by the record.
 *
 * @param alike - the operands whose layout the result may have, the first of full shape (D15).
 */
function runChoice(
  spec: OperationSpec,
  inputs: readonly Tensor[],
  { dtype, tensors, shape, made }: Met,
  alike: readonly Tensor[],
): Tensor {
  let out: Tensor;
  try {
    out = runInto(spec, allocateLike(tensors[0] as Tensor, spec.kind, dtype, resultLayout(shape, alike)), inputs);
  } catch (error) {
    settle(made);
    throw error;
  }
  if (!tensors.some(isRecorded)) {
    settle(made);
    return out;
  }
  const saved = savedSlots(spec, inputs, [out]);
  return record(out, { kind: spec.kind, inputs, saved, owned: settle(made, saved) });
}

/**
 * Takes elements of one tensor where a condition is true, and of another where it is false, broadcasting. What is not
 * taken has no influence, NaN included. Two dtypes meet in their {@link resultType}; a number takes that of the tensor.
 *
 * @param condition - of dtype bool.
 * @throws LayoutError when the shapes do not broadcast; TensorValueError `SW_TENSOR_DTYPE_REFUSED` for a condition that is
 * not bool, `SW_TENSOR_VALUE` for a number that the dtype cannot hold; TypeError for two numbers, which have no dtype.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { gt, setKernels, tensor, where } from "@sw/tensor";
 * setKernels(jsKernels);
 * const x = tensor([1, -2, 3]);
 * console.log(where(gt(x, 0), x, 0).toArray()); // [ 1, 0, 3 ]
 * ```
 * @since 0.1.0
 */
export function where<D extends DType>(
  condition: Tensor,
  a: Tensor<D>,
  b: Tensor<NoInfer<D>> | number | bigint,
): Tensor<D>;
export function where<D extends DType>(condition: Tensor, a: number | bigint, b: Tensor<D>): Tensor<D>;
export function where<A extends DType, B extends DType>(
  condition: Tensor,
  a: Tensor<A>,
  b: Tensor<B>,
): Tensor<ResultType<A, B>>;
export function where(condition: Tensor, a: Value, b: Value): Tensor {
  checkCondition("where", condition);
  const met = meet(WHERE, [a, b], condition.shape);
  const inputs = [condition, ...met.tensors];
  return runChoice(WHERE, inputs, met, inputs);
}

function checkCondition(operation: string, condition: Tensor): void {
  plain(condition, operation);
  checkKind(operation, condition.dtype, ["bool"]);
}

/**
 * Replaces elements by a value where a mask is true: `where(mask, value, x)`.
 *
 * @throws as {@link where}.
 * @since 0.1.0
 */
export function maskedFill<D extends DType>(
  x: Tensor<D>,
  mask: Tensor,
  value: Tensor<NoInfer<D>> | number | bigint,
): Tensor<D> {
  plain(x, "maskedFill");
  checkCondition("maskedFill", mask);
  const met = meet(WHERE, [value, x], mask.shape);
  return runChoice(WHERE, [mask, ...met.tensors], met, [met.tensors[1] as Tensor, mask]) as Tensor<D>;
}

/**
 * Limits elements to what is not below `low` and not above `high`; either may be left out. NaN stays NaN, a limit of NaN
 * gives NaN, and where `low` is above `high` the result is `high`.
 *
 * @throws LayoutError when the shapes do not broadcast; TensorValueError `SW_TENSOR_DTYPE_REFUSED` for bool, or
 * `SW_TENSOR_VALUE` for a limit the dtype cannot hold.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { clamp, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * console.log(clamp(tensor([-3, 0.5, 9]), 0, 1).toArray()); // [ 0, 0.5, 1 ]
 * ```
 * @since 0.1.0
 */
export function clamp<D extends DType>(
  x: Tensor<D>,
  low?: Tensor<NoInfer<D>> | number | bigint,
  high?: Tensor<NoInfer<D>> | number | bigint,
): Tensor<D> {
  plain(x, "clamp");
  const [lowest, highest] = endsOf(meetingDType(CLAMP, [x, low, high]));
  const met = meet(CLAMP, [x, low ?? lowest, high ?? highest]);
  return runChoice(CLAMP, met.tensors, met, met.tensors) as Tensor<D>;
}

/**
 * Keeps the elements on and above a diagonal of the last two axes, and replaces the others by 0.
 *
 * @param diagonal - 0 for the main one, positive above it, negative below. Default: 0.
 * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` for fewer than two axes; TypeError for a diagonal that is no integer.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { ones, setKernels, triu } from "@sw/tensor";
 * setKernels(jsKernels);
 * console.log(triu(ones([2, 3]), 1).toArray()); // [ [ 0, 1, 1 ], [ 0, 0, 1 ] ]
 * ```
 * @since 0.1.0
 */
export function triu<D extends DType>(x: Tensor<D>, diagonal = 0): Tensor<D> {
  return triangle("triu", x, diagonal, (distance) => distance >= 0);
}

/** Keeps the elements on and below a diagonal of the last two axes, and replaces the others by 0; see {@link triu}. @since 0.1.0 */
export function tril<D extends DType>(x: Tensor<D>, diagonal = 0): Tensor<D> {
  return triangle("tril", x, diagonal, (distance) => distance <= 0);
}

/** @param keeps - asked with how far an element is above the diagonal. */
function triangle<D extends DType>(
  operation: string,
  x: Tensor<D>,
  diagonal: number,
  keeps: (distance: number) => boolean,
): Tensor<D> {
  plain(x, operation);
  if (!Number.isInteger(diagonal)) {
    throw new TypeError(
      `${operation}: the diagonal is no integer: got ${describe(diagonal)}, expected an integer, as 0 for the main one.`,
    );
  }
  if (x.rank < 2) {
    throw new TensorShapeError(
      "SW_TENSOR_SHAPE_MISMATCH",
      `${operation}: no matrix: got shape ${showShape(x.shape)}, expected at least two axes.`,
      { given: x.shape, shape: x.shape },
    );
  }
  const [rows, columns] = x.shape.slice(-2) as [number, number];
  const mask = createWith(operation, [rows, columns], "bool", (elements) => {
    for (let i = 0; i < rows; i++) {
      for (let j = 0; j < columns; j++) elements[i * columns + j] = keeps(j - i - diagonal) ? 1 : 0;
    }
  });
  let met: Met;
  try {
    met = meet(WHERE, [x, 0]);
  } catch (error) {
    mask.dispose();
    throw error;
  }
  return runChoice(WHERE, [mask, ...met.tensors], { ...met, made: [...met.made, mask] }, [x]) as Tensor<D>;
}
