import {
  columnMajor,
  type IntTree,
  isInjective,
  type Layout,
  type LayoutView,
  type Shape,
  type Stride,
  strided,
} from "@sw/layout";
import { asStrided } from "@sw/layout/views";

/**
 * Gives `asStrided` as a view of a placement and of what is attached to it (VA-52): no element of the placement may show
 * twice, while what maps elements to the scales of their blocks repeats by nature.
 */
export function stridedView(placement: Layout, shape: Shape, stride: Stride): LayoutView {
  return (l) => {
    if (l === placement || isInjective(l)) return asStrided(l, shape, stride);
    return { layout: selected(l, shape, stride), start: 0 };
  };
}

/**
 * Selects from a layout that repeats indices. Its indices, times its size, plus the ordinals are the indices of a layout
 * that does not; and since the ordinals of a selection step evenly, the sums do where the indices do.
 */
function selected(l: Layout, shape: Shape, stride: Stride): Layout {
  const apart = merged(l.shape, l.stride, columnMajor(l.shape).stride, (index, ordinal) => index * l.size + ordinal);
  const { layout } = asStrided(strided(l.shape, apart), shape, stride);
  return strided(
    layout.shape,
    merged(layout.shape, layout.stride, stride, (sum, ordinal) => (sum - ordinal) / l.size),
  );
}

/** Merges two strides of one shape, leaf by leaf; an extent of 1 has stride 0. */
function merged(shape: Shape, a: Stride, b: Stride, merge: (a: number, b: number) => number): IntTree[] {
  return shape.map((extent, i) => {
    if (typeof extent === "number") return extent === 1 ? 0 : merge(a[i] as number, b[i] as number);
    return merged(extent, a[i] as Stride, b[i] as Stride, merge);
  });
}
