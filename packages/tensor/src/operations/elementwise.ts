import { broadcastExtents, compactLike, type Layout, rowMajor } from "@sw/layout";
import type { DType } from "../dtype.js";
import { isFloat, toElement } from "../element.js";
import { TensorValueError } from "../errors.js";
import { checkKind, isTensor, plain, sameDType } from "../gate.js";
import { allocateLike, allocateRowMajor, checkBytes } from "../handle.js";
import { type ResultType, resultType } from "../promotion.js";
import { isRecorded, record } from "../record.js";
import { refuseCompound } from "../refuse-compound.js";
import { runInto } from "../run.js";
import type { Tensor } from "../tensor.js";
import { type Writable, windowOf } from "../window.js";
import { promoted, settle } from "./promoted.js";
import { savedSlots } from "./saved-slots.js";
import type { OperationSpec } from "./spec.js";
import { ADD, DIV, EXP, LOG, MUL, NEG, RELU, RELU_BACKWARD, SUB } from "./specs/elementwise.js";

/** An operand of arithmetic: a tensor, or a number that takes the other operand's dtype (D14). @since 0.1.0 */
export type Value = Tensor | number | bigint;

/** The layout of an element-wise result: that of the first operand of full shape, compact (D15). */
function resultLayout(shape: readonly number[], operands: readonly Tensor[]): Layout {
  for (const operand of operands) {
    const full = operand.rank === shape.length && operand.shape.every((extent, axis) => extent === shape[axis]);
    if (full) return compactLike(operand.layout);
  }
  return rowMajor(shape);
}

/** A number as a rank-0 tensor of the dtype it meets. */
function scalarOf(operation: string, value: unknown, other: Tensor): Tensor {
  if (typeof value === "number" && !isFloat(other.dtype) && !Number.isInteger(value)) {
    throw new TensorValueError(
      "SW_TENSOR_VALUE",
      `${operation}: ${other.dtype} cannot hold the number: got ${value}, expected an integer. Write cast(x, "float32") first.`,
      { given: value, position: 0 },
    );
  }
  const element = toElement(operation, other.dtype, value, 0);
  const scalar = allocateRowMajor(other, operation, other.dtype, []);
  (windowOf(scalar) as Writable)[0] = element;
  return scalar;
}

/** A number among the operands: which one it is, and what a record keeps of it. */
interface NumberOperand {
  readonly scalar: Tensor;
  readonly value: number;
}

/** The common part of arithmetic: two tensors meet in one dtype, a number takes that of the tensor beside it. */
function binary(spec: OperationSpec, first: unknown, second: unknown): Tensor {
  const { kind } = spec;
  for (const operand of [first, second]) {
    if (isTensor(operand)) plain(operand, kind);
    else refuseCompound(operand, kind);
  }
  if (!isTensor(first) && !isTensor(second)) plain(first, kind);
  if (isTensor(first) && isTensor(second)) return ofTensors(spec, first, second);
  const other = (isTensor(first) ? first : second) as Tensor;
  checkKind(kind, other.dtype, spec.kinds);
  const scalar = scalarOf(kind, isTensor(first) ? second : first, other);
  try {
    const number = { scalar, value: Number(isTensor(first) ? second : first) };
    const [a, b] = isTensor(first) ? [first, scalar] : [scalar, other];
    return recorded(spec, apply(spec, a, b), a, b, number);
  } finally {
    scalar.dispose();
  }
}

function ofTensors(spec: OperationSpec, first: Tensor, second: Tensor): Tensor {
  const { kind } = spec;
  const dtype = resultType(first.dtype, second.dtype);
  checkKind(kind, dtype, spec.kinds);
  if (first.dtype !== second.dtype) checkBytes(kind, broadcastExtents(first.shape, second.shape, kind), dtype);
  const { a, b, made } = promoted(kind, first, second, dtype);
  let out: Tensor;
  try {
    out = apply(spec, a, b);
  } catch (error) {
    settle(made);
    throw error;
  }
  return recorded(spec, out, a, b, undefined, made);
}

function apply(spec: OperationSpec, a: Tensor, b: Tensor): Tensor {
  const shape = broadcastExtents(a.shape, b.shape, spec.kind);
  return runInto(spec, allocateLike(a, spec.kind, a.dtype, resultLayout(shape, [a, b])), [a, b]);
}

