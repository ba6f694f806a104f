import { byProfile, coalesce } from "./coalesce.js";
import { type Layout, requireLayout, trusted } from "./layout.js";
import { type IntTree, leaves } from "./tree.js";

/**
 * Drops what reaches no new index, extents of 1 and strides of 0, and coalesces the rest (LA-53). Flat.
 *
 * The indices reached stay the same, each as often as the leaves kept say. Nothing left gives `(1):(0)`, an empty layout
 * `(0):(0)`.
 *
 * @throws TypeError for what is not a layout.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { filter } from "@sw/layout/algebra";
 * console.log(String(filter(parseLayout("(2,(4,1),6):(1,(0,9),2)")))); // (12):(1)
 * ```
 * @since 0.1.0
 */
export function filter(l: Layout): Layout {
  requireLayout("filter", l);
  return filtered(l);
}

/**
 * Filters each top-level mode, or what the leaves of a profile stand for, by itself; modes beyond the profile stay
 * (LA-53).
 *
 * @throws TypeError for what is not a layout or a tree of integers; LayoutError `SW_LAYOUT_TILER` as `coalesceByMode`.
 * @since 0.1.0
 */
export function filterByMode(l: Layout, profile?: IntTree): Layout {
  return byProfile("filterByMode", l, profile, filtered);
}

/**
 * Gives extent 1 to every leaf of stride 0, and changes nothing else (LA-53). Leaves of extent 0 stay: an empty layout
 * remains empty.
 *
 * @throws TypeError for what is not a layout.
 * @since 0.1.0
 */
export function filterZeros(l: Layout): Layout {
  requireLayout("filterZeros", l);
  return trusted(
    l.shape.map((mode, i) => withoutRepeats(mode, l.stride[i]!)),
    l.stride,
  );
}

function withoutRepeats(shape: IntTree, stride: IntTree): IntTree {
  if (typeof shape === "number") return stride === 0 && shape > 1 ? 1 : shape;
  return shape.map((mode, i) => withoutRepeats(mode, (stride as readonly IntTree[])[i]!));
}

function filtered(l: Layout): Layout {
  if (l.size === 0) return coalesce(l);
  const extents = leaves(l.shape);
  const strides = leaves(l.stride);
  const shape: number[] = [];
  const stride: number[] = [];
  for (let i = 0; i < extents.length; i++) {
    if (strides[i] === 0) continue;
    shape.push(extents[i]!);
    stride.push(strides[i]!);
  }
  return coalesce(trusted(shape, stride));
}
