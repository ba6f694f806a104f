/**
 * The free ranges of an address space, in order of address and never adjacent: neighbours join
 * when one of them is added. Plain numbers throughout, so addresses beyond 2³¹ stay what they are.
 */
export class FreeRanges {
  readonly starts: number[];
  readonly lengths: number[];

  constructor() {
    this.starts = [];
    this.lengths = [];
  }

  /** Takes `length` bytes from the smallest range that has them, the lowest of equals. Returns -1 when none has. */
  take(length: number): number {
    const { starts, lengths } = this;
    let best = -1;
    let bestLength = Number.POSITIVE_INFINITY;
    for (let i = 0; i < lengths.length; i += 1) {
      const candidate = lengths[i]!;
      if (candidate < length || candidate >= bestLength) continue;
      best = i;
      bestLength = candidate;
      if (candidate === length) break;
    }
    if (best < 0) return -1;
    const start = starts[best]!;
    if (bestLength === length) {
      starts.splice(best, 1);
      lengths.splice(best, 1);
    } else {
      starts[best] = start + length;
      lengths[best] = bestLength - length;
    }
    return start;
  }

  /** Adds a range that was not free, and joins it with the ranges on either side. */
  add(start: number, length: number): void {
    const { starts, lengths } = this;
    const after = this.after(start);
    const joinsNext = after < starts.length && start + length === starts[after];
    const joinsPrevious = after > 0 && starts[after - 1]! + lengths[after - 1]! === start;
    if (joinsPrevious) {
      lengths[after - 1]! += length;
      if (!joinsNext) return;
      lengths[after - 1]! += lengths[after]!;
      starts.splice(after, 1);
      lengths.splice(after, 1);
    } else if (joinsNext) {
      starts[after] = start;
      lengths[after]! += length;
    } else {
      starts.splice(after, 0, start);
      lengths.splice(after, 0, length);
    }
  }

  /** How many bytes are free just before an address. */
  freeBefore(address: number): number {
    const last = this.after(address) - 1;
    if (last < 0 || this.starts[last]! + this.lengths[last]! !== address) return 0;
    return this.lengths[last]!;
  }

  /** The number of ranges that start below an address. */
  after(address: number): number {
    let low = 0;
    let high = this.starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.starts[middle]! < address) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
