import { LayoutError, notAnInteger } from "./errors.js";
import { checkReach, formatLayout, type Layout, requireLayout, trusted } from "./layout.js";
import { permuteAxes } from "./located.js";
import { type IntTree, requireList } from "./tree.js";

/**
 * Reorders the top-level modes: mode j of the result is mode `order[j]` of the source; whole modes move (LA-48).
 *
 * @throws TypeError when an entry is not an integer; LayoutError `SW_LAYOUT_ORDER` when one is missing, repeated or
 * out of range.
 * @since 0.1.0
 */
export function permute(l: Layout, order: readonly number[]): Layout {
  return permuteAxes(l, order, "permute").layout;
}

/**
 * Picks top-level modes: mode j of the result is mode `modes[j]` of the source (CuTe's `select`, LA-42). Modes may
 * repeat.
 *
 * @throws TypeError when an entry is not an integer.
 * @throws LayoutError `SW_LAYOUT_ORDER` when one is out of range, `SW_LAYOUT_UNSAFE_INTEGER` when repeats, or the loss
 * of an extent of 0, bring the size or an index beyond 2^53 - 1.
 * @since 0.1.0
 */
export function select(l: Layout, modes: readonly number[]): Layout {
  requireLayout("select", l);
  requireList("select", "modes", modes);
  const shape: IntTree[] = [];
  const stride: IntTree[] = [];
  for (let i = 0; i < modes.length; i++) {
    const mode = modes[i]!;
    if (!Number.isInteger(mode)) throw notAnInteger("select", "a mode", mode);
    if (mode < 0 || mode >= l.rank) {
      const problem = `a mode does not exist: got ${mode}, expected 0 to ${l.rank - 1} (layout ${formatLayout(l)}).`;
      throw new LayoutError("SW_LAYOUT_ORDER", "select", problem, { layout: l, value: mode });
    }
    shape.push(l.shape[mode]!);
    stride.push(l.stride[mode]!);
  }
  return trusted(shape, stride, checkReach("select", shape, stride));
}
