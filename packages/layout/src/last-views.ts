import type { Layout } from "./layout.js";

/** So many views of views are remembered in a row: of a chain of ever smaller slices no more links are kept alive. */
const DEEPEST = 3;

/**
 * The views that were made of a layout last, one of each kind. Programs ask for the same views again and again, each
 * time at another place: a start is no part of what is remembered where it can differ.
 */
export class LastViews {
  /** How many remembered views led to the layout. */
  readonly level: number;
  /** Whether it belongs to one layout; nothing is ever written into another. */
  readonly isOwn: boolean;
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

  constructor(level: number, isOwn: boolean) {
    this.level = level;
    this.isOwn = isOwn;
  }
}

/** What all layouts of a level have that no view was made of, and those that one was made of. */
const NO_VIEW: readonly LastViews[] = /* @__PURE__ */ [0, 1, 2, DEEPEST].map((level) => new LastViews(level, false));
const ONE_VIEW: readonly LastViews[] = /* @__PURE__ */ [0, 1, 2].map((level) => new LastViews(level, false));

/** What a layout starts with. */
export const NO_VIEWS: LastViews = NO_VIEW[0] as LastViews;
/** What a layout has that remembers nothing. */
export const NEVER_VIEWS: LastViews = NO_VIEW[DEEPEST] as LastViews;

/**
 * What a layout has after a view was made of it. Only at the second one does it begin to remember: many a layout is
 * viewed once, and pays nothing.
 */
export function afterView(last: LastViews): LastViews {
  if (last.isOwn || last === NEVER_VIEWS) return last;
  return last === NO_VIEW[last.level] ? (ONE_VIEW[last.level] as LastViews) : new LastViews(last.level, true);
}

/** What a remembered view of a layout starts with that has this. */
export function startOfView(last: LastViews): LastViews {
  return NO_VIEW[last.level + 1] as LastViews;
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
