import { cosize, isBroadcast, minIndex, sortedByStride } from "./bounds.js";
import { describe, LayoutError } from "./errors.js";
import { filterZeros } from "./filter.js";
import { checkedSize, formatLayout, type Layout, requireLayout } from "./layout.js";
import { copyShape, type Shape } from "./tree.js";

/** Steps of the search before it gives up. */
const DEFAULT_STEPS = 10_000_000;

/** What searches found: whether the layout is injective, or how many steps did not tell. A layout never changes. */
const SEARCHED: WeakMap<Layout, boolean | number> = new WeakMap();

/**
 * Tells whether no two coordinates of a layout share an index. Exact: it throws rather than guess (LA-33).
 *
 * Sorted strides decide almost every layout at once; interleaved strides are searched, at most `steps` steps, and the
 * verdict is remembered with the layout.
 *
 * @throws TypeError for what is not a layout, or a limit that is not a number.
 * @throws LayoutError `SW_LAYOUT_SEARCH_LIMIT` when the search does not end within `steps`.
 * @since 0.1.0
 */
export function isInjective(l: Layout, steps: number = DEFAULT_STEPS): boolean {
  requireLayout("isInjective", l);
  return injective("isInjective", l, steps);
}

/** Does what `isInjective` does, in the name of the operation that was called. */
export function injective(operation: string, l: Layout, steps: number = DEFAULT_STEPS): boolean {
  requireSteps(operation, steps);
  const verdict = decideInjective(l, steps);
  if (verdict === undefined) throw searchLimit(operation, l, steps);
  return verdict;
}

/** Refuses what is no limit of a search; NaN would be none at all. */
export function requireSteps(operation: string, steps: unknown): void {
  if (typeof steps === "number" && !Number.isNaN(steps)) return;
  throw new TypeError(`${operation}: steps is not a number: got ${describe(steps)}, expected a limit such as 10000.`);
}

/** As `isInjective`; undefined when the search does not end within `steps`. */
export function decideInjective(l: Layout, steps: number): boolean | undefined {
  const size = l.size;
  if (size <= 1) return true;
  if (size > cosize(l)) return false;
  const modes = sortedByStride(l);
  if (modes[0]![1] === 0) return false;
  let span = 1;
  let separate = true;
  for (const [extent, stride] of modes) {
    if (stride < span) separate = false;
    span += (extent - 1) * stride;
  }
  if (separate) return true;
  const known = SEARCHED.get(l);
  if (typeof known === "boolean") return known;
  if (known !== undefined && steps <= known) return undefined;
  const verdict = searched(modes, steps);
  SEARCHED.set(l, verdict ?? steps);
  return verdict;
}

function searched(modes: [extent: number, stride: number][], steps: number): boolean | undefined {
  reduce(modes);
  if (modes.length === 0) return true;
  const collides = findsCollision(modes, steps);
  return collides === undefined ? undefined : !collides;
}

/**
 * Two coordinates collide when the sum of difference times stride is 0. Modulo g, the common divisor of all the other
 * strides, a mode's own term must vanish: its difference is a multiple of g / gcd(stride, g). That thins the mode out,
 * and removes it when no multiple but 0 is left.
 */
function reduce(modes: [extent: number, stride: number][]): void {
  for (let changed = true; changed; ) {
    changed = false;
    for (let i = modes.length - 1; i >= 0; i--) {
      const [extent, stride] = modes[i]!;
      let g = 0;
      for (let j = 0; j < modes.length; j++) if (j !== i) g = gcd(g, modes[j]![1]);
      const factor = g === 0 ? extent : g / gcd(stride, g);
      if (factor === 1) continue;
      changed = true;
      if (factor >= extent) modes.splice(i, 1);
      else modes[i] = [Math.floor((extent - 1) / factor) + 1, stride * factor];
    }
  }
  modes.sort((a, b) => a[1] - b[1]);
}

