import { LayoutError, notAnInteger, unsafe } from "../errors.js";
import { layout } from "../layout.js";
import { formatShape } from "../tree.js";
import { type IndexMapContract, MapValue } from "./index-map.js";
import { asMap, type LayoutMap } from "./layout-map.js";

/** A Hilbert curve: consecutive indices are neighbours. @since 0.1.0 */
export interface HilbertCurve extends IndexMapContract {
  readonly kind: "hilbert";
  /** The bits of a coordinate: the extent of each axis is `2 ** order`. */
  readonly order: number;
  /** The number of axes. */
  readonly rank: number;
}

class HilbertCurveValue extends MapValue implements HilbertCurve {
  readonly kind = "hilbert";
  readonly order: number;
  readonly rank: number;
  /** The coordinate at hand, so that an index allocates nothing. */
  readonly scratch: Int32Array;

  constructor(order: number, rank: number) {
    const size = 2 ** (order * rank);
    super(new Array<number>(rank).fill(2 ** order), size, size);
    this.order = order;
    this.rank = rank;
    this.scratch = new Int32Array(rank);
  }

  protected at(ordinal: number): number {
    const { order, rank, scratch } = this;
    const extent = 2 ** order;
    let rest = ordinal;
    for (let d = 0; d < rank; d++) {
      const x = rest % extent;
      scratch[d] = x;
      rest = (rest - x) / extent;
    }
    transpose(scratch, order);
    let index = 0;
    for (let b = order - 1; b >= 0; b--) for (let d = 0; d < rank; d++) index = 2 * index + ((scratch[d]! >> b) & 1);
    return index;
  }

  toString(): string {
    return `hilbert of ${formatShape(this.shape)}`;
  }
}

/**
 * Makes the Hilbert curve through `rank` axes of extent `2 ** order`: bijective, and consecutive indices are neighbours.
 *
 * It is Skilling's curve, which the Hurray format stores; with two axes it is the usual one (`xy2d` with x = axis 0). The
 * curve of one axis is the identity layout.
 *
 * @throws TypeError for what is not an integer; LayoutError `SW_LAYOUT_BITS` for an order or rank below 1,
 * `SW_LAYOUT_UNSAFE_INTEGER` when `order * rank` passes 52.
 * @example
 * ```ts
 * import { hilbert } from "@sw/layout/maps";
 * const h = hilbert(2, 2);
 * console.log([0, 1, 2, 3].map((j) => h.index([0, j]))); // [ 0, 3, 4, 5 ]
 * ```
 * @since 0.1.0
 */
export function hilbert(order: number, rank: number): HilbertCurve | LayoutMap {
  requireCurve("hilbert", order, rank);
  return rank === 1 ? asMap(layout([2 ** order])) : new HilbertCurveValue(order, rank);
}

/**
 * Gives the coordinate at an index of the Hilbert curve; the inverse of `hilbert(order, rank).index`.
 *
 * @throws TypeError, LayoutError as `hilbert`, and `SW_LAYOUT_COORDINATE` for an index outside the curve.
 * @example
 * ```ts
 * import { hilbertCoordinate } from "@sw/layout/maps";
 * console.log(hilbertCoordinate(2, 2, 5)); // [ 0, 3 ]
 * ```
 * @since 0.1.0
 */
export function hilbertCoordinate(order: number, rank: number, index: number): number[] {
  requireCurve("hilbertCoordinate", order, rank);
  if (!Number.isInteger(index)) throw notAnInteger("hilbertCoordinate", "index", index);
  const size = 2 ** (order * rank);
  if (index < 0 || index >= size) {
    const problem = `index is outside the curve: got ${index}, expected 0 to ${size - 1}.`;
    throw new LayoutError("SW_LAYOUT_COORDINATE", "hilbertCoordinate", problem, { value: index });
  }
  if (rank === 1) return [index + 0];
  const x = new Int32Array(rank);
  let rest = index;
  for (let b = 0; b < order; b++) {
    for (let d = rank - 1; d >= 0; d--) {
      const bit = rest % 2;
      x[d] = x[d]! | (bit << b);
      rest = (rest - bit) / 2;
    }
  }
  untranspose(x, order);
  return [...x];
}

function requireCurve(operation: string, order: number, rank: number): void {
  if (!Number.isInteger(order)) throw notAnInteger(operation, "order", order);
  if (!Number.isInteger(rank)) throw notAnInteger(operation, "rank", rank);
  if (order < 1 || rank < 1) {
    const [what, value] = order < 1 ? ["order", order] : ["rank", rank];
    const problem = `${what} is out of range: got ${value}, expected 1 or more.`;
    throw new LayoutError("SW_LAYOUT_BITS", operation, problem, { value: value as number });
  }
  if (order * rank > 52) throw unsafe(operation, "the size", 2 ** (order * rank));
}

// Skilling's transform, "Programming the Hilbert curve" (2004), between a coordinate and the transposed index: bit b of
// x[d] is bit b * rank + rank - 1 - d of the index. With two axes or more a coordinate has at most 26 bits, so 32-bit
// operators are exact.

/** From a coordinate to the transposed index, in place. */
function transpose(x: Int32Array, order: number): void {
  const last = x.length - 1;
  for (let b = order - 1; b >= 1; b--) for (let i = 0; i <= last; i++) turn(x, i, b);
  for (let i = 1; i <= last; i++) x[i] = x[i]! ^ x[i - 1]!; // Gray code
  let flips = 0;
  for (let b = order - 1; b >= 1; b--) if ((x[last]! >> b) & 1) flips ^= (1 << b) - 1;
  for (let i = 0; i <= last; i++) x[i] = x[i]! ^ flips;
}

/** From the transposed index to a coordinate, in place. */
function untranspose(x: Int32Array, order: number): void {
  const last = x.length - 1;
  const carry = x[last]! >> 1;
  for (let i = last; i >= 1; i--) x[i] = x[i]! ^ x[i - 1]!;
  x[0] = x[0]! ^ carry;
  for (let b = 1; b < order; b++) for (let i = last; i >= 0; i--) turn(x, i, b);
}

/** Below bit b: inverts axis 0 where that bit of axis i is set, swaps axes 0 and i where it is not. Its own inverse. */
function turn(x: Int32Array, i: number, b: number): void {
  const low = (1 << b) - 1;
  if ((x[i]! >> b) & 1) {
    x[0] = x[0]! ^ low;
  } else {
    const difference = (x[0]! ^ x[i]!) & low;
    x[0] = x[0]! ^ difference;
    x[i] = x[i]! ^ difference;
  }
}
