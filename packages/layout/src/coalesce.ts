import { type Layout, trusted } from "./layout.js";
import { leaves } from "./tree.js";

/**
 * Gives the flat layout with the fewest modes that maps every ordinal (first mode fastest) to the same index (LA-50).
 *
 * What is left of nothing but extents 1 is `(1):(0)` (LA-51), of an empty layout `(0):(0)` (D3).
 *
 * @example
 * ```ts
 * import { coalesce, parseLayout } from "@sw/layout";
 * console.log(String(coalesce(parseLayout("(2,(1,6)):(1,(6,2))")))); // (12):(1)
 * ```
 * @since 0.1.0
 */
export function coalesce(l: Layout): Layout {
  if (l.size === 0) return trusted([0], [0], 0);
  const extentLeaves = leaves(l.shape);
  const strideLeaves = leaves(l.stride);
  const shape: number[] = [];
  const stride: number[] = [];
  for (let i = 0; i < extentLeaves.length; i++) {
    const extent = extentLeaves[i]!;
    if (extent === 1) continue;
    const last = shape.length - 1;
    // A rounded product is at least 2^53, so it never equals a stride by accident.
    if (last >= 0 && strideLeaves[i] === shape[last]! * stride[last]!) shape[last] = shape[last]! * extent;
    else {
      shape.push(extent);
      stride.push(strideLeaves[i]!);
    }
  }
  return shape.length === 0 ? trusted([1], [0], 1) : trusted(shape, stride, l.size);
}
