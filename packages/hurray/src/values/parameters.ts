import type { Descriptor, Quantisation } from "../descriptor/types.js";
import { elementTypeNamed } from "../elements.js";
import { HurrayUnsupportedError } from "../errors.js";
import type { StoredTensor } from "../stored.js";
import { type ElementArray, newElements } from "./arrays.js";
import { toNumbers } from "./numbers.js";
import { unpackElements } from "./pack.js";
import { smallFloatOf } from "./small-floats.js";
import { dataError, requireType } from "./stored-tensor.js";

/** What turns stored elements into values: scales, zero points, and which of them an element has (section 7). */
export interface Parameters {
  /** The stored elements as the numbers that the scheme multiplies. */
  digitsOf(elements: ElementArray): ArrayLike<number>;
  readonly scales: Float32Array;
  /** Absent where all are 0. */
  readonly zeroPoints: Int32Array | undefined;
  /** Whether there is a parameter for each slot of a page pool instead (4.9): then `grid` says nothing. */
  readonly perSlot: boolean;
  readonly grid: Grid;
  /** Refuses parameter p when it breaks a rule (R96 to R98). */
  check(p: number): void;
}

/** How elements in row-major order share parameters: those of `outer` × `extent` × `inner`, cut into blocks along `extent`. */
export interface Grid {
  readonly extent: number;
  readonly inner: number;
  /** Elements of a block; 1 where each index of the axis has a parameter for all of the others. */
  readonly blockSize: number;
  /** Whether the others have parameters of their own. */
  readonly blocks: boolean;
}

/** NormalFloat: the sixteen values of section 7. */
export const NF4: readonly number[] = [
  -1, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453, -0.28444138169288635, -0.18477343022823334,
  -0.09105003625154495, 0, 0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
  0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1,
];

export const SCALE_TYPES = { 1: "float16", 2: "bfloat16", 3: "float32" } as const;

const known = new WeakMap<StoredTensor, Parameters>();

/**
 * Reads and checks the parameters of a quantised tensor, once. Those of page slots are checked when they are used, since
 * unused slots hold anything.
 *
 * @throws HurrayFormatError `SW_HURRAY_DATA_INVALID` for a parameter that breaks a rule.
 * @throws HurrayUnsupportedError `SW_HURRAY_QUANTISED_UNSUPPORTED` for a private scheme.
 */
export function parametersOf(operation: string, t: StoredTensor, q: Quantisation): Parameters {
  const present = known.get(t);
  if (present !== undefined) return present;
  const parameters = readParameters(operation, t, q);
  if (!parameters.perSlot) for (let p = 0; p < parameters.scales.length; p++) parameters.check(p);
  known.set(t, parameters);
  return parameters;
}

/** The number of the parameter that the element of a row-major ordinal has. */
export function parameterAt({ extent, inner, blockSize, blocks }: Grid, ordinal: number): number {
  const along = Math.floor(ordinal / inner) % extent;
  if (!blocks) return Math.floor(along / blockSize);
  const others = Math.floor(ordinal / (inner * extent)) * inner + (ordinal % inner);
  return others * Math.ceil(extent / blockSize) + Math.floor(along / blockSize);
}

function readParameters(operation: string, t: StoredTensor, q: Quantisation): Parameters {
  const { descriptor } = t;
  const type = requireType(operation, descriptor);
  if (q.scheme === "private" || q.scheme === "unknown") {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_QUANTISED_UNSUPPORTED",
      `${operation}: the quantisation scheme is not known: got scheme tag ${q.tag}, expected one that the format names.`,
    );
  }
  const isFloat = smallFloatOf(type) !== undefined;
  const digitsOf = (elements: ElementArray): ArrayLike<number> => {
    if (q.scheme === "nf4") return Float32Array.from(elements as Uint8Array, (code) => NF4[code]!);
    if (!isFloat) return elements as Int32Array;
    return toNumbers(type, elements, new Float32Array(elements.length));
  };
  const { perSlot, count, ...grid } = gridOf(descriptor, q);
  if (q.scheme === "perTensor") {
    const scales = Float32Array.of(q.scale);
    return { digitsOf, scales, zeroPoints: Int32Array.of(q.zeroPoint), perSlot, grid, check: () => {} };
  }
  const scaleType =
    q.scheme === "mxfp"
      ? "float8_e8m0"
      : q.scheme === "perBlock"
        ? SCALE_TYPES[q.scaleTypeTag as 1 | 2 | 3]
        : "float32";
  const scaleBytes = t.buffers[q.scaleBuffer]!;
  const scaleWidth = elementTypeNamed(scaleType).bits / 8;
  const scales = toNumbers(scaleType, unpackElements(scaleType, scaleBytes, 0, count), new Float32Array(count));
  const zeroBuffer = q.scheme === "perChannel" || q.scheme === "perBlock" ? q.zeroPointBuffer : undefined;
  // In one buffer the zero points follow the scales (A8).
  const zeroStart = zeroBuffer === q.scaleBuffer ? count * scaleWidth : 0;
  const zeroPoints =
    zeroBuffer === undefined
      ? undefined
      : unpackElements("int32", t.buffers[zeroBuffer]!.subarray(zeroStart), 0, count, newElements("int32", count));
  const check = (p: number): void => {
    const scale = scales[p]!;
    const fail = (rule: "R96" | "R97", expected: string): never => {
      const given = rule === "R96" ? scaleBytes[p] : scale;
      throw dataError(operation, rule, q.scaleBuffer, p * scaleWidth, `scale ${p} is not allowed`, given, expected);
    };
    if (q.scheme === "mxfp") {
      if (Number.isNaN(scale)) fail("R96", "1 to 254");
    } else if (!Number.isFinite(scale) || (q.scheme === "nf4" ? scale < 0 : scale === 0)) {
      fail("R97", q.scheme === "nf4" ? "a finite number of at least 0" : "a finite number other than 0");
    }
    if (zeroPoints === undefined) return;
    const [lowest, highest] = elementTypeNamed(type).range!;
    const zero = zeroPoints[p]!;
    if (zero >= lowest && zero <= highest) return;
    const at = zeroStart + p * 4;
    throw dataError(
      operation,
      "R98",
      zeroBuffer!,
      at,
      `zero point ${p} is no stored value`,
      zero,
      `${lowest} to ${highest}`,
    );
  };
  return { digitsOf, scales, zeroPoints, perSlot, grid, check };
}

function gridOf(
  { shape, layout }: Descriptor,
  q: Exclude<Quantisation, { scheme: "private" | "unknown" }>,
): Grid & { readonly perSlot: boolean; readonly count: number } {
  const product = (extents: readonly bigint[]) => Number(extents.reduce((count, extent) => count * extent, 1n));
  if (q.scheme === "perTensor") {
    return { extent: 1, inner: product(shape), blockSize: 1, blocks: false, perSlot: false, count: 1 };
  }
  const extent = Number(shape[q.axis]!);
  const inner = product(shape.slice(q.axis + 1));
  if (q.scheme === "perChannel") return { extent, inner, blockSize: 1, blocks: false, perSlot: false, count: extent };
  const { blockSize } = q;
  if (layout.kind === "blockPaged" && q.scheme === "perBlock") {
    const count = Number(layout.numPages) * layout.pageSize;
    return { extent, inner, blockSize, blocks: true, perSlot: true, count };
  }
  const count = product(shape.slice(0, q.axis)) * inner * Math.ceil(extent / blockSize);
  return { extent, inner, blockSize, blocks: true, perSlot: false, count };
}
