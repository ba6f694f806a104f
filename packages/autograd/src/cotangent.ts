import { full, type Tensor } from "@sw/tensor";
import { plain } from "@sw/tensor/seam";
import { GradientError } from "./errors.js";

function show(shape: readonly number[]): string {
  return `[${shape.join(",")}]`;
}

/**
 * Admits the cotangent that a caller hands to a tensor: of its shape and dtype. Without one, a tensor of one element
 * takes 1 (D6).
 *
 * @throws GradientError `SW_AUTOGRAD_COTANGENT_MISSING` or `SW_AUTOGRAD_COTANGENT`.
 */
export function admit(operation: string, t: Tensor, cotangent: Tensor | undefined): Tensor {
  if (cotangent === undefined) {
    if (t.size === 1) return full(t.shape, 1, { dtype: t.dtype });
    throw new GradientError(
      "SW_AUTOGRAD_COTANGENT_MISSING",
      `${operation}: a cotangent is needed: got none for shape ${show(t.shape)}, expected one of that shape, or a tensor of one element. Reduce it, by sum or mean, or pass a cotangent.`,
      { given: t.shape },
    );
  }
  plain(cotangent, operation);
  const sameShape = cotangent.rank === t.rank && cotangent.shape.every((extent, axis) => extent === t.shape[axis]);
  if (sameShape && cotangent.dtype === t.dtype) return cotangent;
  throw new GradientError(
    "SW_AUTOGRAD_COTANGENT",
    `${operation}: the cotangent does not fit: got ${cotangent.dtype}${show(cotangent.shape)}, expected ${t.dtype}${show(t.shape)}.`,
    { given: cotangent.shape, expected: t.shape },
  );
}