/** Hangs the history on a result, where there is one; a rule meets the operands in the result's dtype. */
function recorded(
  spec: OperationSpec,
  out: Tensor,
  a: Tensor,
  b: Tensor,
  number: NumberOperand | undefined,
  made: readonly Tensor[] = [],
): Tensor {
  if (!isRecorded(a) && !isRecorded(b)) {
    settle(made);
    return out;
  }
  const inputs = [a, b];
  const saved = savedSlots(spec, inputs, [out], number?.scalar);
  const floats = number !== undefined && spec.floats.includes("number?") ? [number.value] : [];
  return record(out, { kind: spec.kind, inputs, saved, floats, owned: settle(made, saved) });
}

function unary<D extends DType>(spec: OperationSpec, x: Tensor<D>): Tensor<D> {
  const { kind } = spec;
  plain(x, kind);
  checkKind(kind, x.dtype, spec.kinds);
  const out = runInto(spec, allocateLike(x, kind, x.dtype, compactLike(x.layout)), [x]);
  return isRecorded(x) ? record(out, { kind, inputs: [x], saved: savedSlots(spec, [x], [out]) }) : out;
}

/**
 * Adds element by element, broadcasting. Integers wrap. Tensors of two dtypes meet in their {@link resultType}: what is
 * not of it is cast. A number takes the tensor's dtype.
 *
 * @throws LayoutError when the shapes do not broadcast; TensorValueError `SW_TENSOR_DTYPE_REFUSED` for bool, or
 * `SW_TENSOR_VALUE` for a number the dtype cannot hold; KernelMissingError without kernels in force.
 * @since 0.1.0
 */
export function add<D extends DType>(a: Tensor<D>, b: Tensor<NoInfer<D>> | number | bigint): Tensor<D>;
export function add<D extends DType>(a: number | bigint, b: Tensor<D>): Tensor<D>;
export function add<A extends DType, B extends DType>(a: Tensor<A>, b: Tensor<B>): Tensor<ResultType<A, B>>;
export function add(a: Value, b: Value): Tensor {
  return binary(ADD, a, b);
}

/** Subtracts element by element, broadcasting; see {@link add}. @since 0.1.0 */
export function sub<D extends DType>(a: Tensor<D>, b: Tensor<NoInfer<D>> | number | bigint): Tensor<D>;
export function sub<D extends DType>(a: number | bigint, b: Tensor<D>): Tensor<D>;
export function sub<A extends DType, B extends DType>(a: Tensor<A>, b: Tensor<B>): Tensor<ResultType<A, B>>;
export function sub(a: Value, b: Value): Tensor {
  return binary(SUB, a, b);
}

/** Multiplies element by element, broadcasting; see {@link add}. @since 0.1.0 */
export function mul<D extends DType>(a: Tensor<D>, b: Tensor<NoInfer<D>> | number | bigint): Tensor<D>;
export function mul<D extends DType>(a: number | bigint, b: Tensor<D>): Tensor<D>;
export function mul<A extends DType, B extends DType>(a: Tensor<A>, b: Tensor<B>): Tensor<ResultType<A, B>>;
export function mul(a: Value, b: Value): Tensor {
  return binary(MUL, a, b);
}

/** Divides element by element, broadcasting; float dtypes only. See {@link add}. @since 0.1.0 */
export function div<D extends DType>(a: Tensor<D>, b: Tensor<NoInfer<D>> | number): Tensor<D>;
export function div<D extends DType>(a: number, b: Tensor<D>): Tensor<D>;
export function div<A extends DType, B extends DType>(a: Tensor<A>, b: Tensor<B>): Tensor<ResultType<A, B>>;
export function div(a: Value, b: Value): Tensor {
  return binary(DIV, a, b);
}

/** Negates every element; integers wrap. @since 0.1.0 */
export function neg<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(NEG, x);
}

/** Computes `x < 0 ? 0 : x`: NaN passes, and so does -0. Float dtypes only. @since 0.1.0 */
export function relu<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(RELU, x);
}

/** Computes e to the power of every element. Float dtypes only. @since 0.1.0 */
export function exp<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(EXP, x);
}

/** Computes the natural logarithm of every element: -Infinity at 0, NaN below. Float dtypes only. @since 0.1.0 */
export function log<D extends DType>(x: Tensor<D>): Tensor<D> {
  return unary(LOG, x);
}

/** Passes a cotangent where relu's output is positive, and 0 elsewhere: the rule of {@link relu}. @since 0.1.0 */
export function reluBackward<D extends DType>(cotangent: Tensor<D>, output: Tensor<D>): Tensor<D> {
  plain(cotangent, "reluBackward");
  plain(output, "reluBackward");
  // A cotangent of another dtype is a mistake of the rule before, which promotion would hide.
  sameDType("reluBackward", cotangent, output);
  return ofTensors(RELU_BACKWARD, cotangent, output) as Tensor<D>;
}
