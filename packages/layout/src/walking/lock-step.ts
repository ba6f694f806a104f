import type { Runs } from "./runs.js";

/**
 * Walks of equal size, one layout each, taken together where their nests have nothing in common: each keeps its own
 * counters, and a run is what is left of the shortest of theirs.
 */
export class LockStep implements Runs {
  readonly starts: number[];
  readonly steps: number[];
  count = 0;
  private readonly walks: readonly Runs[];
  /** For each walk, the elements of its run from the present start on. */
  private readonly left: number[];
  private isFresh = true;

  constructor(walks: readonly Runs[]) {
    this.walks = walks;
    this.starts = walks.map(() => 0);
    this.steps = walks.map((walk) => walk.steps[0]!);
    this.left = walks.map(() => 0);
  }

  next(): boolean {
    const { walks, starts, steps, left, count } = this;
    const isAtEnd = count === 0 && !this.isFresh;
    this.isFresh = false;
    this.count = 0;
    if (isAtEnd) return false;
    let shortest = Number.POSITIVE_INFINITY;
    for (let k = 0; k < walks.length; k++) {
      const walk = walks[k]!;
      left[k] = left[k]! - count;
      if (left[k]! > 0) starts[k] = starts[k]! + steps[k]! * count;
      else {
        if (!walk.next()) return false; // and so would the others
        starts[k] = walk.starts[0]!;
        left[k] = walk.count;
      }
      shortest = Math.min(shortest, left[k]!);
    }
    this.count = shortest;
    return true;
  }

  reset(): void {
    for (const walk of this.walks) walk.reset();
    this.left.fill(0);
    this.isFresh = true;
    this.count = 0;
  }
}
