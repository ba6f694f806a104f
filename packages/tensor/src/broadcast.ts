import { broadcastExtents } from "@sw/layout";
import { checkShape } from "./handle.js";

/**
 * Finds the shape that shapes broadcast to: aligned at their last axes, extents equal or 1 (NumPy's rule, OneModel
 * section 3). Of no shape it is `[]`, that of a scalar.
 *
 * @throws LayoutError `SW_LAYOUT_BROADCAST` when two extents differ and neither is 1; TypeError or TensorShapeError for
 * what is no shape of a tensor, the result included.
 * @example
 * ```ts
 * import { broadcastShapes } from "@sw/tensor";
 * console.log(broadcastShapes([8, 1, 6], [7, 1], [6])); // [ 8, 7, 6 ]
 * ```
 * @since 0.1.0
 */
export function broadcastShapes(...shapes: readonly (readonly number[])[]): readonly number[] {
  let common: readonly number[] = [];
  for (const shape of shapes) {
    checkShape("broadcastShapes", shape);
    common = broadcastExtents(common, shape, "broadcastShapes");
    checkShape("broadcastShapes", common);
  }
  return common.slice();
}
