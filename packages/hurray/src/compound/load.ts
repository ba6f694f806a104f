import { type DataBuffer, wrapMemory } from "@sw/buffer";
import { type Layout, rowMajor, strided } from "@sw/layout";
import { type CompoundTensor, makeCompound, type Part, STORAGE, type StorageDType } from "@sw/tensor/compound";
import { current } from "@sw/tensor/seam";
import { dataRange, elementBits, layoutTag } from "../descriptor/descriptor.js";
import { storageShape, zeroPointsOf } from "../descriptor/schemes.js";
import type { Descriptor, Quantisation } from "../descriptor/types.js";
import { HurrayAlignmentError, HurrayUnsupportedError, HurrayValueError } from "../errors.js";
import type { LoadOptions } from "../load.js";
import { placementOf } from "../placement.js";
import type { StoredTensor } from "../stored.js";
import { isDense } from "../values/cells.js";
import { checkDataOf } from "../values/check-data.js";
import { unpackCodes } from "../values/pack.js";
import { requireTensor, requireType } from "../values/stored-tensor.js";
import { adjacentOf, blocksOf } from "./blocks.js";
import { type ReadScheme, typeOfScheme } from "./schemes.js";

/**
 * Makes a tensor of several parts of a quantised one: its elements, its scales and its zero points as they are stored,
 * which views and `dequantize` of `@sw/tensor/compound` understand. The parameters are checked first (`checkData`).
 *
 * Elements that no part holds (2 and 6 bits, float8) are codes of a byte each, whose values are in the table of the type.
 * Elements and parameters are copied, or shared with the item and read-only, as `copy` says; the parameters of a tensor
 * whose descriptor holds them are written into memory of their own in any case. An axis that is cut into blocks is nested:
 * block, then number of the block. The last block may be partial where the tensor is row-major or column-major.
 *
 * @throws HurrayUnsupportedError `SW_HURRAY_TYPE_UNSUPPORTED` where elements of 2 or 6 bits were to be shared,
 * `SW_HURRAY_QUANTISED_UNSUPPORTED` for private schemes and for blocks that the layout cuts, or whose padding has
 * no parameter, `SW_HURRAY_LAYOUT_UNSUPPORTED` for layouts that no tensor has; dynamic and opaque descriptors, and other
 * devices than the CPU.
 * @throws HurrayFormatError for data that breaks a rule; RangeError `SW_HURRAY_VALUE` for a composite, a tensor that is not
 * quantised, or buffers that do not fit.
 * @throws HurrayAlignmentError `SW_HURRAY_ALIGNMENT` when `copy` is `"never"` and a copy is needed.
 * @throws TensorShapeError, BufferSizeError beyond the limits of a tensor.
 * @example
 * ```ts
 * import { loadCompound } from "@sw/hurray/compound";
 * import { quantize } from "@sw/hurray/values";
 * import { dequantize } from "@sw/tensor/compound";
 * const item = quantize(Float32Array.of(0, 1, 2, 3), [2, 2], { scheme: "perTensor", storage: "uint4" });
 * const compound = loadCompound(item);
 * console.log(String(compound)); // CompoundTensor uint4 by float32 [2,2]
 * console.log(dequantize(compound).toArray()); // [ [ 0, 1 ], [ 2, 3 ] ]
 * ```
 * @since 0.1.0
 */
export function loadCompound(item: StoredTensor, options: Omit<LoadOptions, "signal"> = {}): CompoundTensor {
  const operation = "loadCompound";
  const { descriptor, buffers } = requireTensor(operation, item);
  const q = requireScheme(operation, descriptor);
  const type = typeOfScheme(q, requireType(operation, descriptor));
  checkDataOf(operation, item);
  const { layout, shape } = boxOf(operation, descriptor, q);
  const blocks = blocksOf(shape, q);
  const adjacent = adjacentOf(layout, blocks);
  if (adjacent === undefined) {
    throw unsupported(
      operation,
      q,
      `layout ${descriptor.layout.kind} cuts its blocks, or has padding without a parameter`,
    );
  }
  const { start, end } = dataRange(descriptor)!;
  // Where index 0 lies, counted in elements from the lowest one.
  const bits = elementBits(descriptor)!;
  const origin = (Number(descriptor.byteOffset - start) * 8) / bits;
  const room = new Room(operation, options);
  const flat = rowMajor([blocks.count]);
  try {
    const bytes = buffers[0]!.subarray(Number(start), Number(end));
    const parts = [room.part(type.parts[0]!, bytes, adjacent.elements, origin, bits)];
    for (const [dtype, parameters] of parametersOf(q, buffers, type.parts[1]!, blocks.count)) {
      parts.push(room.part(dtype, parameters, flat));
    }
    return makeCompound(type, parts, [adjacent.toParameter, flat].slice(0, parts.length - 1), shape);
  } catch (error) {
    room.release();
    throw error;
  }
}

