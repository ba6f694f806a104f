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

/** What all layouts of a level have until a view of them is made. Nothing is ever written into these. */
const NOTHING_YET: readonly LastViews[] = /* @__PURE__ */ [0, 1, 2, DEEPEST].map((level) => new LastViews(level));

/** What a layout starts with. */
export const NO_VIEWS: LastViews = NOTHING_YET[0] as LastViews;
/** What a layout has that remembers nothing. */
export const NEVER_VIEWS: LastViews = NOTHING_YET[DEEPEST] as LastViews;

/** What a layout may write into that has this; `undefined` where it is to remember nothing. */
export function writable(last: LastViews): LastViews | undefined {
  if (last !== NOTHING_YET[last.level]) return last;
  return last.level === DEEPEST ? undefined : new LastViews(last.level);
}

/** What a remembered view of a layout starts with that has this. */
export function startOfView(last: LastViews): LastViews {
  return NOTHING_YET[last.level + 1] as LastViews;
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
    const axis = order[j]!;
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
