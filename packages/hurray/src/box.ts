import { type Allocator, wrapMemory } from "@sw/buffer";
import { rowMajor, strided } from "@sw/layout";
import { DTYPES, type DType, type Tensor } from "@sw/tensor";
import { fromBuffer } from "@sw/tensor/seam";
import { unpackBits } from "./bits.js";
import { quote } from "./bytes/quote.js";
import { layoutTag } from "./descriptor/descriptor.js";
import { byteSpanOf } from "./elements.js";
import { HurrayLimitError, HurrayUnsupportedError, HurrayValueError } from "./errors.js";
import type { HurrayFile } from "./file/reader.js";
import { LIMIT, memoryOf, supportedDType, turnFor } from "./load.js";
import { placementOf } from "./placement.js";
import { type HurraySource, readBytes } from "./source/source.js";

/** How a box of a tensor is read. @since 0.1.0 */
export interface BoxOptions {
  /** Where the memory comes from; what is in force when the call is made, when absent. */
  readonly memory?: Allocator;
  readonly signal?: AbortSignal;
}

/** Bytes read at a time. */
const PIECE = 4 * 1024 * 1024;

/** Bytes between two runs that are read over, since another read costs more: of a file on a disk, and of any other source. */
const NEAR_NOW = 16 * 1024;
const NEAR = 256 * 1024;

/**
 * Reads a box of a tensor into row-major memory of its own: `extents` elements of each axis, from `start` on. The tensor
 * may be of any size, beyond what a `Tensor` holds; of the file little more than the box is read, runs that lie near
 * each other in one go. Layouts are row-major, column-major and strided.
 *
 * @throws HurrayLookupError, HurrayFormatError, HurrayUnsupportedError, HurraySourceError as `HurrayFile.tensor`.
 * @throws TypeError for what are no lists of integers; HurrayValueError `SW_HURRAY_VALUE` for a box outside the tensor.
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` for a box beyond the limits of a tensor.
 * @example
 * ```ts
 * import { encodeHurray, openHurray, readBox } from "@sw/hurray";
 * import { arange } from "@sw/tensor";
 *
 * const file = await openHurray(encodeHurray({ w: arange(20).reshape([4, 5]) }));
 * console.log((await readBox(file, "w", [1, 2], [2, 3])).toArray()); // [ [ 7, 8, 9 ], [ 12, 13, 14 ] ]
 * ```
 * @since 0.1.0
 */
export async function readBox(
  file: HurrayFile,
  name: string,
  start: readonly number[],
  extents: readonly number[],
  options: BoxOptions = {},
): Promise<Tensor> {
  const memory = memoryOf(options);
  const operation = `readBox ${quote(name)}`;
  const { descriptor, starts } = await file.locate(name, options);
  const dtype = supportedDType(descriptor, operation);
  const { stride } = placementOf(descriptor, operation);
  if (stride.some((mode) => typeof mode !== "number")) {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_LAYOUT_UNSUPPORTED",
      `${operation}: boxes are not cut out of this layout: got ${descriptor.layout.kind}, expected rowMajor, columnMajor or strided. Read the tensor whole.`,
      { layoutTag: layoutTag(descriptor) },
    );
  }
  checkBox(operation, descriptor.shape.map(Number), start, extents);
  const size = extents.reduce((product, extent) => product * extent, 1);
  const byteLength = size * DTYPES[dtype].byteLength;
  if (byteLength > LIMIT) {
    throw new HurrayLimitError(operation, "the bytes of a tensor", BigInt(byteLength), `at most ${LIMIT}`);
  }
  const dataStart = starts[0]! + Number(descriptor.byteOffset);
  const whole: Box = { start: [...start], extents: [...extents] };
  const buffer = memory.allocate(byteLength);
  const { generation } = buffer;
  try {
    const out = fromBuffer(dtype, buffer, rowMajor(extents));
    const strides = stride as readonly number[];
    const toStrides = out.layout.stride as readonly number[];
    const width = dtype === "bool" ? 1 / 8 : DTYPES[dtype].byteLength;
    const near = file.source.readNow === undefined ? NEAR : NEAR_NOW;
    const boxes = size === 0 ? [] : [whole];
    for (let box = boxes.pop(); box !== undefined; box = boxes.pop()) {
      const split = axisToSplit(box.extents, strides, near / width, PIECE / width);
      if (split !== undefined) {
        const half = Math.ceil(box.extents[split]! / 2);
        boxes.push(
          { start: raised(box.start, split, half), extents: replaced(box.extents, split, box.extents[split]! - half) },
          { start: box.start, extents: replaced(box.extents, split, half) },
        );
        continue;
      }
      const part = await readPart(file.source, operation, dtype, dataStart, box, strides, options.signal);
      options.signal?.throwIfAborted();
      // Meanwhile the memory may have been taken back.
      buffer.checkLive(generation, operation);
      const at = box.start.reduce((sum, first, axis) => sum + (first - start[axis]!) * toStrides[axis]!, 0);
      fromBuffer(dtype, buffer, strided(box.extents, toStrides), at).copyFrom(part);
    }
    return out;
  } catch (error) {
    buffer.release(generation);
    throw error;
  }
}

