import { type DType, sum, type Tensor } from "@sw/tensor";

/** Sums a cotangent over the axes that broadcasting added or widened, down to an input's shape (field case 15). */
export function sumTo<D extends DType>(cotangent: Tensor<D>, shape: readonly number[]): Tensor<D> {
  const added = cotangent.rank - shape.length;
  const axes: number[] = [];
  for (let axis = 0; axis < cotangent.rank; axis++) {
    const widened = axis < added || (shape[axis - added] === 1 && cotangent.shape[axis] !== 1);
    if (widened) axes.push(axis);
  }
  if (axes.length === 0) return cotangent;
  // A float cotangent sums to its own dtype.
  return (sum(cotangent, { axes }) as unknown as Tensor<D>).reshape(shape);
}
