import { describe, rowMajor } from "@sw/layout";
import type { DType } from "../dtype.js";
import { TensorShapeError } from "../errors.js";
import { showShape } from "../gate.js";
import { allocateLike } from "../handle.js";
import { checkOptions } from "../options.js";
import { isRecorded, record } from "../record.js";
import { runAxes } from "../run.js";
import type { Tensor } from "../tensor.js";
import { lentAs, viewed } from "./lent.js";
import { type AffineOptions, affineOf, checkEpsilon, checkOperand, checkParameter, EPSILON } from "./parameters.js";
import { settle } from "./promoted.js";
import { savedSlots } from "./saved-slots.js";
import type { OperationSpec } from "./spec.js";
import { LAYER_NORM, RMS_NORM } from "./specs/rows.js";

/** Checks that a shape is that of the last axes of an operand, of one axis at least. */
function checkTrailing(operation: string, x: Tensor, shape: unknown): asserts shape is readonly number[] {
  if (!Array.isArray(shape)) {
    throw new TypeError(
      `${operation}: the shape is no list: got ${describe(shape)}, expected the last extents of the operand.`,
    );
  }
  const last = x.shape.slice(Math.max(0, x.rank - shape.length));
  if (shape.length > 0 && last.length === shape.length && shape.every((extent, i) => extent === last[i])) return;
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_MISMATCH",
    `${operation}: the operand does not end in this shape: got ${showShape(shape)}, expected the last extents of ${showShape(x.shape)}, one at least.`,
    { given: shape, shape: x.shape },
  );
}

/** Normalises the last axes together. `operands` are what the kernel has beside `x`, of the shape of these axes. */
function overLast<D extends DType>(
  spec: OperationSpec,
  x: Tensor<D>,
  shape: readonly number[],
  operands: readonly Tensor[],
  number: Tensor | undefined,
  epsilon: number,
): Tensor<D> {
  const { kind } = spec;
  const inputs = [x, ...operands];
  const outer = x.shape.slice(0, x.rank - shape.length);
  const n = shape.reduce((product, extent) => product * extent, 1);
  const rows = [...outer, n];
  const recorded = inputs.some(isRecorded);
  const outputs: Tensor[] = [];
  try {
    outputs.push(allocateLike(x, kind, x.dtype, rowMajor(x.shape)));
    if (recorded) {
      outputs.push(allocateLike(x, kind, x.dtype, rowMajor(x.shape)), allocateLike(x, kind, x.dtype, rowMajor(outer)));
    }
    if (x.size > 0) {
      // The last output has no axis of the rows' elements.
      const into = outputs.map((out, i) => viewed(out, i === 2 ? outer : rows, kind));
      const pairs = inputs.map((t, i): [Tensor, readonly number[]] => [t, i === 0 ? rows : [n]]);
      lentAs(kind, pairs, (from) => runAxes(spec, into, from, [], [epsilon]));
    }
  } catch (error) {
    for (const out of outputs) out.dispose();
    throw error;
  }
  const [out, ...made] = outputs as [Tensor<D>, ...Tensor[]];
  if (!recorded) return out;
  const saved = savedSlots(spec, inputs, outputs, number);
  return record(out, { kind, inputs, saved, ints: [shape.length], floats: [epsilon], owned: settle(made, saved) });
}

/**
 * Normalises the elements of the last axes together: `(x − mean) / √(variance + epsilon) · weight + bias`, the variance
 * biased. All in float64, rounded once.
 *
 * @param shape - the last extents of `x`, which weight and bias have as their shapes.
 * @throws TensorShapeError `SW_TENSOR_SHAPE_MISMATCH`; TensorValueError `SW_TENSOR_DTYPE_REFUSED` for an operand that is
 * no float, `SW_TENSOR_DTYPE_MISMATCH`, or `SW_TENSOR_OPTION` for an epsilon that is negative or not finite.
 * @since 0.1.0
 */
export function layerNorm<D extends DType>(
  x: Tensor<D>,
  shape: readonly number[],
  options: AffineOptions = {},
): Tensor<D> {
  checkOperand("layerNorm", x);
  checkTrailing("layerNorm", x, shape);
  checkOptions("layerNorm", options, "{ weight, bias }");
  const { epsilon = EPSILON } = options;
  checkEpsilon("layerNorm", epsilon);
  checkParameter("layerNorm", "weight", options.weight, x, shape);
  checkParameter("layerNorm", "bias", options.bias, x, shape);
  const { operands, number, made } = affineOf("layerNorm", x, shape, options);
  try {
    return overLast(LAYER_NORM, x, shape, operands, number, epsilon);
  } finally {
    for (const one of made) one.dispose();
  }
}

/**
 * Scales the elements of the last axes together: `x / √(mean of x² + epsilon) · weight`. All in float64, rounded once.
 *
 * @param shape - the last extents of `x`, which the weight has as its shape.
 * @throws as {@link layerNorm}.
 * @since 0.1.0
 */
export function rmsNorm<D extends DType>(
  x: Tensor<D>,
  shape: readonly number[],
  options: Omit<AffineOptions, "bias"> = {},
): Tensor<D> {
  checkOperand("rmsNorm", x);
  checkTrailing("rmsNorm", x, shape);
  checkOptions("rmsNorm", options, "{ weight }");
  const { weight, epsilon = EPSILON } = options;
  checkEpsilon("rmsNorm", epsilon);
  checkParameter("rmsNorm", "weight", weight, x, shape);
  return overLast(RMS_NORM, x, shape, weight === undefined ? [] : [weight], undefined, epsilon);
}
