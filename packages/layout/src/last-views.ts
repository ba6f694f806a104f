import type { Layout } from "./layout.js";

/**
 * The views that were made of a layout last, one of each kind. Programs ask for the same views again and again, each
 * time at another place: a start is no part of what is remembered where it can differ.
 */
export class LastViews {
  /** Twice the number of remembered views that led to the layout, and one more when a view was made of it. */
  readonly level: number;
  permuted: Layout | undefined = undefined;
  /** The order as {@link orderCode} writes it. */
  orderCode = -1;
  sliced: Layout | undefined = undefined;
  sliceAxis = -1;
  sliceExtent = -1;
  sliceStep = -1;
  selected: Layout | undefined = undefined;
  selectAxis = -1;
  /** Its shape is what was asked for. */
  reshaped: Layout | undefined = undefined;

  constructor(level: number) {
    this.level = level;
  }
}

/**
 * What all layouts of a level have that remember nothing, and into which nothing is written. The last level never will:
 * of a chain of ever smaller slices no more than three links are kept alive.
 */
const EMPTY: readonly LastViews[] = /* @__PURE__ */ [0, 1, 2, 3, 4, 5, 6].map((level) => new LastViews(level));

/** What a layout starts with. */
export const NO_VIEWS: LastViews = EMPTY[0]!;
/** What a layout has that remembers nothing. */
export const NEVER_VIEWS: LastViews = EMPTY[6]!;

/** Whether it belongs to one layout, and may be written into. */
export function isOwn(last: LastViews): boolean {
  return last !== EMPTY[last.level];
}

/**
 * What a layout has after a view was made of it. Only at the second one does it begin to remember: many a layout is
 * viewed once, and pays nothing.
 */
export function afterView(last: LastViews): LastViews {
  const { level } = last;
  if (isOwn(last) || last === NEVER_VIEWS) return last;
  return level % 2 === 0 ? EMPTY[level + 1]! : new LastViews(level);
}

/** What a remembered view of a layout starts with that has this. */
export function startOfView(last: LastViews): LastViews {
  return EMPTY[last.level + 1]!;
}

/**
 * A permutation of up to eight axes as one number, three bits an axis, which is compared and kept without a list; -1
 * for any other list.
 */
export function orderCode(order: readonly number[], rank: number): number {
  if (order.length !== rank || rank > 8) return -1;
  let code = 0;
  let seen = 0;
  for (let j = 0; j < rank; j++) {
    const axis: unknown = order[j];
    if (typeof axis !== "number") return -1;
    // Exactly the integers of 0 to 7 are their own last three bits.
    if ((axis & 7) !== axis) return -1;
    code = code * 8 + axis;
    seen |= 1 << axis;
  }
  return seen === (1 << rank) - 1 ? code : -1;
}

/** Whether two lists have the same numbers. */
export function sameNumbers(a: readonly unknown[], b: readonly unknown[]): boolean {
  const length = a.length;
  if (b.length !== length) return false;
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return false;
  return true;
}
