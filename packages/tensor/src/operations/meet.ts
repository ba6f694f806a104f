import { broadcastExtents, compactLike, type Layout, rowMajor } from "@sw/layout";
import type { DType } from "../dtype.js";
import { isFloat, toElement } from "../element.js";
import { TensorValueError } from "../errors.js";
import { checkKind, isTensor, plain } from "../gate.js";
import { allocateRowMajor, checkBytes } from "../handle.js";
import { resultType } from "../promotion.js";
import { refuseCompound } from "../refuse-compound.js";
import type { Tensor } from "../tensor.js";
import { type Writable, windowOf } from "../window.js";
import { promotedAll, settle } from "./promoted.js";
import type { OperationSpec } from "./spec.js";

/** An operand of arithmetic: a tensor, or a number that takes the other operand's dtype (D14). @since 0.1.0 */
export type Value = Tensor | number | bigint;

/** Operands in the one dtype in which they meet. */
export interface Met {
  readonly tensors: readonly Tensor[];
  readonly dtype: DType;
  /** What they broadcast to. */
  readonly shape: readonly number[];
  /** The casts, and the scalars that stand for numbers: their caller's to return, by `settle`. */
  readonly made: readonly Tensor[];
}

/**
 * Finds the dtype in which operands meet, and checks that they are operands: numbers have none of their own.
 *
 * @throws TypeError without a tensor among them; UnsupportedError; StaleTensorError; TensorValueError
 * `SW_TENSOR_DTYPE_REFUSED`.
 */
export function meetingDType(spec: OperationSpec, values: readonly unknown[]): DType {
  let dtype: DType | undefined;
  for (const value of values) {
    if (!isTensor(value)) {
      refuseCompound(value, spec.kind);
      continue;
    }
    plain(value, spec.kind);
    dtype = dtype === undefined || dtype === value.dtype ? value.dtype : resultType(dtype, value.dtype);
  }
  if (dtype === undefined) {
    const first: unknown = values[0];
    plain(first, spec.kind);
    return first.dtype;
  }
  checkKind(spec.kind, dtype, spec.kinds);
  return dtype;
}

/**
 * Brings the operands of an element-wise operation to one dtype: tensors are cast, numbers become scalars of it.
 *
 * @param beside - the shape of an operand that is not among them.
 * @throws as {@link meetingDType}; LayoutError when the shapes do not broadcast; TensorValueError `SW_TENSOR_VALUE` for a
 * number that the dtype cannot hold; TensorShapeError `SW_TENSOR_SHAPE_LIMIT`.
 */
export function meet(spec: OperationSpec, values: readonly unknown[], beside?: readonly number[]): Met {
  const { kind } = spec;
  const dtype = meetingDType(spec, values);
  let shape = beside;
  for (const value of values) {
    if (isTensor(value)) shape = shape === undefined ? value.shape : broadcastExtents(shape, value.shape, kind);
  }
  const extents = shape as readonly number[];
  const given = values.filter(isTensor);
  if (given.some((t) => t.dtype !== dtype)) checkBytes(kind, extents, dtype);
  const scalars: Tensor[] = [];
  try {
    const all = values.map((value) => {
      if (isTensor(value)) return value;
      const scalar = scalarOf(kind, value, given[0] as Tensor, dtype);
      scalars.push(scalar);
      return scalar;
    });
    const { tensors, made } = promotedAll(kind, all, dtype);
    return { tensors, dtype, shape: extents, made: scalars.length === 0 ? made : [...scalars, ...made] };
  } catch (error) {
    settle(scalars);
    throw error;
  }
}

/** A number as a rank-0 tensor of the dtype it meets. */
function scalarOf(operation: string, value: unknown, other: Tensor, dtype: DType): Tensor {
  if (typeof value === "number" && !isFloat(dtype) && !Number.isInteger(value)) {
    throw new TensorValueError(
      "SW_TENSOR_VALUE",
      `${operation}: ${dtype} cannot hold the number: got ${value}, expected an integer. Write cast(x, "float32") first.`,
      { given: value, position: 0 },
    );
  }
  const element = toElement(operation, dtype, value, 0);
  const scalar = allocateRowMajor(other, operation, dtype, []);
  (windowOf(scalar) as Writable)[0] = element;
  return scalar;
}

/** The layout of an element-wise result: that of the first operand of full shape, compact (D15). */
export function resultLayout(shape: readonly number[], operands: readonly Tensor[]): Layout {
  for (const operand of operands) {
    const full = operand.rank === shape.length && operand.shape.every((extent, axis) => extent === shape[axis]);
    if (full) return compactLike(operand.layout);
  }
  return rowMajor(shape);
}
