import { HurrayLimitError } from "../errors.js";

/** A box in the coordinates of its parent. */
export interface Box {
  readonly offset: readonly bigint[];
  readonly shape: readonly bigint[];
}

/** What boxes do to their parent: cover it once everywhere, cover something twice, or leave something out. */
export type Cover = "exact" | "overlap" | "gap";

/**
 * Tells whether boxes inside a parent cover it exactly (R118, R119, R166).
 *
 * A set of boxes is written as the sum of its signed corners: + or − at each of the 2^rank corners of a box, as
 * the number of upper ends is even or odd. The sum says how often each place is covered, and says it once: boxes
 * cover the parent exactly when their corners and the parent's cancel. So no pair of boxes is ever compared. The
 * corners are made axis by axis and cancel on the way, so that a grid of boxes takes work linear in its boxes.
 *
 * Boxes without elements have no corners; they are held to the format's formula, pair by pair.
 *
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` when it takes more than `maximumSteps` corners or pairs.
 */
export function coverOf(
  parent: readonly bigint[],
  boxes: readonly Box[],
  maximumSteps: number,
  operation: string,
): Cover {
  let steps = 0;
  const step = (): void => {
    if (++steps <= maximumSteps) return;
    const advice = "Allow more steps, if the composite is to be trusted.";
    throw new HurrayLimitError(
      operation,
      "the work to check a cover",
      BigInt(steps),
      `at most ${maximumSteps} steps`,
      advice,
    );
  };
  const full = boxes.filter((box) => volume(box.shape) > 0n);
  for (const empty of boxes) {
    if (volume(empty.shape) > 0n) continue;
    for (const box of boxes) {
      step();
      if (box !== empty && overlap(empty, box)) return "overlap";
    }
  }
  const whole: Box = { offset: parent.map(() => 0n), shape: parent };
  const signed = [...full.map((box) => ({ box, sign: 1 })), ...(volume(parent) > 0n ? [{ box: whole, sign: -1 }] : [])];
  if (cancel(signed, parent, step)) return "exact";
  const covered = full.reduce((sum, box) => sum + volume(box.shape), 0n);
  return covered < volume(parent) ? "gap" : "overlap";
}

/** A corner in the making: ends are chosen on the axes so far, the box still speaks for the others. */
interface Corner {
  /** Stands for the ends chosen so far. */
  readonly chosen: number;
  /** Stands for what the box is on the axes from each one on. */
  readonly rest: readonly number[];
  readonly box: Box;
  sign: number;
}

/** Tells whether the signed corners of boxes cancel. */
function cancel(
  signed: readonly { readonly box: Box; readonly sign: number }[],
  parent: readonly bigint[],
  step: () => void,
): boolean {
  // An axis that every box spans multiplies all corners alike.
  const axes = parent
    .map((_, axis) => axis)
    .filter((axis) => signed.some(({ box }) => box.shape[axis] !== parent[axis]));
  const rests = axes.map(() => numbering());
  const start = signed.map(({ box, sign }): Corner => {
    const rest = new Array<number>(axes.length + 1).fill(0);
    for (let k = axes.length - 1; k >= 0; k--) {
      step();
      rest[k] = rests[k]!(`${box.offset[axes[k]!]},${box.shape[axes[k]!]},${rest[k + 1]}`);
    }
    return { box, sign, chosen: 0, rest };
  });
  let corners = merge(start, 0);
  axes.forEach((axis, k) => {
    const choose = numbering();
    const next: Corner[] = [];
    for (const { box, sign, chosen, rest } of corners) {
      step();
      const lower = box.offset[axis]!;
      const upper = lower + box.shape[axis]!;
      next.push({ box, rest, sign, chosen: choose(`${chosen},${lower}`) });
      next.push({ box, rest, sign: -sign, chosen: choose(`${chosen},${upper}`) });
    }
    corners = merge(next, k + 1);
  });
  return corners.length === 0;
}

/** Adds up the corners that agree in the ends chosen and in all axes from the `k`-th on. */
function merge(corners: readonly Corner[], k: number): Corner[] {
  const merged = new Map<string, Corner>();
  for (const corner of corners) {
    const key = `${corner.chosen},${corner.rest[k]}`;
    const same = merged.get(key);
    if (same === undefined) merged.set(key, { ...corner });
    else same.sign += corner.sign;
  }
  return [...merged.values()].filter(({ sign }) => sign !== 0);
}

/** Gives different texts different numbers. */
function numbering(): (text: string) => number {
  const numbers = new Map<string, number>();
  return (text) => {
    const number = numbers.get(text) ?? numbers.size;
    numbers.set(text, number);
    return number;
  };
}

/** The format's words: in every dimension each one starts before the other ends. */
function overlap(a: Box, b: Box): boolean {
  return a.offset.every((offset, k) => {
    const other = b.offset[k]!;
    return offset < other + b.shape[k]! && other < offset + a.shape[k]!;
  });
}

function volume(shape: readonly bigint[]): bigint {
  let product = 1n;
  for (const extent of shape) product *= extent;
  return product;
}
