import { describe } from "./errors.js";
import { type Layout, layoutFor } from "./layout.js";
import { requireList, type Shape, type Stride } from "./tree.js";

/**
 * Reads a layout from its JSON form, the pair `[shape, stride]`, as parsed: checked, copied, frozen.
 *
 * @throws TypeError for what is no pair of lists of integers.
 * @throws LayoutError as `layout`.
 * @example
 * ```ts
 * import { layoutFromJSON, rowMajor } from "@sw/layout";
 * const text = JSON.stringify(rowMajor([2, 3])); // [[2,3],[3,1]]
 * console.log(String(layoutFromJSON(JSON.parse(text)))); // (2,3):(3,1)
 * ```
 * @since 0.1.0
 */
export function layoutFromJSON(value: unknown): Layout {
  if (!Array.isArray(value) || value.length !== 2) {
    throw new TypeError(
      `layoutFromJSON: value is not a pair: got ${describe(value)}, expected [shape, stride] such as [[2,3],[3,1]].`,
    );
  }
  const [shape, stride] = value as [unknown, unknown];
  requireList("layoutFromJSON", "stride", stride); // left out, it would be a default
  return layoutFor("layoutFromJSON", shape as Shape, stride as Stride);
}
