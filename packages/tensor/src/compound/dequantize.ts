import { columnMajor, compactLike, describe, type Layout } from "@sw/layout";
import { forEachRun } from "@sw/layout/walk";
import { checkDType, type DType } from "../dtype.js";
import { TensorValueError, UnsupportedError } from "../errors.js";
import { checkKind } from "../gate.js";
import { checkBytes, checkLive, derive } from "../handle.js";
import { cast } from "../operations/cast.js";
import { current } from "../scope.js";
import { fromBuffer, type Tensor } from "../tensor.js";
import { windowOf } from "../window.js";
import { type CompoundTensor, isCompoundTensor } from "./compound-tensor.js";
import { CHUNK, decoderOf, inOrdinals } from "./packed.js";

/**
 * Computes the values of a tensor of two or three parts: the scale times the difference of element and zero point. The
 * arithmetic is float32, rounded after each of the two steps; another float dtype is rounded from that.
 *
 * The result has the order of strides, and the nest, of the first part, so that a view of the tensor gives the same view
 * of the values (`contiguous` and `reshape` give flat ones); of a padded tensor it is the box, row-major. It has no
 * history. Allocates the result, and as many numbers as there are scales.
 *
 * @throws TypeError for something else, or an unknown dtype; UnsupportedError for another number of parts; StaleTensorError.
 * @throws TensorValueError `SW_TENSOR_DTYPE_REFUSED` for a dtype that is no float; `SW_TENSOR_VALUE` for a scale that is
 * not finite, or zero where the first part is not read by a table; `position` is its ordinal.
 * @example
 * ```ts
 * import { tensor } from "@sw/tensor";
 * import { blockInt4, dequantize, quantize } from "@sw/tensor/compound";
 * const q = quantize(tensor([7, -3, 0.6, 0.4, 70, 14, 5, -9]), blockInt4, { blockSize: 4 });
 * console.log(dequantize(q).toArray()); // [
 * //    7, -3,  1,   0,
 * //   70, 10,  0, -10
 * // ]
 * ```
 * @since 0.1.0
 */
export function dequantize<D extends DType = "float32">(
  compound: CompoundTensor,
  dtype: D = "float32" as D,
): Tensor<D> {
  const operation = "dequantize";
  if (!isCompoundTensor(compound)) {
    throw new TypeError(
      `${operation}: not a tensor of several parts: got ${describe(compound)}, expected one made by quantize or makeCompound.`,
    );
  }
  checkDType(operation, dtype);
  checkKind(operation, dtype, ["float"]);
  const { parts, layout } = compound;
  if (parts.length !== 2 && parts.length !== 3) {
    throw new UnsupportedError(
      `${operation}: only elements, scales and zero points are multiplied: got ${parts.length} parts, expected 2 or 3.`,
    );
  }
  for (const part of parts) checkLive(part, operation);
  const scales = inOrdinals(parts[1]!);
  checkScales(operation, scales, compound.type.table !== undefined);
  const zeros = zeroPoints(compound, scales.length);
  const result = compactLike(layout);
  const byteLength = checkBytes(operation, [layout.size], "float32");
  const memory = current().memory.allocate(byteLength, { transient: true });
  const values = fromBuffer("float32", memory, result);
  try {
    writeValues(values, compound, scales, zeros);
    return finished(values, compound, dtype);
  } catch (error) {
    values.dispose();
    throw error;
  }
}

/** The zero point of each scale's block; zeros where the tensor has none. */
function zeroPoints({ parts, adjacent }: CompoundTensor, count: number): Float64Array {
  const out = new Float64Array(count);
  const [, scales, zeros] = parts;
  if (scales === undefined || zeros === undefined) return out;
  const values = inOrdinals(zeros);
  forEachRun([columnMajor(scales.layout.shape), adjacent[1] as Layout], (starts, steps, n) => {
    for (let i = 0; i < n; i++) out[starts[0]! + i * steps[0]!] = values[starts[1]! + i * steps[1]!]!;
  });
  return out;
}

function checkScales(operation: string, scales: Float64Array, zeroAllowed: boolean): void {
  for (let i = 0; i < scales.length; i++) {
    const scale = scales[i]!;
    if (Number.isFinite(scale) && (scale !== 0 || zeroAllowed)) continue;
    throw new TensorValueError(
      "SW_TENSOR_VALUE",
      `${operation}: a scale is no usable number: got ${scale} at ordinal ${i}, expected a finite number${zeroAllowed ? "" : " other than 0"}.`,
      { given: scale, expected: "a finite scale", position: i },
    );
  }
}

/** Walks the values, the elements, and for each its place among the scales, in lock-step. */
function writeValues(values: Tensor, compound: CompoundTensor, scales: Float64Array, zeros: Float64Array): void {
  const { dtype, buffer, offset, layout } = compound.parts[0]!;
  const chunk = new Float64Array(CHUNK);
  const decode = decoderOf(dtype, buffer, compound.type.table);
  const out = windowOf(values) as Float32Array;
  forEachRun([values.layout, layout, compound.adjacent[0] as Layout], (starts, steps, count) => {
    for (let from = 0; from < count; from += CHUNK) {
      const n = Math.min(CHUNK, count - from);
      decode(offset + starts[1]! + from * steps[1]!, steps[1]!, n, chunk);
      let at = starts[0]! + from * steps[0]!;
      let block = starts[2]! + from * steps[2]!;
      for (let i = 0; i < n; i++) {
        out[at] = Math.fround(scales[block]! * Math.fround(chunk[i]! - zeros[block]!));
        at += steps[0]!;
        block += steps[2]!;
      }
    }
  });
}

/** The values without padding, and in the dtype that is wanted. */
function finished<D extends DType>(values: Tensor<"float32">, compound: CompoundTensor, dtype: D): Tensor<D> {
  const { shape, isPadded } = compound;
  const box = (t: Tensor): Tensor => derive(t, { layout: t.layout, start: 0 }, shape, "dequantize").contiguous();
  const plain = isPadded ? passedOn(values, box) : values;
  return (dtype === "float32" ? plain : passedOn(plain, (t) => cast(t, dtype))) as Tensor<D>;
}

/** What is made of a tensor that nobody else needs; its memory is returned. */
function passedOn(t: Tensor, make: (t: Tensor) => Tensor): Tensor {
  try {
    return make(t);
  } finally {
    t.dispose();
  }
}