/** Whether two coordinates collide; undefined when `steps` do not tell. */
function findsCollision(modes: readonly [extent: number, stride: number][], steps: number): boolean | undefined {
  // reach[i]: what modes 0 … i-1 can still cancel, in either direction
  const reach: number[] = [0];
  for (let i = 0; i < modes.length; i++) reach.push(reach[i]! + (modes[i]![0] - 1) * modes[i]![1]);
  let left = steps;

  // Is there a difference of modes 0 … i that adds up to -sum? By symmetry the first that is not 0 is positive.
  function search(i: number, sum: number, started: boolean): boolean {
    const [extent, stride] = modes[i]!;
    if (i === 0) {
      if (sum % stride !== 0) return false;
      const difference = -sum / stride;
      return Math.abs(difference) < extent && (started || difference !== 0);
    }
    const slack = reach[i]!;
    const from = started ? Math.max(1 - extent, Math.ceil((-sum - slack) / stride)) : 0;
    const to = Math.min(extent - 1, Math.floor((slack - sum) / stride));
    for (let difference = from; difference <= to; difference++) {
      if (--left < 0) return true; // ends the search; `left` tells it from a collision
      if (search(i - 1, sum + difference * stride, started || difference !== 0)) return true;
    }
    return false;
  }
  const found = search(modes.length - 1, 0, false);
  return left < 0 ? undefined : found;
}

/** The error of an exact search that would take too long. */
export function searchLimit(operation: string, l: Layout, steps: number): LayoutError {
  const problem = `the search is too long for ${formatLayout(l)}: got no answer in ${steps} steps, expected one. Pass a larger limit.`;
  return new LayoutError("SW_LAYOUT_SEARCH_LIMIT", operation, problem, { layout: l, value: steps });
}

/**
 * Tells whether a layout repeats elements by strides of 0 and in no other way: it is not injective, and would be with
 * extent 1 wherever its stride is 0 (LA-34). Exact, as `isInjective`.
 *
 * @throws TypeError for what is not a layout; LayoutError `SW_LAYOUT_SEARCH_LIMIT` as `isInjective`.
 * @example
 * ```ts
 * import { layout } from "@sw/layout";
 * import { isBroadcastOnlyAliased } from "@sw/layout/algebra";
 * console.log(isBroadcastOnlyAliased(layout([3, 4], [1, 0]))); // true
 * console.log(isBroadcastOnlyAliased(layout([3, 4], [1, 1]))); // false
 * ```
 * @since 0.1.0
 */
export function isBroadcastOnlyAliased(l: Layout, steps: number = DEFAULT_STEPS): boolean {
  const operation = "isBroadcastOnlyAliased";
  requireLayout(operation, l);
  return isBroadcast(l) && l.size > 0 && injective(operation, filterZeros(l), steps);
}

/** Gives the greatest common divisor of two numbers of 0 or more. */
export function gcd(a: number, b: number): number {
  let x = a;
  let y = b;
  while (y !== 0) {
    const rest = x % y;
    x = y;
    y = rest;
  }
  return x;
}

/**
 * Counts how many coordinates share each index of a target shape, when strides prove that it is the same number for all.
 *
 * The leaves of a stride other than 0 must be, in order of stride, a compact layout that fills exactly the target; the
 * product of the extents of stride 0 is then the answer (LA-35). Anything else is `undefined`, also where counting would
 * show a number: sound, not complete, and it never enumerates. An empty layout gives 0.
 *
 * @throws TypeError, LayoutError as `layout` for the shape.
 * @example
 * ```ts
 * import { layout } from "@sw/layout";
 * import { uniformPreimageExtent } from "@sw/layout/algebra";
 * console.log(uniformPreimageExtent(layout([4, 3, 2], [1, 0, 4]), [8])); // 3
 * ```
 * @since 0.1.0
 */
export function uniformPreimageExtent(l: Layout, target: Shape): number | undefined {
  requireLayout("uniformPreimageExtent", l);
  const targetSize = checkedSize("uniformPreimageExtent", copyShape("uniformPreimageExtent", target));
  if (l.size === 0) return 0;
  if (minIndex(l) < 0) return undefined;
  let repeats = 1;
  let next = 1;
  for (const [extent, stride] of sortedByStride(l)) {
    if (stride === 0) repeats *= extent;
    else if (stride === next) next *= extent;
    else return undefined;
  }
  return next === targetSize ? repeats : undefined;
}
