import { coalescedAxes, type FlatAxis } from "./axis-leaves.js";
import { LayoutError, notAnInteger } from "./errors.js";
import { extents, formatLayout, type Layout, requireLayout, trusted } from "./layout.js";
import { formatShape, type IntTree, requireList } from "./tree.js";

/** One piece of a box: plain, which a padded box as a whole need not be. @since 0.1.0 */
export interface BoxPart {
  /** Its first coordinate in the box, one number per axis. */
  readonly start: readonly number[];
  /** Its extents, one number per axis. */
  readonly extents: readonly number[];
  /** Its layout, of these extents. */
  readonly layout: Layout;
  /** The index of its first coordinate in the layout of the whole. */
  readonly offset: number;
}

/** One piece of one axis. */
interface Piece {
  readonly start: number;
  readonly extent: number;
  readonly shape: IntTree;
  readonly stride: IntTree;
  readonly offset: number;
}

/**
 * Cuts a box, whose first coordinate is that of a layout, into pieces that are layouts themselves (spine 4).
 *
 * A padded layout has more coordinates than are meant, and a part of a nested axis is no layout: the digits of its
 * extent in the radix of its leaves cut it into at most one piece per leaf. The pieces are disjoint, cover the box and
 * come in row-major order. An axis that is whole keeps its nest; an empty box has no pieces.
 *
 * @throws TypeError for what is no list of integers; LayoutError `SW_LAYOUT_BOX` for another rank, or an extent that is
 * negative or larger than that of the layout.
 * @example
 * ```ts
 * import { blocked, boxParts } from "@sw/layout";
 * for (const part of boxParts(blocked([6, 2], 0, 4), [6, 2])) console.log(part.start, String(part.layout), part.offset);
 * // [ 0, 0 ] (4,2):(1,4) 0
 * // [ 4, 0 ] (2,2):(1,4) 8
 * ```
 * @since 0.1.0
 */
export function boxParts(l: Layout, box: readonly number[]): Iterable<BoxPart> {
  requireLayout("boxParts", l);
  requireList("boxParts", "box", box);
  const domain = extents(l);
  for (const extent of box) if (!Number.isInteger(extent)) throw notAnInteger("boxParts", "an extent", extent);
  if (box.length !== domain.length) {
    throw badBox(l, box, `box and layout differ in rank: got ${formatShape(box)}, expected ${domain.length} extents`);
  }
  for (let k = 0; k < domain.length; k++) {
    if (box[k]! >= 0 && box[k]! <= domain[k]!) continue;
    throw badBox(l, box, `box leaves axis ${k}: got extent ${box[k]}, expected 0 to ${domain[k]}`, k);
  }
  const axes = coalescedAxes(l);
  const pieces = box.map((extent, k) => {
    const whole = { start: 0, extent, shape: l.shape[k]!, stride: l.stride[k]!, offset: 0 };
    return extent === domain[k] && extent > 0 ? [whole] : axisPieces(axes[k]!, extent);
  });
  return products(pieces);
}

/** The pieces of the first `extent` coordinates of an axis: a digit of each leaf, the slowest first. */
function axisPieces(axis: FlatAxis, extent: number): Piece[] {
  const pieces: Piece[] = [];
  const last = axis.extents.length - 1;
  let weight = 1;
  for (let i = 0; i < last; i++) weight *= axis.extents[i]!;
  let start = 0;
  let offset = 0;
  for (let i = last; i >= 0 && start < extent; i--) {
    const rest = (extent - start) % weight;
    const digit = (extent - start - rest) / weight;
    if (digit > 0) {
      const shape = axis.extents.slice(0, i);
      const stride = axis.strides.slice(0, i);
      if (digit > 1 || i === 0) {
        shape.push(digit);
        stride.push(axis.strides[i]!);
      }
      const isLeaf = shape.length === 1;
      pieces.push({
        start,
        extent: digit * weight,
        shape: isLeaf ? shape[0]! : shape,
        stride: isLeaf ? stride[0]! : stride,
        offset,
      });
      start += digit * weight;
      offset += digit * axis.strides[i]!;
    }
    if (i > 0) weight /= axis.extents[i - 1]!;
  }
  return pieces;
}

/** Every choice of one piece per axis, the last axis fastest. */
function* products(axes: readonly (readonly Piece[])[]): Generator<BoxPart, void, undefined> {
  if (axes.some((pieces) => pieces.length === 0)) return;
  const at = axes.map(() => 0);
  for (;;) {
    const chosen = axes.map((pieces, k) => pieces[at[k]!]!);
    yield {
      start: chosen.map((piece) => piece.start),
      extents: chosen.map((piece) => piece.extent),
      layout: trusted(
        chosen.map((piece) => piece.shape),
        chosen.map((piece) => piece.stride),
      ),
      offset: chosen.reduce((sum, piece) => sum + piece.offset, 0),
    };
    let k = axes.length - 1;
    while (k >= 0 && at[k] === axes[k]!.length - 1) at[k--] = 0;
    if (k < 0) return;
    at[k] = at[k]! + 1;
  }
}

function badBox(l: Layout, box: readonly number[], problem: string, axis?: number): LayoutError {
  const fields = { layout: l, shape: l.shape, otherShape: [...box] };
  const all = axis === undefined ? fields : { ...fields, axis, value: box[axis]! };
  return new LayoutError("SW_LAYOUT_BOX", "boxParts", `${problem} (layout ${formatLayout(l)}).`, all);
}
