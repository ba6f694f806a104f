import { describe, type IntTree, type Layout, rowMajor, strided } from "@sw/layout";
import { forEachRun } from "@sw/layout/walk";
import { copyOut } from "../box.js";
import { castInto } from "../convert/cast.js";
import { float32Bits } from "../convert/float-bits.js";
import { isDType } from "../dtype.js";
import { toElement } from "../element.js";
import { TensorShapeError, TensorValueError, UnsupportedError } from "../errors.js";
import { checkAxis, checkKind, plain, showShape } from "../gate.js";
import { checkOptions as checkObject } from "../options.js";
import { current } from "../scope.js";
import type { Tensor } from "../tensor.js";
import { type CompoundTensor, makeCompound } from "./compound-tensor.js";
import { type BlockEncoder, type CompoundType, checkType, partDTypes } from "./compound-type.js";
import { encoderInto, inOrdinals } from "./packed.js";
import type { Part } from "./part.js";
import { STORAGE, type StorageDType } from "./storage.js";

/** How a tensor is cut into blocks. @since 0.1.0 */
export interface QuantizeOptions {
  /** The axis along which elements share a scale; the last one by default. */
  readonly axis?: number;
  /** Elements of a block, of which the axis must have a multiple; 32. */
  readonly blockSize?: number;
  /** Whether each block has a zero point, for values that lie to one side of 0; false. */
  readonly zeroPoints?: boolean;
}

/**
 * Encodes a tensor of floats in blocks along one axis that share a scale. `dequantize` gives the values back, within the
 * bounds that `blockInt8`, `blockInt4` and `mxfp4` state. An all-zero block has the scale 1.
 *
 * The quantised axis becomes a nested one, `(block size, number of blocks)`; elements are row-major, scales in the order
 * of blocks, those of the axis fastest. float64 is rounded to float32 first. The result has no history.
 *
 * @throws TypeError, UnsupportedError, StaleTensorError for what is no live, plain tensor, or no type.
 * @throws TensorValueError `SW_TENSOR_DTYPE_REFUSED` for a dtype that is no float; `SW_TENSOR_OPTION` for a block size
 * below 1, or zero points that the type does not have; `SW_TENSOR_VALUE` for an element that is not finite as float32,
 * `position` its row-major ordinal. Nothing was allocated then.
 * @throws TensorShapeError `SW_TENSOR_AXIS`; `SW_TENSOR_SHAPE_MISMATCH` for an axis that is no multiple of the block size.
 * @example
 * ```ts
 * import { rand } from "@sw/tensor";
 * import { dequantize, mxfp4, quantize } from "@sw/tensor/compound";
 * const q = quantize(rand([4, 64], { seed: 1 }), mxfp4);
 * console.log(String(q.layout), q.parts.map((part) => part.buffer.byteLength)); // (4,(32,2)):(64,(1,32)) [ 128, 8 ]
 * console.log(dequantize(q).shape); // [ 4, 64 ]
 * ```
 * @since 0.1.0
 */
export function quantize(t: Tensor, type: CompoundType, options: QuantizeOptions = {}): CompoundTensor {
  const operation = "quantize";
  plain(t, operation);
  checkKind(operation, t.dtype, ["float"]);
  checkType(operation, type);
  const { axis, blockSize, zeroPoints } = checkOptions(operation, t, type, options);
  if (type.encoder === undefined) {
    throw new UnsupportedError(`${operation}: the type has no encoder: got ${type.name}, expected one to write with.`);
  }
  const encoder = type.encoder(zeroPoints);
  const blocks = blockLayouts(t.shape, axis, blockSize);
  const elements = copyOut(t, "float32", castInto);
  const fits = fitBlocks(operation, elements, blocks, encoder);
  const dtypes = partDTypes(type, type.parts.length + (zeroPoints ? 1 : 0)) as readonly StorageDType[];
  const parts = allocateParts(dtypes, [blocks.elements, blocks.scales, blocks.scales]);
  try {
    const [values, scales, zeros] = parts as [Part, Part, Part?];
    writeNumbers(operation, scales, fits.scales);
    if (zeros !== undefined) writeNumbers(operation, zeros, fits.zeros);
    writeElements(values, elements, blocks, encoder, inOrdinals(scales), fits.zeros);
    return makeCompound(type, parts, [blocks.toScale, blocks.scales].slice(0, parts.length - 1));
  } catch (error) {
    release(parts);
    throw error;
  }
}

