import { digits, ordinalOf, requireModes, requireOrdinal } from "./coordinates.js";
import { checkedSize } from "./layout.js";
import { type Coordinate, copyShape, type Shape, treeSize } from "./tree.js";

/**
 * Gives the row-major ordinal of a coordinate: the last axis is the fastest, and within a nested axis the first leaf (D1).
 *
 * An entry may be nested as its axis, or the ordinal of the axis. A single integer is the ordinal itself.
 *
 * @throws TypeError, LayoutError as `encode`, of which this is the row-major form.
 * @example
 * ```ts
 * import { encode } from "@sw/layout";
 * import { encodeRowMajor } from "@sw/layout/algebra";
 * console.log(encodeRowMajor([3, 4], [1, 2]), encode([3, 4], [1, 2])); // 6 7
 * ```
 * @since 0.1.0
 */
export function encodeRowMajor(shape: Shape, coordinate: Coordinate): number {
  const operation = "encodeRowMajor";
  const checked = copyShape(operation, shape);
  checkedSize(operation, checked);
  if (!Array.isArray(coordinate)) return requireOrdinal(operation, checked, coordinate, checked);
  requireModes(operation, checked, coordinate, checked);
  let ordinal = 0;
  for (let i = 0; i < checked.length; i++) {
    ordinal = ordinal * treeSize(checked[i]!) + ordinalOf(operation, checked[i]!, coordinate[i]!, checked);
  }
  return ordinal;
}

/**
 * Gives the nested coordinate of a row-major ordinal; the inverse of `encodeRowMajor`.
 *
 * @throws TypeError, LayoutError as `decode`, of which this is the row-major form.
 * @example
 * ```ts
 * import { decodeRowMajor } from "@sw/layout/algebra";
 * console.log(decodeRowMajor([3, [2, 2]], 6)); // [ 1, [ 0, 1 ] ]
 * ```
 * @since 0.1.0
 */
export function decodeRowMajor(shape: Shape, ordinal: number): readonly Coordinate[] {
  const operation = "decodeRowMajor";
  const checked = copyShape(operation, shape);
  checkedSize(operation, checked);
  let rest = requireOrdinal(operation, checked, ordinal, checked);
  const out: Coordinate[] = [];
  for (let i = checked.length - 1; i >= 0; i--) {
    const size = treeSize(checked[i]!);
    const digit = rest % size;
    out.push(digits(checked[i]!, digit));
    rest = (rest - digit) / size;
  }
  return out.reverse();
}
