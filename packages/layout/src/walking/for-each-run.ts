import { describe } from "../errors.js";
import type { Layout } from "../layout.js";
import { Nest } from "./nest.js";
import { runsOf, type WalkOptions } from "./runs.js";

/**
 * What a walk calls for each run: element i of it, for i from 0 to count - 1, is at `starts[k] + i * steps[k]` in layout k.
 * In a run of one element the steps mean nothing. The lists are written over for the next run: do not keep or change them.
 *
 * @since 0.1.0
 */
export type VisitRun = (starts: readonly number[], steps: readonly number[], count: number) => void;

/**
 * Walks layouts of equal axes in lock-step, by the longest runs of constant steps: no two calls in a row could be one.
 *
 * Axes may nest differently in each layout; no layout is expanded (use `expandTo` before). Loops that continue each other in
 * every layout are merged. An empty layout has no run, neither has an empty list; rank 0 has a run of one element.
 * Nests without a common refinement are walked row-major, whatever the order asked for. Allocates a few short lists.
 *
 * @throws TypeError for what is no list of layouts, no function or no order; LayoutError `SW_LAYOUT_SHAPES_DIFFER` when the
 * extents of an axis differ.
 * @example
 * ```ts
 * import { columnMajor, rowMajor } from "@sw/layout";
 * import { forEachRun } from "@sw/layout/walk";
 * forEachRun([rowMajor([2, 3]), columnMajor([2, 3])], (starts, steps, count) => {
 *   console.log(starts, steps, count);
 * });
 * // [ 0, 0 ] [ 1, 2 ] 3
 * // [ 3, 1 ] [ 1, 2 ] 3
 * ```
 * @since 0.1.0
 */
export function forEachRun(layouts: readonly Layout[], visit: VisitRun, options: WalkOptions = {}): void {
  const runs = runsOf("forEachRun", layouts, options);
  if (typeof visit !== "function") {
    throw new TypeError(
      `forEachRun: visit is not a function: got ${describe(visit)}, expected (starts, steps, count).`,
    );
  }
  if (runs instanceof Nest) runs.forEach(visit);
  else while (runs.next()) visit(runs.starts, runs.steps, runs.count);
}
