import { boxParts, expandTo, indexOf, type Layout, type Located, refine, rowMajor, strided } from "@sw/layout";
import type { Operand } from "./backend.js";
import { type ArrayOf, DTYPES, type DType, type TypedArray } from "./dtype.js";
import { allocateRowMajor, derive } from "./handle.js";
import { COPY } from "./operations/specs/movement.js";
import { runLoops, runPieces } from "./run.js";
import type { Tensor } from "./tensor.js";
import { windowOf } from "./window.js";

// How the elements of a tensor are copied, padded or not. A box inside a nested layout is a few
// plain layouts (spine 4), and each of them has its window in a flat layout of the box's shape.
// The padding itself is never touched.

/** One piece of a box: where it lies in the layout that was cut, and in the flat one. */
interface Piece {
  readonly inBox: Located;
  readonly inFlat: Located;
}

function piecesOf(l: Layout, box: readonly number[], flat: Layout): Piece[] {
  const strides = flat.stride as readonly number[];
  const pieces: Piece[] = [];
  for (const { start, extents, layout, offset } of boxParts(l, box)) {
    const inFlat = { layout: strided(extents, strides), start: indexOf(flat, start) };
    pieces.push({ inBox: { layout, start: offset }, inFlat });
  }
  return pieces;
}

/** The layouts of boxes: what is found out of one is remembered with it. */
const BOXES: WeakMap<Tensor, Layout> = new WeakMap();

/** The layout of the box alone where no axis is nested, since padding is a matter of extents there; else all of it. */
export function boxLayout(t: Tensor): Layout {
  if (!t.isPadded || t.layout.depth > 1) return t.layout;
  const known = BOXES.get(t);
  if (known !== undefined) return known;
  const layout = strided(t.shape, t.layout.stride);
  BOXES.set(t, layout);
  return layout;
}

/**
 * Copies the elements of one tensor to those of another, padded or not; the source broadcasts. Of the target only the
 * box is written, and that counts as one write. Liveness, dtypes and overlap are the caller's to check.
 *
 * @throws LayoutError when the source does not broadcast to the target's shape; BufferStateError `SW_BUFFER_READ_ONLY`.
 * @since 0.1.0
 */
export function copyBox(out: Tensor, source: Tensor, operation: string): void {
  const to = withoutFlatPadding(out, operation);
  const from = withoutFlatPadding(source, operation);
  if (!to.isPadded && !from.isPadded) {
    runLoops(COPY, [to], [from]);
  } else if (to.isPadded && from.layout.depth <= 1) {
    const flat = derive(from, expandTo(from.layout, to.shape, operation), undefined, operation);
    const pieces = piecesOf(to.layout, to.shape, flat.layout);
    runPieces(
      COPY,
      to,
      pieces.map(({ inBox, inFlat }) => [derive(to, inBox), derive(flat, inFlat)] as const),
    );
  } else if (from.isPadded && to.layout.depth <= 1 && to.size === from.size && to.rank === from.rank) {
    const pieces = piecesOf(from.layout, from.shape, to.layout);
    runPieces(
      COPY,
      to,
      pieces.map(({ inBox, inFlat }) => [derive(to, inFlat), derive(from, inBox)] as const),
    );
  } else {
    // Two nests, or a padded source that is to be repeated: by way of a flat copy.
    const packed = allocateRowMajor(from, operation, from.dtype, from.shape);
    try {
      copyBox(packed, from, operation);
      copyBox(to, packed, operation);
    } finally {
      packed.dispose();
    }
  }
}

/** Copies a tensor into an output, and returns the output's memory where that throws. */
export function copiedInto<D extends DType>(out: Tensor<D>, t: Tensor<D>, operation: string): Tensor<D> {
  try {
    copyBox(out, t, operation);
    return out;
  } catch (error) {
    out.dispose();
    throw error;
  }
}

function withoutFlatPadding(t: Tensor, operation: string): Tensor {
  const layout = boxLayout(t);
  return layout === t.layout ? t : derive(t, { layout, start: 0 }, undefined, operation);
}

/**
 * Copies the elements, row-major, into a typed array of their own, by a built-in kernel: no backend is asked, and
 * nothing is allocated but the array.
 *
 * @param into - the kernel: a copy of bits, or a cast to the dtype.
 */
export function copyOut<D extends DType>(
  t: Tensor,
  dtype: D,
  into: (out: Operand, input: Operand) => void,
): ArrayOf[D] {
  const elements = new DTYPES[dtype].array(t.size);
  const source: TypedArray = windowOf(t);
  for (const { inBox, inFlat } of piecesOf(t.layout, t.shape, rowMajor(t.shape))) {
    // A flat layout refines every nest.
    const { extents: shape, strides } = refine([inFlat.layout, inBox.layout]) as NonNullable<ReturnType<typeof refine>>;
    into(
      { dtype, data: elements, offset: inFlat.start, shape, strides: strides[0] as number[] },
      { dtype: t.dtype, data: source, offset: t.offset + inBox.start, shape, strides: strides[1] as number[] },
    );
  }
  return elements as ArrayOf[D];
}
