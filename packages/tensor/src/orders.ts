// The orders of axes that views ask for by name. Each list is made once: to make it anew costs as much as a view.

const REVERSED = new Map<number, readonly number[]>();
const SWAPPED = new Map<number, readonly number[]>();

/** All axes, last to first. */
export function reversed(rank: number): readonly number[] {
  return REVERSED.get(rank) ?? kept(REVERSED, rank, rank, (axis) => rank - 1 - axis);
}

/** All axes in order, but two of them in each other's place. */
export function swapped(rank: number, a: number, b: number): readonly number[] {
  const key = (rank * 8 + a) * 8 + b;
  return SWAPPED.get(key) ?? kept(SWAPPED, key, rank, (axis) => (axis === a ? b : axis === b ? a : axis));
}

function kept(
  orders: Map<number, readonly number[]>,
  key: number,
  rank: number,
  at: (axis: number) => number,
): readonly number[] {
  const order = Array.from({ length: rank }, (_, axis) => at(axis));
  orders.set(key, order);
  return order;
}
