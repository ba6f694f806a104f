import { describe, extents } from "@sw/layout";
import { DTYPES, type DType, type DTypeKind } from "./dtype.js";
import { TensorShapeError, TensorValueError, UnsupportedError } from "./errors.js";
import { checkLive } from "./handle.js";
import { refuseCompound } from "./refuse-compound.js";
import type { Tensor } from "./tensor.js";

/** A shape as messages print it: `[2,3]`. */
export function showShape(shape: readonly number[]): string {
  return shape.length > 8 ? `[${shape.slice(0, 8).join(",")},…]` : `[${shape.join(",")}]`;
}

/**
 * Recognises a tensor, made by this or by another installed copy of the package (D9).
 * @since 0.1.0
 */
export function isTensor(value: unknown): value is Tensor {
  return typeof value === "object" && value !== null && "@sw/tensor/Tensor/1" in value;
}

/**
 * The gate of what reads, writes and copies elements: a live tensor, padded or not.
 *
 * @throws UnsupportedError for a tensor of several parts; TypeError when it is no tensor.
 * @throws StaleTensorError `SW_BUFFER_STALE` when its memory was returned.
 * @since 0.1.0
 */
export function live(t: unknown, operation: string): asserts t is Tensor {
  if (!isTensor(t)) {
    refuseCompound(t, operation);
    throw new TypeError(`${operation}: not a tensor: got ${describe(t)}, expected a Tensor.`);
  }
  checkLive(t, operation);
}

/**
 * The gate that every operation passes first: a live, plain tensor.
 *
 * @throws UnsupportedError for a tensor of several parts, and for a padded one: its shape is a box inside its layout.
 * @throws TypeError when it is no tensor.
 * @throws StaleTensorError `SW_BUFFER_STALE` when its memory was returned.
 * @since 0.1.0
 */
export function plain(t: unknown, operation: string): asserts t is Tensor {
  live(t, operation);
  refusePadding(t, operation);
}

/**
 * Refuses a padded tensor, whose shape is a box inside its layout.
 *
 * @throws UnsupportedError `SW_TENSOR_UNSUPPORTED`.
 */
export function refusePadding(t: Tensor, operation: string): void {
  if (!t.isPadded) return;
  throw new UnsupportedError(
    `${operation}: the tensor is padded: got shape ${showShape(t.shape)} inside a layout of ${showShape(extents(t.layout))}, expected a tensor without padding. Call contiguous() first.`,
  );
}

/**
 * Checks that two operands have one dtype.
 *
 * @throws TensorValueError `SW_TENSOR_DTYPE_MISMATCH`.
 * @since 0.1.0
 */
export function sameDType(operation: string, a: Tensor, b: Tensor): void {
  if (a.dtype === b.dtype) return;
  throw new TensorValueError(
    "SW_TENSOR_DTYPE_MISMATCH",
    `${operation}: the operands' dtypes differ: got ${a.dtype} and ${b.dtype}, expected one dtype. Write cast(x, "${a.dtype}").`,
    { given: b.dtype, expected: a.dtype },
  );
}

/**
 * Checks that an operand's dtype belongs to one of some families.
 *
 * @throws TensorValueError `SW_TENSOR_DTYPE_REFUSED`.
 * @since 0.1.0
 */
export function checkKind(operation: string, dtype: DType, kinds: readonly DTypeKind[]): void {
  if (kinds.includes(DTYPES[dtype].kind)) return;
  const names = Object.values(DTYPES).filter((info) => kinds.includes(info.kind));
  throw new TensorValueError(
    "SW_TENSOR_DTYPE_REFUSED",
    `${operation}: not for this dtype: got ${dtype}, expected one of ${names.map((info) => info.name).join(", ")}.`,
    { given: dtype, expected: names.map((info) => info.name) },
  );
}

/**
 * Checks one axis; negative axes count from the end.
 *
 * @returns the axis in `[0, rank)`.
 * @throws TypeError when it is no integer; TensorShapeError `SW_TENSOR_AXIS` when out of range.
 * @since 0.1.0
 */
export function checkAxis(operation: string, axis: number, rank: number): number {
  if (Number.isInteger(axis)) {
    const positive = axis < 0 ? axis + rank : axis;
    if (positive >= 0 && positive < rank) return positive;
  }
  throw axisError(operation, axis, rank);
}

/** Apart from the check, which is then so short that the host writes it into every view. */
function axisError(operation: string, axis: number, rank: number): Error {
  if (!Number.isInteger(axis)) {
    return new TypeError(`${operation}: an axis is no integer: got ${describe(axis)}, expected an integer.`);
  }
  return new TensorShapeError(
    "SW_TENSOR_AXIS",
    `${operation}: the axis is out of range: got ${axis}, expected ${rank === 0 ? "none (the tensor is a scalar)" : `${-rank} to ${rank - 1}`}.`,
    { given: axis, axis },
  );
}
