import { prod, type Tensor, tensor, where } from "@sw/tensor";

/**
 * For every element, the product of the others along some axes, differentiable any number of times with zeros among
 * them. It has as many intermediate values as there are elements, times the extent of the axes together.
 */
export function exclusiveProducts(x: Tensor, axes: readonly number[]): Tensor {
  const beside = x.shape.map((_, axis) => axis).filter((axis) => !axes.includes(axis));
  const order = [...beside, ...axes];
  const moved = x.permute(order);
  const n = axes.reduce((product, axis) => product * (x.shape[axis] ?? 1), 1);
  const rows = moved.reshape([x.size / n, 1, n]);
  const own = tensor(
    Array.from({ length: n * n }, (_, i) => i % (n + 1) === 0),
    { shape: [n, n] },
  );
  const products = prod(where(own, 1, rows), { axes: 2 }) as Tensor;
  const inverse: number[] = [];
  order.forEach((axis, position) => {
    inverse[axis] = position;
  });
  return products.reshape(moved.shape).permute(inverse);
}