function requireScheme(operation: string, descriptor: Descriptor): ReadScheme {
  const { quantisation: q, layout } = descriptor;
  if (q === undefined) {
    const problem = "the tensor is not quantised";
    throw new HurrayValueError(operation, "item", problem, "no scheme", "a tensor with one: load reads others");
  }
  if (q.scheme === "private" || q.scheme === "unknown") throw unsupported(operation, q, "its meaning is not known");
  if (!isDense(descriptor)) {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_LAYOUT_UNSUPPORTED",
      `${operation}: no tensor has this layout: got ${layout.kind}, expected a dense one. relayout brings it into one.`,
      { layoutTag: layoutTag(descriptor) },
    );
  }
  return q;
}

/** The layout of the elements, which holds whole blocks (A7), and the box in it. */
function boxOf(operation: string, d: Descriptor, q: ReadScheme): { readonly layout: Layout; readonly shape: number[] } {
  const layout = placementOf(d, operation);
  const shape = d.shape.map(Number);
  const whole = storageShape(d.shape, q);
  const isPartial = whole.some((extent, k) => extent !== d.shape[k]);
  if (!isPartial || shape.includes(0)) return { layout, shape };
  const { kind } = d.layout;
  if (kind !== "rowMajor" && kind !== "columnMajor") {
    throw unsupported(operation, q, `layout ${kind} does not hold the whole of the last block`);
  }
  return { layout: strided(whole.map(Number), layout.stride), shape };
}

/** Bytes and dtype of the scales and the zero points. */
function parametersOf(
  q: ReadScheme,
  buffers: readonly Uint8Array[],
  scale: StorageDType,
  count: number,
): [dtype: StorageDType, bytes: Uint8Array][] {
  if (q.scheme === "perTensor") {
    const bytes = new Uint8Array(8);
    const view = new DataView(bytes.buffer);
    view.setFloat32(0, q.scale, true);
    view.setInt32(4, q.zeroPoint, true);
    const scales: [StorageDType, Uint8Array] = [scale, bytes.subarray(0, 4)];
    return q.zeroPoint === 0 ? [scales] : [scales, ["int32", bytes.subarray(4)]];
  }
  const scaleLength = (count * STORAGE[scale].bits) / 8;
  const zeroPoints = zeroPointsOf(q);
  const scales: [StorageDType, Uint8Array] = [scale, buffers[q.scaleBuffer]!.subarray(0, scaleLength)];
  if (zeroPoints === undefined) return [scales];
  // In one buffer the zero points follow the scales (A8).
  const from = zeroPoints === q.scaleBuffer ? scaleLength : 0;
  return [scales, ["int32", buffers[zeroPoints]!.subarray(from, from + count * 4)]];
}

/** Finds memory for parts, and returns it when they come to nothing. */
class Room {
  readonly #operation: string;
  readonly #options: Omit<LoadOptions, "signal">;
  readonly #taken: { readonly buffer: DataBuffer; readonly generation: number }[] = [];

  constructor(operation: string, options: Omit<LoadOptions, "signal">) {
    this.#operation = operation;
    this.#options = options;
  }

  /** `packed` is the width of the elements that the bytes have, where a part has wider ones. */
  part(dtype: StorageDType, bytes: Uint8Array, layout: Layout, offset = 0, packed: number = STORAGE[dtype].bits): Part {
    const { bits } = STORAGE[dtype];
    const buffer = packed === bits ? this.#bufferOf(bytes, Math.max(1, bits / 8)) : this.#unpacked(bytes, packed);
    const { generation } = buffer;
    this.#taken.push({ buffer, generation });
    return { dtype, buffer, generation, offset, layout };
  }

  release(): void {
    for (const { buffer, generation } of this.#taken) buffer.release(generation);
  }

  #bufferOf(bytes: Uint8Array, alignment: number): DataBuffer {
    const { copy = "always", memory = current().memory } = this.#options;
    if (copy !== "always") {
      if (bytes.byteOffset % alignment === 0) return wrapMemory(bytes, { readOnly: true });
      if (copy === "never") throw new HurrayAlignmentError(this.#operation, bytes.byteOffset, alignment);
    }
    const buffer = memory.allocate(bytes.byteLength);
    buffer.view(Uint8Array).set(bytes);
    return buffer;
  }

  #unpacked(bytes: Uint8Array, bits: number): DataBuffer {
    const { copy, memory = current().memory } = this.#options;
    if (copy === "never") {
      throw new HurrayUnsupportedError(
        "SW_HURRAY_TYPE_UNSUPPORTED",
        `${this.#operation}: packed elements of this width cannot be shared: got ${bits} bits, expected 4 bits or whole bytes. Allow a copy.`,
      );
    }
    const buffer = memory.allocate(Math.floor((bytes.byteLength * 8) / bits));
    unpackCodes(bits, false, bytes, 0, buffer.view(Uint8Array));
    return buffer;
  }
}

function unsupported(operation: string, q: Quantisation, problem: string): HurrayUnsupportedError {
  return new HurrayUnsupportedError(
    "SW_HURRAY_QUANTISED_UNSUPPORTED",
    `${operation}: the tensor has no parts to be read by: got scheme ${q.scheme}: ${problem}, expected parameters by element. valuesOf gives the values where it can.`,
  );
}
