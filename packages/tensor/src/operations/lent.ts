import { permuteAxes, reshapeRowMajor, rowMajor } from "@sw/layout";
import { copiedInto } from "../box.js";
import type { DType } from "../dtype.js";
import { allocateRowMajor, derive, viewAt } from "../handle.js";
import type { Tensor } from "../tensor.js";

// Tensors in the form that a kernel sees, without history: for the time of a call.

/** A view with one axis moved to the end: how kernels over one axis see their operands. */
export function withAxisLast<D extends DType>(t: Tensor<D>, axis: number, operation: string): Tensor<D> {
  const order: number[] = [];
  for (let a = 0; a < t.rank; a++) if (a !== axis) order.push(a);
  order.push(axis);
  return derive(t, permuteAxes(t.layout, order, operation), undefined, operation);
}

/** Views of fresh row-major memory always exist. */
export function viewed<D extends DType>(t: Tensor<D>, shape: readonly number[], operation: string): Tensor<D> {
  return viewAt(t, rowMajor(shape), 0, undefined, operation);
}

/**
 * Lends tensors in other row-major shapes: views where they exist, else copies, which are returned afterwards.
 */
export function lentAs<T>(
  operation: string,
  pairs: readonly (readonly [t: Tensor, shape: readonly number[]])[],
  use: (views: readonly Tensor[]) => T,
): T {
  const copies: Tensor[] = [];
  try {
    const views = pairs.map(([t, shape]) => {
      const layout = reshapeRowMajor(t.layout, shape, operation);
      if (layout !== undefined) return viewAt(t, layout, 0, undefined, operation);
      const copy = copiedInto(allocateRowMajor(t, operation, t.dtype, t.shape), t, operation);
      copies.push(copy);
      return viewed(copy, shape, operation);
    });
    return use(views);
  } finally {
    for (const copy of copies) copy.dispose();
  }
}
