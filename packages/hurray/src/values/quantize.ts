import type { Quantisation } from "../descriptor/types.js";
import { byteLengthOf, elementTypeNamed } from "../elements.js";
import { HurrayValueError } from "../errors.js";
import { countOption } from "../number-option.js";
import type { StoredTensor } from "../stored.js";
import { type ElementArray, type ElementArrays, newElements } from "./arrays.js";
import { fromNumbers, toNumbers } from "./numbers.js";
import { bytesOf, packElements } from "./pack.js";
import { type Grid, parameterAt } from "./parameters.js";
import { tensorOf } from "./write.js";

/** The types that affine schemes store. @since 0.1.0 */
export type QuantizedStorage =
  | "int2"
  | "uint2"
  | "int4"
  | "uint4"
  | "int8"
  | "uint8"
  | "int16"
  | "uint16"
  | "int32"
  | "uint32";

/** How values are quantised. @since 0.1.0 */
export interface QuantizeOptions {
  readonly scheme: "perTensor" | "perChannel" | "perBlock";
  /** At most 8 bits for `"perBlock"`. */
  readonly storage: QuantizedStorage;
  /** The axis of the channels or the blocks. */
  readonly axis?: number;
  /** Elements of a block: a power of two that divides the axis. */
  readonly blockSize?: number;
  /** Whether all zero points are 0, which an unsigned storage has only for values that are not negative. */
  readonly symmetric?: boolean;
  /** What the scales of blocks are stored as; `"float32"` when absent. */
  readonly scaleType?: "float16" | "bfloat16" | "float32";
}

/** Zero points are stored with a sign, also those of uint32. */
const MOST_ZERO = 2 ** 31 - 1;

const SCALE_TAGS = { float16: 1, bfloat16: 2, float32: 3 } as const;

/**
 * Quantises values in row-major order by an affine scheme: the least scale of its type that spans the values and 0, and the
 * zero point nearest to theirs.
 *
 * A value comes back by `valuesOf` within half a scale, and the rounding of float32 beside it.
 *
 * @throws RangeError `SW_HURRAY_VALUE` for values that are not finite or whose scale its type does not hold, negative ones
 * without a zero point in an unsigned storage, another number of them than the shape has, and options that the scheme does
 * not have.
 * @since 0.1.0
 */
export function quantize(
  values: Float32Array | Float64Array,
  shape: readonly number[],
  options: QuantizeOptions,
): StoredTensor {
  const operation = "quantize";
  const grid = gridOf(operation, shape, options);
  const { storage, symmetric = false, scaleType = "float32" } = options;
  const { bits, range } = elementTypeNamed(storage);
  const [least, most] = range!;
  if (values.length !== grid.count) {
    throw new HurrayValueError(operation, "values", "shape and values differ", values.length, `${grid.count} values`);
  }
  const { lowest, highest } = spansOf(operation, values, grid);
  const scales = newElements(scaleType, grid.parameters);
  const zeroPoints = new Int32Array(grid.parameters);
  for (let p = 0; p < grid.parameters; p++) {
    const [low, high] = [lowest[p]!, highest[p]!];
    if (symmetric && low < 0 && least === 0) {
      const problem = `${storage} holds no negative value without a zero point`;
      throw new HurrayValueError(operation, "values", problem, low, "values of at least 0");
    }
    const needed = symmetric
      ? Math.max(high / most, least === 0 ? 0 : low / least)
      : Math.max((high - low) / (most - least), -low / (Math.min(most, MOST_ZERO) - least));
    const scale = setScale(operation, scaleType, scales, p, needed);
    zeroPoints[p] = symmetric ? 0 : Math.round(least - low / scale);
  }
  const digits = digitsOf(values, grid, toNumbers(scaleType, scales), zeroPoints, storage);
  const data = new Uint8Array(Number(byteLengthOf(bits, BigInt(values.length))));
  packElements(storage, digits, data);
  if (options.scheme === "perTensor") {
    const q: Quantisation = { scheme: "perTensor", scale: toNumbers(scaleType, scales)[0]!, zeroPoint: zeroPoints[0]! };
    return tensorOf(operation, storage, shape, { kind: "rowMajor" }, [data], q);
  }
  const zeroPoint = symmetric ? {} : { zeroPointBuffer: 2 };
  const axis = options.axis!;
  const q: Quantisation =
    options.scheme === "perChannel"
      ? { scheme: "perChannel", axis, scaleBuffer: 1, ...zeroPoint }
      : {
          scheme: "perBlock",
          axis,
          blockSize: options.blockSize!,
          scaleBuffer: 1,
          ...zeroPoint,
          scaleTypeTag: SCALE_TAGS[scaleType],
        };
  const buffers = [data, bytesOf(scales), ...(symmetric ? [] : [bytesOf(zeroPoints)])];
  return tensorOf(operation, storage, shape, { kind: "rowMajor" }, buffers, q);
}

