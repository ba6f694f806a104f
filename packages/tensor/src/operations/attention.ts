import { broadcastExtents, expandTo } from "@sw/layout";
import type { DType } from "../dtype.js";
import { TensorShapeError } from "../errors.js";
import { checkKind, plain, sameDType, showShape } from "../gate.js";
import { derive } from "../handle.js";
import { checkOptions } from "../options.js";
import type { Tensor } from "../tensor.js";
import { ATTENTION } from "./specs/images.js";
import { structural } from "./structural.js";

/** Options of {@link attention}. @since 0.1.0 */
export interface AttentionOptions<D extends DType> {
  /**
   * Which queries see which keys, of a shape that broadcasts to `[…batch, n, m]`: added to the scores, or of bool, where
   * true keeps.
   */
  readonly mask?: Tensor<D | "bool">;
  /** Whether query i sees keys 0 to i only; false by default. */
  readonly causal?: boolean;
  /** What scores are multiplied by; `1 / √e` by default. */
  readonly scale?: number;
}

/**
 * Averages values by how well their keys fit each query: `softmax(q·kᵀ·scale + mask)·v`, without the matrix of scores in
 * memory.
 *
 * What `causal` excludes takes no part: NaN there reaches nothing. What a mask excludes, by −∞ or false, has weight 0, and
 * its values must be finite. A query that has no key left gives NaN, as softmax does. The leading axes are batches and
 * broadcast. The result is row-major.
 *
 * @param q - `[…, n, e]`.
 * @param k - `[…, m, e]`.
 * @param v - `[…, m, f]`.
 * @returns `[…, n, f]`.
 * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH` for extents that do not fit; LayoutError when the batches or the
 * mask do not broadcast; TensorValueError `SW_TENSOR_DTYPE_MISMATCH`, `SW_TENSOR_DTYPE_REFUSED`; TypeError for a scale that is no number.
 * @example
 * ```ts
 * import { jsKernels } from "@sw/kernels-js";
 * import { attention, setKernels, tensor } from "@sw/tensor";
 * setKernels(jsKernels);
 * const q = tensor([[0, 0], [0, 0]]);
 * const v = tensor([[2], [4]]);
 * console.log(attention(q, q, v, { causal: true }).toArray()); // [ [ 2 ], [ 3 ] ]
 * ```
 * @since 0.1.0
 */
export function attention<D extends DType>(
  q: Tensor<D>,
  k: Tensor<NoInfer<D>>,
  v: Tensor<NoInfer<D>>,
  options: AttentionOptions<NoInfer<D>> = {},
): Tensor<D> {
  checkOptions("attention", options, "{ causal: true }");
  // All of them first: an error about one shows the others.
  for (const t of [q, k, v]) plain(t, "attention");
  for (const t of [q, k, v]) {
    checkKind("attention", t.dtype, ATTENTION.kinds);
    sameDType("attention", q, t);
    if (t.rank < 2) throw mismatch(q, k, v);
  }
  const [n, e] = q.shape.slice(-2) as [number, number];
  const [m, f] = v.shape.slice(-2) as [number, number];
  if (k.shape.at(-2) !== m || k.shape.at(-1) !== e) throw mismatch(q, k, v);
  const { mask, causal = false, scale = e === 0 ? 1 : 1 / Math.sqrt(e) } = options;
  if (typeof scale !== "number") {
    throw new TypeError(`attention: scale is not a number: got ${String(scale)}, expected a number.`);
  }
  let batch = broadcastExtents(q.shape.slice(0, -2), k.shape.slice(0, -2), "attention");
  batch = broadcastExtents(batch, v.shape.slice(0, -2), "attention");
  const inputs: [Tensor<D>, ...Tensor[]] = [q, k, v];
  const operands = [expanded(q, [...batch, n, e]), expanded(k, [...batch, m, e]), expanded(v, [...batch, m, f])];
  if (mask !== undefined) {
    plain(mask, "attention");
    if (mask.dtype !== "bool") sameDType("attention", q, mask);
    inputs.push(mask);
    operands.push(expanded(mask, [...batch, n, m]));
  }
  return structural(ATTENTION, [...batch, n, f], inputs, [causal ? 1 : 0], [scale], operands);
}

/** A view that is no part of the history: operands are broadcast for the kernel only. */
function expanded(t: Tensor, shape: readonly number[]): Tensor {
  if (t.rank === shape.length && shape.every((extent, axis) => extent === t.shape[axis])) return t;
  return derive(t, expandTo(t.layout, shape, "attention"), undefined, "attention");
}

function mismatch(q: Tensor, k: Tensor, v: Tensor): TensorShapeError {
  return new TensorShapeError(
    "SW_TENSOR_SHAPE_MISMATCH",
    `attention: the extents do not fit: got queries ${showShape(q.shape)}, keys ${showShape(k.shape)} and values ${showShape(v.shape)}, expected [n,e], [m,e] and [m,f] after the batches.`,
    { given: [q.shape, k.shape, v.shape], shape: q.shape },
  );
}
