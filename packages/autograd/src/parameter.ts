import { isInjective } from "@sw/layout";
import { isBroadcastOnlyAliased } from "@sw/layout/algebra";
import { DTYPES, type DType, isTensor, type Tensor } from "@sw/tensor";
import { derive, plain, withLeaf } from "@sw/tensor/seam";
import { checkOptions } from "./check-argument.js";
import { GradientError } from "./errors.js";

/** Options of {@link parameter}. @since 0.1.0 */
export interface ParameterOptions {
  /**
   * What a cotangent handed to the leaf must agree with: its shape, or its layout too (D6). With `"layout"` the gradient
   * has the leaf's own layout, or where that repeats elements, the first-mode-fastest one with the sum for each place in
   * memory (VA-82). Default: `"shape"`, and a compact gradient.
   */
  readonly cotangent?: "shape" | "layout";
}

/**
 * Makes a gradient leaf: a new handle on the same memory, whose `.grad` backward fills. Only what comes from a leaf
 * takes part in gradients, never a dtype alone (D6).
 *
 * @throws GradientError `SW_AUTOGRAD_DTYPE` for a dtype that is no float; `SW_AUTOGRAD_LEAF` for a layout that
 * overlaps itself other than by stride 0; `SW_AUTOGRAD_OPTION` for an option that does not exist.
 * @throws UnsupportedError for a padded tensor.
 * @example
 * ```ts
 * import { backward, parameter } from "@sw/autograd";
 * import { tensor, views } from "@sw/tensor";
 * const w = parameter(tensor([[1, 2], [3, 4]]), { cotangent: "layout" });
 * backward(views.slice(w, [{}, 1]), tensor([[5, 0], [7, 0]]).select(1, 0)); // of the view's layout, (2):(2)
 * console.log(w.grad?.toArray()); // [ [ 0, 5 ], [ 0, 7 ] ]
 * ```
 * @since 0.1.0
 */
export function parameter<D extends DType>(t: Tensor<D>, options: ParameterOptions = {}): Tensor<D> {
  plain(t, "parameter");
  if (DTYPES[t.dtype].kind !== "float") {
    throw new GradientError(
      "SW_AUTOGRAD_DTYPE",
      `parameter: only floating-point tensors have gradients: got ${t.dtype}, expected a float dtype. Cast it first.`,
      { given: t.dtype },
    );
  }
  checkOptions("parameter", options, '{ cotangent: "layout" }');
  const { cotangent = "shape" } = options;
  if (cotangent !== "shape" && cotangent !== "layout") {
    throw new GradientError(
      "SW_AUTOGRAD_OPTION",
      `parameter: cotangent is not possible: got ${String(cotangent)}, expected "shape" or "layout".`,
      { given: cotangent },
    );
  }
  if (!isInjective(t.layout) && !isBroadcastOnlyAliased(t.layout)) {
    throw new GradientError(
      "SW_AUTOGRAD_LEAF",
      `parameter: elements of the tensor share memory: got layout ${t.layout.toString()}, expected a place for each, broadcasting aside. Use a contiguous() copy.`,
      { given: t.layout.toString() },
    );
  }
  return withLeaf(derive(t, { layout: t.layout, start: 0 }, undefined, "parameter"), cotangent);
}

/** Makes a handle on the same memory that takes no part in gradients. Writes through it still count as changes. @since 0.1.0 */
export function detach<D extends DType>(t: Tensor<D>): Tensor<D> {
  plain(t, "detach");
  return derive(t, { layout: t.layout, start: 0 }, undefined, "detach");
}

/** Refuses what is no tensor; one whose memory was returned still has a history. */
function checkTensor(operation: string, t: unknown): void {
  if (!isTensor(t)) plain(t, operation);
}

/** Tells whether a tensor takes part in gradients. @since 0.1.0 */
export function requiresGrad(t: Tensor): boolean {
  checkTensor("requiresGrad", t);
  return t.node !== undefined;
}

/**
 * Asks backward to keep the gradient of a result too, not only those of leaves. Returns the tensor.
 *
 * @throws GradientError `SW_AUTOGRAD_NO_GRAPH` when it takes no part in gradients.
 * @since 0.1.0
 */
export function retainGrad<D extends DType>(t: Tensor<D>): Tensor<D> {
  checkTensor("retainGrad", t);
  if (t.node === undefined) {
    throw new GradientError(
      "SW_AUTOGRAD_NO_GRAPH",
      "retainGrad: the tensor takes no part in gradients: got one without a parameter upstream, expected a result of one.",
    );
  }
  t.node.retainGrad = true;
  return t;
}