/** What `parameterAt` asks, and how many values and parameters there are. */
interface CountedGrid extends Grid {
  readonly count: number;
  readonly parameters: number;
}

function gridOf(operation: string, shape: readonly number[], options: QuantizeOptions): CountedGrid {
  const { scheme, storage, scaleType = "float32" } = options;
  const count = shape.reduce((product, extent) => product * extent, 1);
  const refuse = (field: string, problem: string, given: unknown, expected: string): never => {
    throw new HurrayValueError(operation, field, problem, given, expected);
  };
  const bits = elementTypeNamed(storage)?.bits;
  if (elementTypeNamed(storage)?.range === undefined || (scheme === "perBlock" && bits > 8)) {
    refuse(
      "storage",
      "the scheme does not store this type",
      storage,
      scheme === "perBlock" ? "int2 to uint8" : "int2 to uint32",
    );
  }
  if (scheme !== "perBlock" && scaleType !== "float32") {
    refuse("scaleType", "only blocks have scales of other types", scaleType, "float32");
  }
  if (scheme === "perTensor") {
    return { extent: 1, inner: count, blockSize: 1, blocks: false, count, parameters: 1 };
  }
  const axis = countOption(operation, "axis", options.axis, 0, Number.NaN);
  if (!(axis < shape.length)) {
    return refuse("axis", "the axis does not exist", options.axis, `an integer below the rank, ${shape.length}`);
  }
  const extent = shape[axis]!;
  const inner = shape.slice(axis + 1).reduce((product, e) => product * e, 1);
  if (scheme === "perChannel") return { extent, inner, blockSize: 1, blocks: false, count, parameters: extent };
  const blockSize = countOption(operation, "blockSize", options.blockSize, 2, Number.NaN);
  if (!Number.isInteger(Math.log2(blockSize)) || extent % blockSize !== 0) {
    return refuse(
      "blockSize",
      "blocks do not divide the axis",
      options.blockSize,
      `a power of two of at least 2 that divides ${extent}`,
    );
  }
  return { extent, inner, blockSize, blocks: true, count, parameters: count / blockSize };
}

/** The lowest and highest value of each parameter, 0 included: it must be stored exactly. */
function spansOf(
  operation: string,
  values: Float32Array | Float64Array,
  grid: CountedGrid,
): { readonly lowest: Float64Array; readonly highest: Float64Array } {
  const lowest = new Float64Array(grid.parameters);
  const highest = new Float64Array(grid.parameters);
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (!Number.isFinite(value)) {
      throw new HurrayValueError(operation, "values", `value ${i} is not finite`, value, "finite values");
    }
    const p = parameterAt(grid, i);
    if (value < lowest[p]!) lowest[p] = value;
    if (value > highest[p]!) highest[p] = value;
  }
  return { lowest, highest };
}

/** Stores the least positive scale of at least `needed`, 1 where no value needs any, and gives it as a number. */
function setScale(
  operation: string,
  type: "float16" | "bfloat16" | "float32",
  scales: ElementArray,
  p: number,
  needed: number,
): number {
  const rounded = fromNumbers(type, [needed === 0 ? 1 : needed]);
  // Positive floats are in the order of their codes.
  const code = type === "float32" ? new Uint32Array(rounded.buffer) : (rounded as Uint16Array);
  if (toNumbers(type, rounded)[0]! < needed) code[0] = code[0]! + 1;
  const scale = toNumbers(type, rounded)[0]!;
  if (!Number.isFinite(scale)) {
    throw new HurrayValueError(operation, "values", `${type} does not hold their scale`, needed, "values closer to 0");
  }
  (scales as Float32Array)[p] = (rounded as Float32Array)[0]!;
  return scale;
}

function digitsOf(
  values: Float32Array | Float64Array,
  grid: CountedGrid,
  scales: Float64Array,
  zeroPoints: Int32Array,
  storage: QuantizedStorage,
): ElementArrays[QuantizedStorage] {
  const digits = newElements(storage, values.length);
  const [least, most] = elementTypeNamed(storage).range!;
  for (let i = 0; i < values.length; i++) {
    const p = parameterAt(grid, i);
    digits[i] = Math.min(most, Math.max(least, Math.round(values[i]! / scales[p]!) + zeroPoints[p]!));
  }
  return digits;
}
