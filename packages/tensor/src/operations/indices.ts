import type { DType } from "../dtype.js";
import { TensorShapeError } from "../errors.js";
import { checkKind, plain, showShape } from "../gate.js";
import type { Tensor } from "../tensor.js";
import { cast } from "./cast.js";
import { owning } from "./owned.js";

// Operands whose elements name elements of others. A kernel checks them against an extent, and takes int32 and int64.

/** What indices of other dtypes are cast to. A uint64 beyond int64 wraps to a negative one, which names nothing. */
const CAST_TO: { readonly [D in DType]?: DType } = {
  int8: "int32",
  uint8: "int32",
  int16: "int32",
  uint16: "int32",
  uint32: "int64",
  uint64: "int64",
};

/** @throws TypeError; TensorValueError `SW_TENSOR_DTYPE_REFUSED` for what is no integer. */
export function checkIndices(operation: string, index: unknown): asserts index is Tensor {
  plain(index, operation);
  checkKind(operation, index.dtype, ["int", "uint"]);
}

/**
 * Lends indices in a dtype that kernels take. A copy that is made for it is owned by the result's record where that saves
 * it, and returned where not.
 */
export function withIndices<D extends DType>(index: Tensor, use: (index: Tensor) => Tensor<D>): Tensor<D> {
  const dtype = CAST_TO[index.dtype];
  if (dtype === undefined) return use(index);
  const copy = cast(index, dtype);
  try {
    return owning(use(copy), copy);
  } catch (error) {
    copy.dispose();
    throw error;
  }
}

/** The shape with other extents in place of one axis. */
export function replacedAxis(shape: readonly number[], axis: number, extents: readonly number[]): number[] {
  return [...shape.slice(0, axis), ...extents, ...shape.slice(axis + 1)];
}

/**
 * Checks the shape of an operand.
 *
 * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH`.
 */
export function checkFits(operation: string, what: string, t: Tensor, shape: readonly number[], rule: string): void {
  if (t.rank === shape.length && t.shape.every((extent, axis) => extent === shape[axis])) return;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_MISMATCH",
    `${operation}: ${what} does not fit: got shape ${showShape(t.shape)}, expected ${showShape(shape)}, ${rule}.`,
    { given: t.shape, expected: shape, shape: t.shape },
  );
}
