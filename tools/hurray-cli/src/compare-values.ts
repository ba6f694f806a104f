import type { StoredItem } from "@sw/hurray/stream";
import { type ElementArray, toNumbers, type Values, valuesOf } from "@sw/hurray/values";

/** How the values of two tensors differ. */
export interface ValueDifference {
  readonly differing: number;
  /** Values of each tensor. */
  readonly of: number;
  /** The largest |a − b|; infinite where one is NaN and the other is not. */
  readonly largest: number;
  /** Where the first difference is, and what is there. */
  readonly first: readonly number[];
  readonly before: number | bigint;
  readonly after: number | bigint;
}

/** What values may differ by. */
export interface Tolerance {
  readonly rtol: number;
  readonly atol: number;
}

/** Compares the values of two items of one shape; `undefined` where they are the same within the tolerance. */
export function compareValues(a: StoredItem, b: StoredItem, tolerance: Tolerance): ValueDifference | undefined {
  const before = valuesOf(a);
  const after = valuesOf(b);
  if (before.type === after.type && sameBytes(before.elements, after.elements)) return undefined;
  const [x, y] = comparable(before, after);
  let differing = 0;
  let largest = 0;
  let first = -1;
  for (let i = 0; i < x.length; i++) {
    const distance = distanceOf(x[i]!, y[i]!);
    if (distance <= tolerance.atol + tolerance.rtol * Math.abs(Number(y[i]))) continue;
    differing++;
    if (first < 0) first = i;
    if (distance > largest) largest = distance;
  }
  if (differing === 0) return undefined;
  // Complex numbers are pairs.
  const perElement =
    x.length /
    Math.max(
      1,
      before.shape.reduce((product, extent) => product * extent, 1),
    );
  const coordinate = coordinateOf(Math.floor(first / perElement), before.shape);
  return { differing, of: x.length, largest, first: coordinate, before: x[first]!, after: y[first]! };
}

type Numbers = ArrayLike<number | bigint>;

/** Both as integers where both are of 64 bits, which numbers cannot hold; else as numbers. */
function comparable(a: Values, b: Values): readonly [Numbers, Numbers] {
  const isLong = ({ type }: Values): boolean => type === "int64" || type === "uint64";
  if (isLong(a) && isLong(b)) return [a.elements as BigInt64Array, b.elements as BigInt64Array];
  return [toNumbers(a.type, a.elements), toNumbers(b.type, b.elements)];
}

function distanceOf(a: number | bigint, b: number | bigint): number {
  if (a === b) return 0;
  const difference = typeof a === "bigint" && typeof b === "bigint" ? Number(a - b) : Number(a) - Number(b);
  if (!Number.isNaN(difference)) return Math.abs(difference);
  return Number.isNaN(a) && Number.isNaN(b) ? 0 : Number.POSITIVE_INFINITY;
}

function sameBytes(a: ElementArray, b: ElementArray): boolean {
  return Buffer.compare(bytesOf(a), bytesOf(b)) === 0;
}

function bytesOf({ buffer, byteOffset, byteLength }: ElementArray): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function coordinateOf(ordinal: number, shape: readonly number[]): number[] {
  const coordinate: number[] = [];
  let rest = ordinal;
  for (let k = shape.length - 1; k >= 0; k--) {
    coordinate.unshift(rest % shape[k]!);
    rest = Math.floor(rest / shape[k]!);
  }
  return coordinate;
}
