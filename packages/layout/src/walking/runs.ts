import { describe } from "../errors.js";
import { type Layout, requireLayout } from "../layout.js";
import { commonLoops } from "../refine.js";
import { requireList } from "../tree.js";
import { Joined } from "./joined.js";
import { LockStep } from "./lock-step.js";
import { Nest } from "./nest.js";

/** How layouts are walked. @since 0.1.0 */
export interface WalkOptions {
  /**
   * The order of the elements. `"fastest"`, the default: the loop of the largest stride outermost, as `refine` orders them,
   * so that memory is met from one end to the other. `"rowMajor"`: axes in order, the first leaf of an axis the fastest.
   */
  readonly order?: "fastest" | "rowMajor";
}

/** A walk through layouts in lock-step, one run of constant steps after another. It begins before the first. */
export interface Runs {
  /** The index of each layout at the start of the run. One list, written over. */
  readonly starts: readonly number[];
  /** What the next element of the run adds to each index; of no meaning in a run of one. One list, written over. */
  readonly steps: readonly number[];
  /** The elements of the run; 0 before the first and after the last. */
  readonly count: number;
  /** Goes to the next run; false when there is none, then and from then on. */
  next(): boolean;
  /** Goes back to before the first run. */
  reset(): void;
}

/** Plans the walk of layouts of equal axes, by the longest runs: no two that follow each other could be one. */
export function runsOf(operation: string, layouts: readonly Layout[], options: WalkOptions): Runs {
  requireList(operation, "layouts", layouts);
  for (let k = 0; k < layouts.length; k++) requireLayout(operation, layouts[k]);
  const sorted = readOrder(operation, options) === "fastest";
  if (layouts.length === 0) return new Nest({ extents: [0], strides: [] });
  const common = commonLoops(operation, layouts, sorted);
  if (common === undefined) {
    // Alone, each layout has a nest; row-major is an order that all of them can keep.
    return new Joined(new LockStep(layouts.map((l) => new Nest(commonLoops(operation, [l], false)!))));
  }
  const nest = new Nest(common);
  return nest.mayJoin ? new Joined(nest) : nest;
}

function readOrder(operation: string, options: WalkOptions): "fastest" | "rowMajor" {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`${operation}: options are not an object: got ${describe(options)}, expected { order }.`);
  }
  const { order = "fastest" } = options;
  if (order !== "fastest" && order !== "rowMajor") {
    throw new TypeError(`${operation}: order is unknown: got ${describe(order)}, expected "fastest" or "rowMajor".`);
  }
  return order;
}
