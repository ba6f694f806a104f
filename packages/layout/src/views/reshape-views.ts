import { rowMajor } from "../builders.js";
import { coalesce } from "../coalesce.js";
import { LayoutError, notAnInteger } from "../errors.js";
import { checkedSize, firstModeFastest, formatLayout, type Layout, made, requireLayout, trusted } from "../layout.js";
import type { Located } from "../located.js";
import { viewStrides } from "../reshape.js";
import { copyShape, formatShape, type IntTree, type Shape } from "../tree.js";

/**
 * Shows the same elements in the same row-major order under another shape, as `reshapeRowMajor`, or says why only a copy
 * can. Every extent must be given: `inferExtent` finds one of -1.
 *
 * @throws TypeError, LayoutError as `rowMajor` for the shape; `SW_LAYOUT_RESHAPE` when the sizes differ.
 * @throws LayoutError `SW_LAYOUT_NO_VIEW` when a copy is needed: `axis` of the new shape would join two neighbours in the
 * layout of which the slower has stride `value`.
 * @example
 * ```ts
 * import { rowMajor, strided } from "@sw/layout";
 * import { reshapeAxes } from "@sw/layout/views";
 * console.log(String(reshapeAxes(rowMajor([4, 6]), [2, 2, 6]).layout)); // (2,2,6):(12,6,1)
 * try {
 *   reshapeAxes(strided([4, 6], [1, 4]), [24]);
 * } catch (error) {
 *   console.log((error as Error).message);
 *   // reshapeAxes: only a copy has this shape, since axis 0 of it joins what is apart: got stride 1, expected 24 (layout (4,6):(1,4), shape [24]).
 * }
 * ```
 * @since 0.1.0
 */
export function reshapeAxes(l: Layout, shape: readonly number[]): Located {
  const target = requireSize("reshapeAxes", l, shape);
  for (const extent of target) if (typeof extent !== "number") throw notAnInteger("reshapeAxes", "an extent", extent);
  if (l.size === 0) return { layout: rowMajor(target), start: 0 };
  const stride = viewStrides(l, target as number[]);
  if (Array.isArray(stride)) return { layout: trusted(target, stride, l.size), start: 0 };
  const where = `axis ${stride.axis} of it joins what is apart`;
  throw noView("reshapeAxes", l, target, where, stride.stride, stride.expected, stride.axis);
}

/**
 * Shows the same elements in the same first-mode-fastest order under another shape, or says why only a copy can (VA-51).
 *
 * The ordinals of the layout must step evenly, to 0, b, 2b, … with one b of 0 or more: then any shape of its size will
 * do, and gets its default strides times b. An empty layout is compact in any shape. `withShape` also finds shapes for layouts whose
 * steps change.
 *
 * @throws TypeError, LayoutError as `layout` for the shape; `SW_LAYOUT_RESHAPE` when the sizes differ,
 * `SW_LAYOUT_UNSAFE_INTEGER` when the stride of an extent of 1 goes beyond 2^53 - 1.
 * @throws LayoutError `SW_LAYOUT_NO_VIEW` when a copy is needed: `value` is the stride at which the steps change, or a negative b.
 * @example
 * ```ts
 * import { layout } from "@sw/layout";
 * import { reshapeModes } from "@sw/layout/views";
 * console.log(String(reshapeModes(layout([2, 3], [2, 4]), [3, [2]]).layout)); // (3,(2)):(2,(6))
 * ```
 * @since 0.1.0
 */
export function reshapeModes(l: Layout, shape: Shape, operation = "reshapeModes"): Located {
  const target = requireSize(operation, l, shape);
  const runs = coalesce(l);
  const base = l.size === 0 ? 1 : (runs.stride[0] as number);
  if (runs.rank > 1) {
    const extent = runs.shape[0] as number;
    const where = `its ordinals step by ${base} only to ordinal ${extent - 1}`;
    throw noView(operation, l, target, where, runs.stride[1] as number, extent * base);
  }
  if (base < 0) throw noView(operation, l, target, "its ordinals step backwards", base, "0 or more");
  return { layout: made(operation, target, firstModeFastest(target, { next: base })), start: 0 };
}

/** Copies a shape of as many elements as a layout. */
function requireSize(operation: string, l: Layout, shape: Shape): IntTree[] {
  requireLayout(operation, l);
  const target = copyShape(operation, shape);
  const size = checkedSize(operation, target);
  if (size === l.size) return target;
  const problem = `sizes differ: got shape ${formatShape(target)} of ${size} elements, expected ${l.size} elements (layout ${formatLayout(l)}).`;
  throw new LayoutError("SW_LAYOUT_RESHAPE", operation, problem, { layout: l, shape: target, value: l.size });
}

function noView(
  operation: string,
  l: Layout,
  target: Shape,
  where: string,
  value: number,
  expected: number | string,
  axis?: number,
): LayoutError {
  const problem = `only a copy has this shape, since ${where}: got stride ${value}, expected ${expected} (layout ${formatLayout(l)}, shape ${formatShape(target)}).`;
  const fields = { layout: l, shape: l.shape, otherShape: target, value };
  return new LayoutError("SW_LAYOUT_NO_VIEW", operation, problem, axis === undefined ? fields : { ...fields, axis });
}
