import { dotOrdinal, requireModes, requireOrdinal } from "./coordinates.js";
import { unsafe } from "./errors.js";
import { type Layout, requireLayout } from "./layout.js";
import type { Located } from "./located.js";
import { fromModes, type Mode } from "./modes.js";
import type { IntTree } from "./tree.js";

/**
 * A coordinate with holes: null leaves a mode open, where CuTe writes an underscore. An integer stands for a whole
 * subtree, as in any coordinate.
 *
 * @since 0.1.0
 */
export type HoledCoordinate = number | null | readonly HoledCoordinate[];

/**
 * Fixes a coordinate but for its holes: the result has one mode for each hole, depth-first, and starts at the index of
 * the coordinate with its holes read as 0 (LA-26, CuTe's `slice_and_offset`).
 *
 * @throws TypeError for what is neither an integer, null nor a list of them.
 * @throws LayoutError `SW_LAYOUT_COORDINATE` for a coordinate outside the shape or of another form.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { sliceAt } from "@sw/layout/algebra";
 * const { layout, start } = sliceAt(parseLayout("(2,(3,4)):(12,(1,3))"), [1, [null, 2]]);
 * console.log(String(layout), start); // (3):(1) 18
 * ```
 * @since 0.1.0
 */
export function sliceAt(l: Layout, coordinate: HoledCoordinate): Located {
  const { holes, start } = cut("sliceAt", l, coordinate);
  return { layout: fromModes("sliceAt", holes), start };
}

/**
 * Keeps the modes at which a coordinate has no hole, whatever its integers: what `sliceAt` drops (LA-26, CuTe's `dice`).
 *
 * @throws TypeError, LayoutError as `sliceAt`; `SW_LAYOUT_UNSAFE_INTEGER` when only an extent of 0 in a hole kept an index
 * within 2^53 - 1.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { dice } from "@sw/layout/algebra";
 * console.log(String(dice(parseLayout("(2,(3,4)):(12,(1,3))"), [1, [null, 2]]))); // (2,4):(12,3)
 * ```
 * @since 0.1.0
 */
export function dice(l: Layout, coordinate: HoledCoordinate): Layout {
  return fromModes("dice", cut("dice", l, coordinate).fixed);
}

/** Splits a layout by a coordinate into the modes at its holes, the other modes, and the index of those. */
function cut(operation: string, l: Layout, coordinate: HoledCoordinate) {
  requireLayout(operation, l);
  const holes: Mode[] = [];
  const fixed: Mode[] = [];
  const visit = (shape: IntTree, stride: IntTree, key: HoledCoordinate): number => {
    if (Array.isArray(key)) {
      const strides = stride as readonly IntTree[];
      const modes = requireModes(operation, shape, key, l.shape);
      return modes.reduce((sum: number, mode, i) => sum + visit(mode, strides[i]!, key[i]), 0);
    }
    const kept = key === null ? holes : fixed;
    // The top of a layout is a list of modes, no mode.
    if (shape === l.shape) for (let i = 0; i < l.rank; i++) kept.push({ shape: l.shape[i]!, stride: l.stride[i]! });
    else kept.push({ shape, stride });
    return key === null ? 0 : dotOrdinal(shape, stride, requireOrdinal(operation, shape, key, l.shape));
  };
  const start = visit(l.shape, l.stride, coordinate);
  // The indices of a layout with elements are safe, but those an empty one merely names may not be.
  if (!Number.isSafeInteger(start)) throw unsafe(operation, "the start", start, { layout: l });
  return { holes, fixed, start };
}
