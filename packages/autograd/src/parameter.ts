import { isInjective, type Layout, layout, type Shape, type Stride } from "@sw/layout";
import { DTYPES, type DType, type Tensor } from "@sw/tensor";
import { derive, plain, withLeaf } from "@sw/tensor/seam";
import { GradientError } from "./errors.js";

/**
 * Makes a gradient leaf: a new handle on the same memory, whose `.grad` backward fills. Only what comes from a leaf
 * takes part in gradients, never a dtype alone (D6).
 *
 * @throws GradientError `SW_AUTOGRAD_DTYPE` for a dtype that is no float; `SW_AUTOGRAD_LEAF` for a layout that
 * overlaps itself other than by stride 0.
 * @throws UnsupportedError for a padded tensor.
 * @since 0.1.0
 */
export function parameter<D extends DType>(t: Tensor<D>): Tensor<D> {
  plain(t, "parameter");
  if (DTYPES[t.dtype].kind !== "float") {
    throw new GradientError(
      "SW_AUTOGRAD_DTYPE",
      `parameter: only floating-point tensors have gradients: got ${t.dtype}, expected a float dtype. Cast it first.`,
      { given: t.dtype },
    );
  }
  if (!isInjective(withoutBroadcast(t.layout))) {
    throw new GradientError(
      "SW_AUTOGRAD_LEAF",
      `parameter: elements of the tensor share memory: got layout ${t.layout.toString()}, expected a place for each, broadcasting aside. Use a contiguous() copy.`,
      { given: t.layout.toString() },
    );
  }
  return withLeaf(derive(t, { layout: t.layout, start: 0 }, undefined, "parameter"), "shape");
}

/** The layout with every stride-0 leaf narrowed to extent 1: what is left overlaps only where it really does. */
function withoutBroadcast(l: Layout): Layout {
  const narrow = (shape: Shape[number], stride: Stride[number]): Shape[number] => {
    if (typeof shape === "number") return stride === 0 ? Math.min(shape, 1) : shape;
    return shape.map((s, i) => narrow(s, (stride as Stride)[i] as Stride[number]));
  };
  return layout(narrow(l.shape, l.stride) as Shape, l.stride);
}

/** Makes a handle on the same memory that takes no part in gradients. Writes through it still count as changes. @since 0.1.0 */
export function detach<D extends DType>(t: Tensor<D>): Tensor<D> {
  plain(t, "detach");
  return derive(t, { layout: t.layout, start: 0 }, undefined, "detach");
}

/** Tells whether a tensor takes part in gradients. @since 0.1.0 */
export function requiresGrad(t: Tensor): boolean {
  return t.node !== undefined;
}

/**
 * Asks backward to keep the gradient of a result too, not only those of leaves. Returns the tensor.
 *
 * @throws GradientError `SW_AUTOGRAD_NO_GRAPH` when it takes no part in gradients.
 * @since 0.1.0
 */
export function retainGrad<D extends DType>(t: Tensor<D>): Tensor<D> {
  if (t.node === undefined) {
    throw new GradientError(
      "SW_AUTOGRAD_NO_GRAPH",
      "retainGrad: the tensor takes no part in gradients: got one without a parameter upstream, expected a result of one.",
    );
  }
  t.node.retainGrad = true;
  return t;
}
