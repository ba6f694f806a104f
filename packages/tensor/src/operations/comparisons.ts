import { broadcastExtents } from "@sw/layout";
import { plain } from "../gate.js";
import { allocateLike } from "../handle.js";
import { runInto } from "../run.js";
import type { Tensor } from "../tensor.js";
import { binary } from "./binary.js";
import { resultLayout, type Value } from "./meet.js";
import { promotedAll, settle } from "./promoted.js";
import type { OperationSpec } from "./spec.js";
import {
  EQ,
  GE,
  GT,
  IS_FINITE,
  IS_INFINITE,
  IS_NAN,
  LE,
  LOGICAL_AND,
  LOGICAL_NOT,
  LOGICAL_OR,
  LOGICAL_XOR,
  LT,
  NE,
} from "./specs/comparisons.js";
import { unary } from "./unary.js";

// What answers with a tensor of bool. Nothing is recorded of it.

/**
 * Tells where a equals b: nowhere of NaN. Broadcasts; tensors of two dtypes meet in their {@link resultType}, so that
 * int64 meets a float in float64, and a number takes the tensor's dtype. 0 equals -0.
 *
 * @throws LayoutError when the shapes do not broadcast; TensorValueError `SW_TENSOR_VALUE` for a number that the dtype
 * cannot hold; TypeError without a tensor.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { eq, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * console.log(eq(tensor([1, 2, 1]), 1).toArray()); // [ true, false, true ]
 * ```
 * @since 0.1.0
 */
export function eq(a: Value, b: Value): Tensor<"bool"> {
  return binary(EQ, a, b) as Tensor<"bool">;
}

/** Tells where a differs from b: everywhere of NaN, also from itself. See {@link eq}. @since 0.1.0 */
export function ne(a: Value, b: Value): Tensor<"bool"> {
  return binary(NE, a, b) as Tensor<"bool">;
}

/** Tells where a is less than b. See {@link eq}. @since 0.1.0 */
export function lt(a: Value, b: Value): Tensor<"bool"> {
  return binary(LT, a, b) as Tensor<"bool">;
}

/** Tells where a is less than b or equal. See {@link eq}. @since 0.1.0 */
export function le(a: Value, b: Value): Tensor<"bool"> {
  return binary(LE, a, b) as Tensor<"bool">;
}

/** Tells where a is greater than b. See {@link eq}. @since 0.1.0 */
export function gt(a: Value, b: Value): Tensor<"bool"> {
  return binary(GT, a, b) as Tensor<"bool">;
}

/** Tells where a is greater than b or equal. See {@link eq}. @since 0.1.0 */
export function ge(a: Value, b: Value): Tensor<"bool"> {
  return binary(GE, a, b) as Tensor<"bool">;
}

/**
 * Tells where both operands are true. Broadcasts. Operands of any dtype are cast to bool first, so that all but 0 is
 * true, NaN too.
 *
 * @throws LayoutError when the shapes do not broadcast; TypeError for what is no tensor.
 * @since 0.1.0
 */
export function logicalAnd(a: Tensor, b: Tensor): Tensor<"bool"> {
  return logical(LOGICAL_AND, [a, b]);
}

/** Tells where at least one operand is true. See {@link logicalAnd}. @since 0.1.0 */
export function logicalOr(a: Tensor, b: Tensor): Tensor<"bool"> {
  return logical(LOGICAL_OR, [a, b]);
}

/** Tells where exactly one of two operands is true. See {@link logicalAnd}. @since 0.1.0 */
export function logicalXor(a: Tensor, b: Tensor): Tensor<"bool"> {
  return logical(LOGICAL_XOR, [a, b]);
}

/** Tells where x is false. See {@link logicalAnd}. @since 0.1.0 */
export function logicalNot(x: Tensor): Tensor<"bool"> {
  return logical(LOGICAL_NOT, [x]);
}

function logical(spec: OperationSpec, operands: readonly Tensor[]): Tensor<"bool"> {
  const { kind } = spec;
  for (const operand of operands) plain(operand, kind);
  const shape = operands.map((t) => t.shape).reduce((a, b) => broadcastExtents(a, b, kind));
  const { tensors, made } = promotedAll(kind, operands, "bool");
  try {
    const out = allocateLike(tensors[0] as Tensor, kind, "bool", resultLayout(shape, tensors));
    return runInto(spec, out, tensors);
  } finally {
    settle(made);
  }
}

/** Tells where x is NaN. Float dtypes only. @since 0.1.0 */
export function whereNaN(x: Tensor): Tensor<"bool"> {
  return unary(IS_NAN, x) as Tensor<"bool">;
}

/** Tells where x is neither NaN nor infinite. Float dtypes only. @since 0.1.0 */
export function whereFinite(x: Tensor): Tensor<"bool"> {
  return unary(IS_FINITE, x) as Tensor<"bool">;
}

/** Tells where x is an infinity, of either sign. Float dtypes only. @since 0.1.0 */
export function isInfinite(x: Tensor): Tensor<"bool"> {
  return unary(IS_INFINITE, x) as Tensor<"bool">;
}
