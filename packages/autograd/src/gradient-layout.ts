import type { AllocateOptions, Allocator } from "@sw/buffer";
import { columnMajor, compactLike, cosize, isInjective, type Layout, leaves, minIndex } from "@sw/layout";
import { isCongruent } from "@sw/layout/algebra";
import { DTYPES, type DType, fromBuffer, type Tensor } from "@sw/tensor";
import { ACCUMULATE, current, type GradNode, runLoops } from "@sw/tensor/seam";
import { GradientError } from "./errors.js";

// Which layout a gradient has. Rules read cotangents by axis and need none; what is handed out, or to a custom rule, is
// laid here.

/**
 * The layout of the gradient of a node, a place for each element: where the layout counts, the node's own, gaps and
 * signs included, or where that repeats elements the first-mode-fastest one (VA-82, VA-93); elsewhere compact, in the
 * node's stride order (D15).
 */
export function gradientLayout(node: GradNode): Layout {
  if (node.cotangent === "shape") return compactLike(node.layout);
  return isInjective(node.layout) ? node.layout : columnMajor(node.layout.shape);
}

/** Tells whether two layouts have one shape, nests included. */
export function sameShape(a: Layout, b: Layout): boolean {
  const others = leaves(b.shape);
  return isCongruent(a.shape, b.shape) && leaves(a.shape).every((extent, i) => extent === others[i]);
}

/** Tells whether two layouts of one shape step alike; the strides of extents of 1 mean nothing (D6). */
export function sameLayout(a: Layout, b: Layout): boolean {
  if (a === b) return true;
  if (!sameShape(a, b)) return false;
  const extents = leaves(a.shape);
  const others = leaves(b.stride);
  return a.size === 0 || leaves(a.stride).every((stride, i) => extents[i] === 1 || stride === others[i]);
}

/** Makes a tensor of a gradient's layout, whose lowest index is the first element of its memory. */
export function makeIn(memory: Allocator, dtype: DType, layout: Layout, options?: AllocateOptions): Tensor {
  const buffer = memory.allocate(cosize(layout) * DTYPES[dtype].byteLength, options);
  return fromBuffer(dtype, buffer, layout, 0 - minIndex(layout));
}

/** Lays a cotangent as its node's gradient, where the layout counts. */
export function laid(node: GradNode, cotangent: Tensor): Tensor {
  if (node.cotangent === "shape") return cotangent;
  const layout = gradientLayout(node);
  return sameLayout(cotangent.layout, layout) ? cotangent : cotangent.toLayout(layout);
}

/**
 * What arrives at a leaf. Where the layout counts and repeats elements, all that reached one place in memory is summed,
 * and the sum shows wherever the place does (VA-82); before a leaf, a cotangent stays one for each element.
 *
 * @throws GradientError `SW_AUTOGRAD_CREATE_GRAPH` for such a leaf where history is written: these sums have none.
 */
export function arrived(node: GradNode, cotangent: Tensor): Tensor {
  if (node.record !== undefined || node.cotangent === "shape" || isInjective(node.layout)) return cotangent;
  if (current().recording) {
    throw new GradientError(
      "SW_AUTOGRAD_CREATE_GRAPH",
      `grad: a strict leaf that repeats elements has no second derivative: got layout ${node.layout.toString()} with createGraph, expected a place for each element. Use a contiguous() copy, or { cotangent: "shape" }.`,
      { given: node.layout.toString() },
    );
  }
  const places = makeIn(current().memory, node.dtype, node.layout, { zero: true });
  runLoops(ACCUMULATE, [places], [cotangent]);
  return places;
}
