import { joined } from "./loops.js";

/** Where an operand lies, with its steps in bytes. */
export interface Side {
  readonly at: number;
  readonly steps: readonly number[];
}

/** The loops that two operands have in common, outermost first, as few as they can be. */
export interface Nest {
  readonly extents: readonly number[];
  readonly to: Side;
  readonly from: Side;
}

/**
 * Brings the loops of two operands of one shape into the order of the target's steps, which are made positive, and joins
 * what both have in a row; loops of extent 1 are left out. `undefined` where there are no elements.
 */
export function nestOf(shape: readonly number[], to: Side, from: Side): Nest | undefined {
  let [toAt, fromAt] = [to.at, from.at];
  const loops: { extent: number; to: number; from: number }[] = [];
  for (let axis = 0; axis < shape.length; axis++) {
    const extent = shape[axis]!;
    if (extent === 0) return undefined;
    if (extent === 1) continue;
    const loop = { extent, to: to.steps[axis]!, from: from.steps[axis]! };
    if (loop.to < 0) {
      toAt += (extent - 1) * loop.to;
      fromAt += (extent - 1) * loop.from;
      loop.to = -loop.to;
      loop.from = -loop.from;
    }
    loops.push(loop);
  }
  loops.sort((a, b) => b.to - a.to || Math.abs(b.from) - Math.abs(a.from));
  const fewest = joined(loops);
  return {
    extents: fewest.map(({ extent }) => extent),
    to: { at: toAt, steps: fewest.map((loop) => loop.to) },
    from: { at: fromAt, steps: fewest.map((loop) => loop.from) },
  };
}

/** Calls `visit` with the addresses of both sides at every turn of the loops other than the two given ones; −1 is none. */
export function eachTurn(
  { extents, to, from }: Nest,
  inner: number,
  row: number,
  visit: (to: number, from: number) => void,
): void {
  const counter = new Array<number>(extents.length).fill(0);
  let [toAt, fromAt] = [to.at, from.at];
  let loop: number;
  do {
    visit(toAt, fromAt);
    for (loop = extents.length - 1; loop >= 0; loop--) {
      if (loop === inner || loop === row) continue;
      const count = counter[loop]! + 1;
      const turned = count === extents[loop]!;
      const steps = turned ? 1 - count : 1;
      toAt += steps * to.steps[loop]!;
      fromAt += steps * from.steps[loop]!;
      counter[loop] = turned ? 0 : count;
      if (!turned) break;
    }
  } while (loop >= 0);
}

/** The longest loop but the given one, or −1. */
export function longestLoop(extents: readonly number[], but: number): number {
  let longest = -1;
  for (let loop = 0; loop < extents.length; loop++) {
    if (loop !== but && (longest < 0 || extents[loop]! > extents[longest]!)) longest = loop;
  }
  return longest;
}
