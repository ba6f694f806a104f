import { LayoutError, notAnInteger } from "./errors.js";
import { type Layout, made } from "./layout.js";
import { type IntTree, requireList } from "./tree.js";

/**
 * Makes the Morton (Z-order) layout of axes of extents `2 ** bits[d]`: bit b of coordinate d counts
 * `2 ** (b * rank + d)`, so it is a layout of many leaves of 2 (Hurray's Morton layout).
 *
 * With unequal bits the code has holes; nothing closes them.
 *
 * @throws TypeError; LayoutError `SW_LAYOUT_BITS` for a count below 1, `SW_LAYOUT_UNSAFE_INTEGER`.
 * @example
 * ```ts
 * import { indexOf, morton } from "@sw/layout";
 * console.log(indexOf(morton([2, 2]), [2, 3])); // 14
 * ```
 * @since 0.1.0
 */
export function morton(bits: readonly number[]): Layout {
  requireList("morton", "bits", bits);
  const rank = bits.length;
  const shape: IntTree[] = [];
  const stride: IntTree[] = [];
  for (let d = 0; d < rank; d++) {
    const count = bits[d]!;
    if (!Number.isInteger(count)) throw notAnInteger("morton", "a bit count", count);
    if (count < 1 || count > 53) {
      const problem = `a bit count is out of range: got ${count} for axis ${d}, expected 1 to 53.`;
      throw new LayoutError("SW_LAYOUT_BITS", "morton", problem, { axis: d, value: count });
    }
    // A power, not a shift: shifts stop at 2^31.
    const steps = Array.from({ length: count }, (_, b) => 2 ** (b * rank + d));
    shape.push(count === 1 ? 2 : steps.map(() => 2));
    stride.push(count === 1 ? steps[0]! : steps);
  }
  return made("morton", shape, stride);
}
