import { LayoutError, notAnInteger } from "./errors.js";
import { checkReach, formatLayout, type Layout, made, requireLayout, trusted } from "./layout.js";
import { reordered } from "./located.js";
import { asMode, requireMode } from "./modes.js";
import { type IntTree, leaves, requireList, type Shape, type Stride } from "./tree.js";

/**
 * Reorders the top-level modes: mode j of the result is mode `order[j]` of the source; whole modes move (LA-48).
 *
 * @throws TypeError when an entry is not an integer; LayoutError `SW_LAYOUT_ORDER` when one is missing, repeated or
 * out of range.
 * @since 0.1.0
 */
export function permute(l: Layout, order: readonly number[]): Layout {
  return reordered(l, order, "permute");
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

/**
 * Puts the modes of `b` after those of `a` (LA-41).
 *
 * @throws TypeError for what is not a layout; LayoutError `SW_LAYOUT_UNSAFE_INTEGER` when size or reach grow too large.
 * @example
 * ```ts
 * import { layout } from "@sw/layout";
 * import { concat } from "@sw/layout/algebra";
 * console.log(String(concat(layout([2]), layout([3, 4], [2, 6])))); // (2,3,4):(1,2,6)
 * ```
 * @since 0.1.0
 */
export function concat(a: Layout, b: Layout): Layout {
  requireLayout("concat", a);
  requireLayout("concat", b);
  return made("concat", [...a.shape, ...b.shape], [...a.stride, ...b.stride]);
}

/**
 * Puts `b` after the modes of `a` as one nested mode; a layout of one leaf is put there as it is, and one of rank 0 adds
 * nothing (LA-41, LA-5). CuTe's `make_layout(a, b, …)` is `[a, b, …].reduce(append, layout([]))`.
 *
 * @throws TypeError for what is not a layout; LayoutError `SW_LAYOUT_UNSAFE_INTEGER`, `SW_LAYOUT_DEPTH`.
 * @example
 * ```ts
 * import { layout } from "@sw/layout";
 * import { append } from "@sw/layout/algebra";
 * console.log(String(append(layout([2]), layout([3, 4], [2, 6])))); // (2,(3,4)):(1,(2,6))
 * ```
 * @since 0.1.0
 */
export function append(a: Layout, b: Layout): Layout {
  requireLayout("append", a);
  requireLayout("append", b);
  const mode = asOneMode(b);
  return made("append", [...a.shape, ...mode.shape], [...a.stride, ...mode.stride]);
}

/**
 * Puts `b` before the modes of `a`, as `append` puts it after them (LA-42).
 *
 * @throws TypeError for what is not a layout; LayoutError `SW_LAYOUT_UNSAFE_INTEGER`, `SW_LAYOUT_DEPTH`.
 * @example
 * ```ts
 * import { layout } from "@sw/layout";
 * import { prepend } from "@sw/layout/algebra";
 * console.log(String(prepend(layout([2]), layout([3, 4], [2, 6])))); // ((3,4),2):((2,6),1)
 * ```
 * @since 0.1.0
 */
export function prepend(a: Layout, b: Layout): Layout {
  requireLayout("prepend", a);
  requireLayout("prepend", b);
  const mode = asOneMode(b);
  return made("prepend", [...mode.shape, ...a.shape], [...mode.stride, ...a.stride]);
}

/** The list that one appended layout adds: itself nested, its only leaf, or nothing. */
function asOneMode(l: Layout): { shape: Shape; stride: Stride } {
  return leaves(l.shape).length < 2 ? l : { shape: [l.shape], stride: [l.stride] };
}

/**
 * Puts all leaves at the top level, in order (LA-42). Extents of 1 stay; `coalesce` merges.
 *
 * @throws TypeError for what is not a layout.
 * @since 0.1.0
 */
export function flatten(l: Layout): Layout {
  requireLayout("flatten", l);
  return trusted(leaves(l.shape), leaves(l.stride), l.size);
}

/**
 * Nests the modes `begin` to `end - 1` in one mode, at least one of them (LA-42).
 *
 * @throws TypeError when a bound is not an integer; LayoutError `SW_LAYOUT_SLICE` for an empty range or one past the rank,
 * `SW_LAYOUT_DEPTH`.
 * @example
 * ```ts
 * import { layout } from "@sw/layout";
 * import { group } from "@sw/layout/algebra";
 * console.log(String(group(layout([2, 3, 4]), 1, 3))); // (2,(3,4)):(1,(2,6))
 * ```
 * @since 0.1.0
 */
export function group(l: Layout, begin: number, end: number): Layout {
  requireRange("group", l, begin, end);
  const nest = (tree: readonly IntTree[]): IntTree[] => [
    ...tree.slice(0, begin),
    tree.slice(begin, end),
    ...tree.slice(end),
  ];
  return made("group", nest(l.shape), nest(l.stride));
}

/**
 * Keeps the modes `begin` to `end - 1`, at least one of them (LA-40, LA-42). For none there is `select(l, [])`.
 *
 * @throws TypeError when a bound is not an integer; LayoutError `SW_LAYOUT_SLICE` for an empty range or one past the rank,
 * `SW_LAYOUT_UNSAFE_INTEGER` when only an extent of 0 elsewhere kept an index within 2^53 - 1.
 * @since 0.1.0
 */
export function take(l: Layout, begin: number, end: number): Layout {
  requireRange("take", l, begin, end);
  return made("take", l.shape.slice(begin, end), l.stride.slice(begin, end));
}

/**
 * Puts a layout in the place of one top-level mode (LA-42): a leaf or the only mode of a rank-1 layout as it is, several
 * modes as a nested one, rank 0 as `1:0`.
 *
 * @throws TypeError for what is not a layout or an integer; LayoutError `SW_LAYOUT_AXIS`, `SW_LAYOUT_UNSAFE_INTEGER`,
 * `SW_LAYOUT_DEPTH`.
 * @example
 * ```ts
 * import { layout } from "@sw/layout";
 * import { replace } from "@sw/layout/algebra";
 * console.log(String(replace(layout([2, 12]), 1, layout([3, 4], [8, 2])))); // (2,(3,4)):(1,(8,2))
 * ```
 * @since 0.1.0
 */
export function replace(l: Layout, i: number, mode: Layout): Layout {
  requireLayout("replace", l);
  requireLayout("replace", mode);
  requireMode("replace", l, i);
  const put = asMode(mode);
  const shape = [...l.shape];
  const stride = [...l.stride];
  shape[i] = put.shape;
  stride[i] = put.stride;
  return made("replace", shape, stride);
}

/** Refuses a range of modes that is empty or leaves the layout. */
function requireRange(operation: string, l: Layout, begin: number, end: number): void {
  requireLayout(operation, l);
  if (!Number.isInteger(begin)) throw notAnInteger(operation, "begin", begin);
  if (!Number.isInteger(end)) throw notAnInteger(operation, "end", end);
  if (begin >= 0 && begin < end && end <= l.rank) return;
  const problem = `the range of modes is wrong: got ${begin} to ${end}, expected 0 <= begin < end <= ${l.rank} (layout ${formatLayout(l)}).`;
  const value = begin < 0 || begin >= l.rank ? begin : end;
  throw new LayoutError("SW_LAYOUT_SLICE", operation, problem, { layout: l, value });
}