interface Box {
  readonly start: readonly number[];
  readonly extents: readonly number[];
}

/** Which axis a box is halved along, so that what is left is read in one go; none where that is so already. */
function axisToSplit(
  extents: readonly number[],
  strides: readonly number[],
  near: number,
  piece: number,
): number | undefined {
  const axes = extents.map((_, axis) => axis).filter((axis) => extents[axis]! > 1 && strides[axis] !== 0);
  axes.sort((a, b) => Math.abs(strides[a]!) - Math.abs(strides[b]!));
  let span = 1;
  let isNear = true;
  for (const axis of axes) {
    const step = Math.abs(strides[axis]!);
    if (step - span > near) isNear = false;
    span += step * (extents[axis]! - 1);
  }
  return isNear && span <= piece ? undefined : axes.at(-1);
}

/** Reads the bytes from the lowest to the highest element of a box, and makes a tensor of them. */
async function readPart(
  source: HurraySource,
  operation: string,
  dtype: DType,
  dataStart: number,
  { start, extents }: Box,
  strides: readonly number[],
  signal: AbortSignal | undefined,
): Promise<Tensor> {
  const first = start.reduce((sum, index, axis) => sum + index * strides[axis]!, 0);
  let [lowest, highest] = [first, first];
  // An axis of one element goes nowhere, however long its step.
  const steps = strides.map((stride, axis) => (extents[axis] === 1 ? 0 : stride));
  for (const [axis, step] of steps.entries()) {
    const reach = step * (extents[axis]! - 1);
    if (reach < 0) lowest += reach;
    else highest += reach;
  }
  const { byteLength } = DTYPES[dtype];
  const span = byteSpanOf(dtype === "bool" ? 1 : 8 * byteLength, BigInt(lowest), BigInt(highest));
  if (source.readNow !== undefined) await turnFor(Number(span.end - span.start));
  let bytes = await readBytes(source, operation, dataStart + Number(span.start), dataStart + Number(span.end), signal);
  if (dtype === "bool") {
    const unpacked = new Uint8Array(highest - lowest + 1);
    unpackBits(bytes, lowest - Number(span.start) * 8, unpacked);
    bytes = unpacked;
  } else if (bytes.byteOffset % byteLength !== 0) bytes = bytes.slice();
  return fromBuffer(dtype, wrapMemory(bytes, { readOnly: true }), strided(extents, steps), first - lowest);
}

function checkBox(
  operation: string,
  shape: readonly number[],
  start: readonly number[],
  extents: readonly number[],
): void {
  for (const [field, list] of Object.entries({ start, extents })) {
    if (!Array.isArray(list) || !list.every(Number.isInteger)) {
      const given = Array.isArray(list) ? "a list of something else" : typeof list;
      throw new TypeError(`${operation}: ${field} is no list of integers: got ${given}, expected one for each axis.`);
    }
    if (list.length === shape.length) continue;
    throw new HurrayValueError(
      operation,
      field,
      `${field} and shape differ in length`,
      list.length,
      `${shape.length} numbers`,
    );
  }
  for (const [axis, size] of shape.entries()) {
    const [from, extent] = [start[axis]!, extents[axis]!];
    if (from >= 0 && extent >= 0 && from + extent <= size) continue;
    const problem = `the box lies outside the tensor along axis ${axis}`;
    throw new HurrayValueError(operation, "extents", problem, `${extent} from ${from} on`, `a part of ${size}`);
  }
}

function replaced(list: readonly number[], at: number, value: number): number[] {
  return list.map((old, k) => (k === at ? value : old));
}

function raised(list: readonly number[], at: number, by: number): number[] {
  return replaced(list, at, list[at]! + by);
}
