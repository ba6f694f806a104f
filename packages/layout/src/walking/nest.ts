import type { Loops } from "../refine.js";
import type { VisitRun } from "./for-each-run.js";
import type { Runs } from "./runs.js";

/**
 * Gives for each loop what an index changes by when that loop steps and all loops inside it start over: Candela's
 * `adj_stride`, outermost first.
 */
export function adjacentOf(extents: readonly number[], strides: readonly number[]): number[] {
  const out = extents.map(() => 0);
  let walked = 0;
  for (let d = extents.length - 1; d >= 0; d--) {
    out[d] = strides[d]! - walked;
    walked += strides[d]! * (extents[d]! - 1);
  }
  return out;
}

/** The odometer of one nest of loops: a run is its innermost loop, and the next run one sum away for each layout. */
export class Nest implements Runs {
  readonly starts: number[] = [];
  readonly steps: number[] = [];
  count = 0;
  /** Whether some run continues the one before it in all layouts. */
  readonly mayJoin: boolean;
  /** The loops around the innermost one, and where each of them is. */
  private readonly outer: number[];
  private readonly counters: number[];
  /** The extent of the innermost loop; 0 when another is 0. */
  private readonly run: number;
  /** For each outer loop, what its step changes the start of the run by, in each layout: one list for all. */
  private readonly jumps: number[] = [];
  private isFresh = true;

  constructor({ extents, strides }: Loops) {
    const innermost = extents.length - 1;
    this.outer = extents.slice(0, -1);
    this.counters = this.outer.map(() => 0);
    this.run = extents.includes(0) ? 0 : (extents[innermost] ?? 1);
    for (const list of strides) {
      this.starts.push(0);
      this.steps.push(list[innermost] ?? 0);
    }
    // An adjacent stride starts from the last element of a run.
    const adjacent = strides.map((list) => adjacentOf(extents, list));
    for (let d = 0; d < innermost; d++) {
      for (let k = 0; k < strides.length; k++) this.jumps.push(adjacent[k]![d]! + this.steps[k]! * (this.run - 1));
    }
    this.mayJoin = this.outer.some((_, d) => adjacent.every((list, k) => list[d] === this.steps[k]));
  }

  next(): boolean {
    if (this.isFresh) {
      this.isFresh = false;
      this.count = this.run;
      return this.count > 0;
    }
    const { outer, counters, starts, jumps } = this;
    let d = outer.length - 1;
    while (d >= 0 && counters[d] === outer[d]! - 1) counters[d--] = 0;
    if (d < 0 || this.count === 0) {
      this.count = 0;
      return false;
    }
    counters[d] = counters[d]! + 1;
    for (let k = 0, at = d * starts.length; k < starts.length; k++, at++) starts[k] = starts[k]! + jumps[at]!;
    return true;
  }

  /** Calls `visit` for the runs that are left. The loop around the runs is written out: it is nearly all of the work. */
  forEach(visit: VisitRun): void {
    const { outer, counters, starts, steps, jumps } = this;
    const last = outer.length - 1;
    const at = last * starts.length;
    while (this.next()) {
      visit(starts, steps, this.count);
      if (last < 0) continue;
      for (let i = counters[last]! + 1; i < outer[last]!; i++) {
        counters[last] = i;
        for (let k = 0; k < starts.length; k++) starts[k] = starts[k]! + jumps[at + k]!;
        visit(starts, steps, this.count);
      }
    }
  }

  reset(): void {
    this.isFresh = true;
    this.count = 0;
    this.counters.fill(0);
    this.starts.fill(0);
  }
}
