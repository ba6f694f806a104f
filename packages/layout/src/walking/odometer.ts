import type { Layout } from "../layout.js";
import { type Runs, runsOf, type WalkOptions } from "./runs.js";

/**
 * A walk that its owner may leave and take up again, by elements or by runs; it begins before the first element.
 *
 * The lists are written over as the walk goes on: do not change them, nor keep their contents.
 * @since 0.1.0
 */
export interface Odometer {
  /** The index in the first layout. */
  readonly index: number;
  /** The index in each layout. */
  readonly indices: readonly number[];
  /** What the next element of the run adds to the index in each layout; of no meaning in a run of one. */
  readonly steps: readonly number[];
  /** The elements that the last step took: 1, or those of a run; 0 before the first and after the last. */
  readonly count: number;
  /** Goes to the next element, by one sum for each layout; false after the last, then and from then on. */
  next(): boolean;
  /** Goes to the next element and takes with it all that follow it in its run: `count` elements, `steps` apart. */
  nextRun(): boolean;
  /** Goes back to before the first element. */
  reset(): void;
}

class RunOdometer implements Odometer {
  readonly indices: number[];
  readonly steps: readonly number[];
  count = 0;
  private readonly runs: Runs;
  /** The elements of the run that are still ahead. */
  private left = 0;

  constructor(runs: Runs) {
    this.runs = runs;
    this.indices = runs.starts.map(() => 0);
    this.steps = runs.steps;
  }

  get index(): number {
    return this.indices[0] ?? 0;
  }

  next(): boolean {
    if (this.left === 0) return this.enterRun();
    this.left--;
    const { indices, steps } = this;
    for (let k = 0; k < indices.length; k++) indices[k] = indices[k]! + steps[k]!;
    return true;
  }

  nextRun(): boolean {
    if (!this.next()) return false;
    this.count = this.left + 1;
    this.left = 0;
    return true;
  }

  reset(): void {
    this.runs.reset();
    this.left = 0;
    this.count = 0;
  }

  private enterRun(): boolean {
    const { indices, runs } = this;
    this.count = runs.next() ? 1 : 0;
    if (this.count === 0) return false;
    for (let k = 0; k < indices.length; k++) indices[k] = runs.starts[k]!;
    this.left = runs.count - 1;
    return true;
  }
}

/**
 * Makes an odometer for layouts of equal axes, which it takes in lock-step; the order and the rest are those of `forEachRun`.
 *
 * By elements it is a few times slower than loops written by hand: where that counts, take runs, here or by `forEachRun`.
 *
 * @throws TypeError for what is no list of layouts or no order; LayoutError `SW_LAYOUT_SHAPES_DIFFER` when the extents of
 * an axis differ.
 * @example
 * ```ts
 * import { columnMajor, rowMajor } from "@sw/layout";
 * import { odometer } from "@sw/layout/walk";
 * const walk = odometer([columnMajor([2, 2]), rowMajor([2, 2])], { order: "rowMajor" });
 * while (walk.next()) console.log(walk.indices);
 * // [ 0, 0 ]
 * // [ 2, 1 ]
 * // [ 1, 2 ]
 * // [ 3, 3 ]
 * ```
 * @since 0.1.0
 */
export function odometer(layouts: readonly Layout[], options: WalkOptions = {}): Odometer {
  return new RunOdometer(runsOf("odometer", layouts, options));
}
