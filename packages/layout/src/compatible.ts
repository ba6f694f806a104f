import { checkedSize } from "./layout.js";
import { congruent, copyShape, copyStride, type IntTree, type Shape, treeSize } from "./tree.js";

/**
 * Tells whether two shapes (or a shape and a stride) have the same tree form, whatever the numbers are (LA-4).
 *
 * @throws TypeError, LayoutError as `layout` for its strides.
 * @example
 * ```ts
 * import { isCongruent } from "@sw/layout/algebra";
 * console.log(isCongruent([2, [3, 4]], [7, [1, 1]]), isCongruent([2, 12], [2, [3, 4]])); // true false
 * ```
 * @since 0.1.0
 */
export function isCongruent(a: Shape, b: Shape): boolean {
  return congruent(copyStride("isCongruent", a), copyStride("isCongruent", b));
}

/**
 * Tells whether every coordinate of shape `a` is also one of shape `b`, for the same element (CuTe's *compatible*,
 * LA-60): `b` has the modes of `a`, each extent of which it keeps or splits into a nested mode of the same size.
 *
 * Reflexive and transitive, not symmetric.
 *
 * @throws TypeError, LayoutError as `layout` for its shape.
 * @example
 * ```ts
 * import { isCompatible } from "@sw/layout/algebra";
 * console.log(isCompatible([2, 12], [2, [3, 4]]), isCompatible([2, [3, 4]], [2, 12])); // true false
 * ```
 * @since 0.1.0
 */
export function isCompatible(a: Shape, b: Shape): boolean {
  const coarse = copyShape("isCompatible", a);
  const fine = copyShape("isCompatible", b);
  checkedSize("isCompatible", coarse);
  checkedSize("isCompatible", fine);
  return refines(coarse, fine, true);
}

/**
 * Tells whether the tree form of shape `b` has that of shape `a` on top: `b` has the modes of `a`, and where `a` has a
 * leaf, `b` has a leaf or any nested mode. Extents do not matter (CuTe's *weakly congruent*).
 *
 * A by-mode operation that takes the form of `a` reaches every leaf of such a `b`.
 *
 * @throws TypeError, LayoutError as `layout` for its strides.
 * @since 0.1.0
 */
export function coveredBy(a: Shape, b: Shape): boolean {
  return refines(copyStride("coveredBy", a), copyStride("coveredBy", b), false);
}

function refines(a: IntTree, b: IntTree, withSizes: boolean): boolean {
  if (typeof a === "number") return !withSizes || treeSize(b) === a;
  if (typeof b === "number" || a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (!refines(a[i]!, b[i]!, withSizes)) return false;
  return true;
}
