import { cast, div, type Tensor } from "@sw/tensor";

/**
 * Divides a cotangent by how many elements it is shared among, a number or a tensor of wide numbers. A 16-bit float holds
 * no large count, or another one: there the quotient is made in float32 and rounded once.
 */
export function divided(g: Tensor, count: number | Tensor): Tensor {
  const wide = g.dtype === "float16" || g.dtype === "bfloat16" ? "float32" : g.dtype;
  const divisor = typeof count === "number" ? count : cast(count, wide);
  return wide === g.dtype ? div(g, divisor) : (cast(div(cast(g, wide), divisor), g.dtype) as Tensor);
}