function checkOptions(
  operation: string,
  t: Tensor,
  type: CompoundType,
  options: QuantizeOptions,
): Required<QuantizeOptions> {
  checkObject(operation, options, "{ axis, blockSize, zeroPoints }");
  const { axis = -1, blockSize = 32, zeroPoints = false } = options;
  const at = checkAxis(operation, axis, t.rank);
  if (!Number.isInteger(blockSize)) {
    throw new TypeError(`${operation}: the block size is no integer: got ${describe(blockSize)}, expected an integer.`);
  }
  if (typeof zeroPoints !== "boolean") {
    throw new TypeError(`${operation}: zeroPoints is no boolean: got ${describe(zeroPoints)}, expected true or false.`);
  }
  if (blockSize < 1) {
    throw new TensorValueError(
      "SW_TENSOR_OPTION",
      `${operation}: no such block size: got ${blockSize}, expected 1 or more.`,
      { given: blockSize, expected: 1 },
    );
  }
  if (zeroPoints && type.optional === undefined) {
    throw new TensorValueError(
      "SW_TENSOR_OPTION",
      `${operation}: ${type.name} has no zero points: got zeroPoints, expected a type that has.`,
      { given: true, expected: false },
    );
  }
  const extent = t.shape[at] as number;
  if (extent % blockSize === 0) return { axis: at, blockSize, zeroPoints };
  throw new TensorShapeError(
    "SW_TENSOR_SHAPE_MISMATCH",
    `${operation}: axis ${at} does not consist of whole blocks: got extent ${extent} (shape ${showShape(t.shape)}), expected a multiple of ${blockSize}.`,
    { given: extent, expected: blockSize, axis: at, shape: t.shape },
  );
}

/** Where elements, scales and zero points lie, and which scale each element has. */
interface Blocks {
  readonly elements: Layout;
  readonly toScale: Layout;
  readonly scales: Layout;
}

/** Elements row-major; scales in the order of blocks: those of the axis fastest, the other axes row-major. */
function blockLayouts(shape: readonly number[], axis: number, blockSize: number): Blocks {
  const perAxis = (shape[axis] as number) / blockSize;
  const strides: IntTree[] = [...shape];
  strides[axis] = [0, 1];
  let count = perAxis;
  for (let k = shape.length - 1; k >= 0; k--) {
    if (k === axis) continue;
    strides[k] = count;
    count *= shape[k] as number;
  }
  const elements = rowMajor(shape.map((extent, k) => (k === axis ? [blockSize, perAxis] : extent)));
  return { elements, toScale: strided(elements.shape, strides), scales: rowMajor([count]) };
}

/** Chooses the scale and the zero point of each block. */
function fitBlocks(
  operation: string,
  elements: Float32Array,
  blocks: Blocks,
  encoder: BlockEncoder,
): { readonly scales: Float64Array; readonly zeros: Float64Array } {
  const low = new Float64Array(blocks.scales.size).fill(Number.POSITIVE_INFINITY);
  const high = new Float64Array(blocks.scales.size).fill(Number.NEGATIVE_INFINITY);
  forEachRun([blocks.elements, blocks.toScale], (starts, steps, count) => {
    let at = starts[0]!;
    let block = starts[1]!;
    for (let i = 0; i < count; i++) {
      const element = elements[at]!;
      if (!Number.isFinite(element)) throw notFinite(operation, element, at);
      if (element < low[block]!) low[block] = element;
      if (element > high[block]!) high[block] = element;
      at += steps[0]!;
      block += steps[1]!;
    }
  });
  const zeros = new Float64Array(low.length);
  for (let block = 0; block < low.length; block++) {
    const { scale, zero } = encoder.fit(low[block]!, high[block]!);
    low[block] = scale;
    zeros[block] = zero;
  }
  return { scales: low, zeros };
}

function notFinite(operation: string, element: number, position: number): TensorValueError {
  return new TensorValueError(
    "SW_TENSOR_VALUE",
    `${operation}: an element is not finite as float32: got ${element} at position ${position}, expected finite elements.`,
    { given: element, expected: "a finite float32", position },
  );
}

/** Allocates parts that are zero, all of them or none. */
function allocateParts(dtypes: readonly StorageDType[], layouts: readonly Layout[]): Part[] {
  const { memory } = current();
  const parts: Part[] = [];
  try {
    dtypes.forEach((dtype, level) => {
      const layout = layouts[level] as Layout;
      const byteLength = Math.ceil((layout.size * STORAGE[dtype].bits) / 8);
      const buffer = memory.allocate(byteLength, { zero: true, transient: true });
      parts.push({ dtype, buffer, generation: buffer.generation, offset: 0, layout });
    });
    return parts;
  } catch (error) {
    release(parts);
    throw error;
  }
}

function release(parts: readonly Part[]): void {
  for (const { buffer, generation } of parts) buffer.release(generation);
}

/** Writes numbers into a part as its storage dtype holds them; the bits of a power of two are a float32's exponent. */
function writeNumbers(operation: string, { dtype, buffer }: Part, numbers: Float64Array): void {
  const write = encoderInto(dtype, buffer);
  numbers.forEach((number, i) => {
    write(i, isDType(dtype) ? toElement(operation, dtype, number, i) : float32Bits(number) >>> 23);
  });
}

/** Encodes every element by the scale that is stored for its block. */
function writeElements(
  { dtype, buffer }: Part,
  elements: Float32Array,
  blocks: Blocks,
  encoder: BlockEncoder,
  scales: Float64Array,
  zeros: Float64Array,
): void {
  const write = encoderInto(dtype, buffer);
  forEachRun([blocks.elements, blocks.toScale], (starts, steps, count) => {
    let at = starts[0]!;
    let block = starts[1]!;
    for (let i = 0; i < count; i++) {
      write(at, encoder.encode(elements[at]!, scales[block]!, zeros[block]!));
      at += steps[0]!;
      block += steps[1]!;
    }
  });
}
