import { describe, LayoutError, notAnInteger } from "./errors.js";
import { formatLayout, type Layout, requireLayout, trusted } from "./layout.js";
import { asMode, fromModes, type Mode, modeAt, modeIn } from "./modes.js";
import { formatShapeFor, type IntTree, isFlat, leaves } from "./tree.js";

/**
 * Gives the flat layout with the fewest modes that maps every ordinal (first mode fastest) to the same index (LA-50).
 *
 * What is left of nothing but extents 1 is `(1):(0)` (LA-51), of an empty layout `(0):(0)` (D3).
 *
 * @throws TypeError for what is not a layout.
 * @example
 * ```ts
 * import { coalesce, parseLayout } from "@sw/layout";
 * console.log(String(coalesce(parseLayout("(2,(1,6)):(1,(6,2))")))); // (12):(1)
 * ```
 * @since 0.1.0
 */
export function coalesce(l: Layout): Layout {
  requireLayout("coalesce", l);
  if (l.size === 0) return trusted([0], [0], 0);
  const extentLeaves = isFlat(l.shape) ? l.shape : leaves(l.shape);
  const strideLeaves = isFlat(l.stride) ? l.stride : leaves(l.stride);
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

/**
 * Coalesces each top-level mode by itself, so that the rank stays (LA-52).
 *
 * With a profile, a tree whose numbers do not count, what stands at each of its leaves is coalesced, the whole layout if it
 * is a number; modes beyond the profile stay.
 *
 * @throws TypeError for what is not a layout or a tree of integers; LayoutError `SW_LAYOUT_TILER` when a list of the
 * profile is longer than the mode it stands for, or stands for a leaf.
 * @example
 * ```ts
 * import { parseLayout } from "@sw/layout";
 * import { coalesceByMode } from "@sw/layout/algebra";
 * console.log(String(coalesceByMode(parseLayout("((2,4),(3,5)):((1,2),(8,24))")))); // (8,15):(1,8)
 * ```
 * @since 0.1.0
 */
export function coalesceByMode(l: Layout, profile?: IntTree): Layout {
  return byProfile("coalesceByMode", l, profile, coalesce);
}

/** Applies an operation at each leaf of a profile; without one, to each top-level mode. */
export function byProfile(
  operation: string,
  l: Layout,
  profile: IntTree | undefined,
  apply: (l: Layout) => Layout,
): Layout {
  requireLayout(operation, l);
  const perMode = profile === undefined ? l.shape.map(() => 1) : profile;
  if (typeof perMode !== "number" && !Array.isArray(perMode)) {
    throw new TypeError(
      `${operation}: profile is not a tree of integers: got ${describe(profile)}, expected a list such as [1,[1,1]].`,
    );
  }
  return profiled(operation, l, perMode, apply);
}

function profiled(operation: string, l: Layout, profile: IntTree, apply: (l: Layout) => Layout): Layout {
  if (!Array.isArray(profile)) {
    if (typeof profile !== "number" || !Number.isInteger(profile)) {
      throw notAnInteger(operation, "an entry of the profile", profile);
    }
    return apply(l);
  }
  if (profile.length > l.rank) throw tooLong(operation, l, profile, l.rank);
  const modes: Mode[] = [];
  for (let i = 0; i < l.rank; i++) {
    const mode = modeIn(l, i);
    const entry: IntTree | undefined = profile[i];
    if (i >= profile.length) modes.push(mode);
    else if (Array.isArray(entry)) {
      if (typeof mode.shape === "number") throw tooLong(operation, l, entry, 0);
      // A mode taken apart by a list stays a mode, even of one entry.
      modes.push(profiled(operation, modeAt(operation, l, i), entry, apply));
    } else modes.push(asMode(profiled(operation, modeAt(operation, l, i), entry as number, apply)));
  }
  return fromModes(operation, modes);
}

function tooLong(operation: string, l: Layout, profile: readonly IntTree[], rank: number): LayoutError {
  const rule = rank === 0 ? "an integer for a leaf" : `at most ${rank} entries`;
  const problem = `the profile has too many entries: got ${formatShapeFor(operation, profile)}, expected ${rule} (layout ${formatLayout(l)}).`;
  return new LayoutError("SW_LAYOUT_TILER", operation, problem, { layout: l, value: profile.length });
}
