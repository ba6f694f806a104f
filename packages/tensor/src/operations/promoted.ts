import type { DType } from "../dtype.js";
import { checkBytes } from "../handle.js";
import type { SavedSlot } from "../record.js";
import type { Tensor } from "../tensor.js";
import { cast } from "./cast.js";

/** Two operands in one dtype, and the copies that were made for it. */
export interface Promoted {
  readonly a: Tensor;
  readonly b: Tensor;
  readonly made: readonly Tensor[];
}

const NOTHING: readonly Tensor[] = [];

/** Does for two operands what {@link promotedAll} does for any. */
export function promoted(operation: string, a: Tensor, b: Tensor, dtype: DType): Promoted {
  const { tensors, made } = promotedAll(operation, [a, b], dtype);
  return { a: tensors[0] as Tensor, b: tensors[1] as Tensor, made };
}

/**
 * Brings operands to the dtype in which they meet, where they are not of it. Its caller has checked everything else: the
 * copies are its own, for {@link settle} to return.
 *
 * @throws TensorShapeError `SW_TENSOR_SHAPE_LIMIT` when an operand is too large in that dtype, before anything is cast.
 */
export function promotedAll(
  operation: string,
  tensors: readonly Tensor[],
  dtype: DType,
): { readonly tensors: readonly Tensor[]; readonly made: readonly Tensor[] } {
  if (tensors.every((t) => t.dtype === dtype)) return { tensors, made: NOTHING };
  for (const t of tensors) checkBytes(operation, t.shape, dtype);
  const made: Tensor[] = [];
  const bring = (t: Tensor): Tensor => {
    if (t.dtype === dtype) return t;
    const copy = cast(t, dtype);
    made.push(copy);
    return copy;
  };
  try {
    return { tensors: tensors.map(bring), made };
  } catch (error) {
    settle(made);
    throw error;
  }
}

/**
 * Returns the memory of the copies, but for those that a record saves. The record owns these.
 *
 * @returns what the record owns.
 */
export function settle(made: readonly Tensor[], saved: readonly (SavedSlot | undefined)[] = []): readonly Tensor[] {
  const owned = made.filter((copy) => saved.some((slot) => slot?.tensor === copy));
  for (const copy of made) if (!owned.includes(copy)) copy.dispose();
  return owned;
}
