import type { Runs } from "./runs.js";

/** A walk of which runs that continue each other are one run. */
export class Joined implements Runs {
  readonly starts: number[];
  readonly steps: number[];
  count = 0;
  /** The walk, one run ahead. */
  private readonly ahead: Runs;
  private isFresh = true;

  constructor(walk: Runs) {
    this.ahead = walk;
    this.starts = walk.starts.map(() => 0);
    this.steps = walk.steps.map(() => 0);
  }

  next(): boolean {
    const { ahead, starts, steps } = this;
    if (this.isFresh) ahead.next();
    this.isFresh = false;
    this.count = ahead.count;
    if (this.count === 0) return false;
    for (let k = 0; k < starts.length; k++) {
      starts[k] = ahead.starts[k]!;
      steps[k] = ahead.steps[k]!;
    }
    while (ahead.next() && this.continues()) {
      for (let k = 0; k < steps.length; k++) steps[k] = this.stepAhead(k);
      this.count += ahead.count;
    }
    return true;
  }

  reset(): void {
    this.ahead.reset();
    this.isFresh = true;
    this.count = 0;
  }

  /** Whether this run and the one ahead are one progression in every layout. A run of one element goes with any step. */
  private continues(): boolean {
    for (let k = 0; k < this.starts.length; k++) {
      const step = this.stepAhead(k);
      if (this.count > 1 && step !== this.steps[k]) return false;
      if (this.ahead.count > 1 && step !== this.ahead.steps[k]) return false;
    }
    return true;
  }

  /** From the last element of this run to the first of the one ahead. */
  private stepAhead(k: number): number {
    return this.ahead.starts[k]! - (this.starts[k]! + this.steps[k]! * (this.count - 1));
  }
}
