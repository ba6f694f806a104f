import { DYNAMIC } from "../descriptor/shape.js";
import { HurrayLimitError, HurrayUnsupportedError, HurrayValueError } from "../errors.js";
import { countOption } from "../number-option.js";
import type { StoredItem } from "../stored.js";
import { toNumbers } from "../values/numbers.js";
import { valuesOf } from "../values/values-of.js";
import { concatenate } from "./concatenate.js";
import { crc32 } from "./crc32.js";
import { deflated } from "./through.js";

/** What a picture is told. @since 0.1.0 */
export interface PngOptions {
  /** The values that become black and white; the least and the largest finite one when absent. */
  readonly range?: readonly [black: number, white: number];
  /** Pixels an element is wide and high; 1 when absent. */
  readonly scale?: number;
  /** Pixels that the picture may have; 2²⁴ when absent. */
  readonly maximumPixels?: number;
}

const SIGNATURE = /* @__PURE__ */ Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);

/**
 * Draws a tensor of two dimensions, of any layout, as a PNG picture in 256 greys: rows go down, columns to the right. Values
 * between the ends of the range are spread over the greys, those beyond them are black or white; a NaN is black.
 *
 * @throws RangeError `SW_HURRAY_VALUE` for another number of dimensions, no elements, a range or a scale that is none.
 * @throws HurrayLimitError `SW_HURRAY_LIMIT` for more than `maximumPixels`, before anything is allocated.
 * @throws HurrayUnsupportedError `SW_HURRAY_TYPE_UNSUPPORTED` for complex numbers; and what `valuesOf` throws.
 * @example
 * ```ts
 * import { pngOf } from "@sw/hurray/interchange";
 * import { store } from "@sw/hurray";
 * import { arange } from "@sw/tensor";
 *
 * const png = await pngOf(store(arange(12).reshape([3, 4])), { scale: 8 });
 * console.log(String.fromCharCode(...png.subarray(1, 4))); // PNG
 * ```
 * @since 0.1.0
 */
export async function pngOf(item: StoredItem, options: PngOptions = {}): Promise<Uint8Array> {
  const operation = "pngOf";
  const scale = countOption(operation, "scale", options.scale, 1, 1);
  const maximumPixels = countOption(operation, "maximumPixels", options.maximumPixels, 0, 2 ** 24);
  const [height, width] = sizeOf(operation, item, scale, maximumPixels);
  const { type, elements } = valuesOf(item);
  if (type === "complex64" || type === "complex128") {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_TYPE_UNSUPPORTED",
      `${operation}: a complex number is no grey: got ${type}, expected real numbers. Draw its parts, or its magnitude.`,
    );
  }
  const numbers = toNumbers(type, elements);
  const greys = greysOf(numbers, rangeOf(operation, numbers, options.range));
  const header = new Uint8Array(13);
  const view = new DataView(header.buffer);
  view.setUint32(0, width * scale);
  view.setUint32(4, height * scale);
  // Eight bits, grey.
  header[8] = 8;
  const parts = [SIGNATURE, ...chunk("IHDR", header)];
  const data: Uint8Array[] = [];
  for await (const piece of deflated("deflate", rows(greys, width, scale))) data.push(piece);
  parts.push(...chunk("IDAT", concatenate(data)), ...chunk("IEND", new Uint8Array()));
  return concatenate(parts);
}

/** Rows and columns, after all that may be wrong about them. */
function sizeOf(
  operation: string,
  { descriptor: { shape } }: StoredItem,
  scale: number,
  maximumPixels: number,
): [height: number, width: number] {
  const [height, width] = shape;
  if (shape.length !== 2 || height === 0n || width === 0n || shape.includes(DYNAMIC)) {
    const problem = "the tensor is no picture";
    throw new HurrayValueError(operation, "shape", problem, `[${shape}]`, "two dimensions, neither of them 0");
  }
  const pixels = height! * width! * BigInt(scale) ** 2n;
  if (pixels > BigInt(maximumPixels)) {
    const advice = "Draw a part of it, or set maximumPixels.";
    throw new HurrayLimitError(operation, "the pixels of a picture", pixels, `at most ${maximumPixels}`, advice);
  }
  return [Number(height), Number(width)];
}

function rangeOf(
  operation: string,
  numbers: Float64Array,
  given: PngOptions["range"],
): readonly [black: number, white: number] {
  if (given !== undefined) {
    const [black, white] = given;
    if (Number.isFinite(black) && Number.isFinite(white) && black !== white) return given;
    const problem = "the range is none";
    throw new HurrayValueError(operation, "range", problem, `[${given}]`, "two different finite numbers");
  }
  let least = Number.POSITIVE_INFINITY;
  let largest = Number.NEGATIVE_INFINITY;
  for (const value of numbers) {
    if (!Number.isFinite(value)) continue;
    if (value < least) least = value;
    if (value > largest) largest = value;
  }
  return [least, largest];
}

/** Spreads values over the greys; where all are the same, they are black. */
function greysOf(numbers: Float64Array, [black, white]: readonly [black: number, white: number]): Uint8ClampedArray {
  // Halves, as the difference of the ends may be beyond all numbers.
  const reach = white / 2 - black / 2;
  // Clamped arrays round, cut at their ends, and take a NaN as 0.
  return Uint8ClampedArray.from(numbers, (value) => ((value / 2 - black / 2) / reach) * 255);
}

/** Rows of pixels, each after a byte that says that it is not filtered. */
function* rows(greys: Uint8ClampedArray, width: number, scale: number): Generator<Uint8Array, void, void> {
  for (let at = 0; at < greys.length; at += width) {
    const row = new Uint8Array(1 + width * scale);
    for (let x = 0; x < width; x++) row.fill(greys[at + x]!, 1 + x * scale, 1 + (x + 1) * scale);
    for (let k = 0; k < scale; k++) yield row;
  }
}

/** The parts of a chunk: its length, its name and data, and their checksum. */
function chunk(name: string, data: Uint8Array): Uint8Array[] {
  const head = new Uint8Array(8);
  new DataView(head.buffer).setUint32(0, data.byteLength);
  for (let k = 0; k < 4; k++) head[4 + k] = name.charCodeAt(k);
  const tail = new Uint8Array(4);
  new DataView(tail.buffer).setUint32(0, crc32(data, crc32(head.subarray(4))));
  return [head, data, tail];
}
