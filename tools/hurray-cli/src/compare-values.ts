import type { Descriptor } from "@sw/hurray/descriptor";
import type { StoredItem } from "@sw/hurray/stream";
import { type ElementArray, toNumbers, type Values, type ValuesOptions, valuesOf } from "@sw/hurray/values";
import { toJson } from "./json.js";

/** A value; complex numbers are pairs. */
export type Value = number | bigint | readonly [real: number, imaginary: number];

/** How the values of two tensors differ. */
export interface ValueDifference {
  readonly differing: number;
  /** Values of each tensor. */
  readonly of: number;
  /** The largest |a − b|; infinite where one is NaN and the other is not. */
  readonly largest: number;
  /** Where the first difference is, and what is there. */
  readonly first: readonly number[];
  readonly before: Value;
  readonly after: Value;
}

/** What values may differ by. */
export interface Tolerance {
  readonly rtol: number;
  readonly atol: number;
}

/**
 * Compares the values of two items of one shape; `undefined` where they are the same within the tolerance. What is stored
 * in the same way, bit for bit, is the same whatever it means.
 */
export function compareValues(
  a: StoredItem,
  b: StoredItem,
  tolerance: Tolerance,
  options: ValuesOptions = {},
): ValueDifference | undefined {
  if (isSameItem(a, b)) return undefined;
  const before = valuesOf(a, options);
  const after = valuesOf(b, options);
  if (before.type === after.type && sameBytes(before.elements, after.elements)) return undefined;
  const [x, y] = comparable(before, after);
  const [xs, ys] = [partsOf(before), partsOf(after)];
  const count = x.length / xs;
  let differing = 0;
  let largest = 0;
  let first = -1;
  for (let i = 0; i < count; i++) {
    const distance = distanceOf(valueAt(x, xs, i), valueAt(y, ys, i));
    const size = sizeOf(valueAt(y, ys, i));
    // What is not finite has no neighbours: it is the same, or it differs.
    const isNear = Number.isFinite(size) && distance < Number.POSITIVE_INFINITY;
    if (distance === 0 || (isNear && distance <= tolerance.atol + tolerance.rtol * size)) continue;
    differing++;
    if (first < 0) first = i;
    if (distance > largest) largest = distance;
  }
  if (differing === 0) return undefined;
  const coordinate = coordinateOf(first, before.shape);
  const [one, other] = [valueAt(x, xs, first), valueAt(y, ys, first)];
  return { differing, of: count, largest, first: coordinate, before: one, after: other };
}

function isSameItem(a: StoredItem, b: StoredItem): boolean {
  if (meaningOf(a.descriptor) !== meaningOf(b.descriptor)) return false;
  const same = <T>(x: readonly T[], y: readonly T[], test: (p: T, q: T) => boolean): boolean =>
    x.length === y.length && x.every((each, k) => test(each, y[k]!));
  if ("members" in a) return "members" in b && same(a.members, b.members, isSameItem);
  return "buffers" in b && same(a.buffers, b.buffers, (x, y) => Buffer.compare(x, y) === 0);
}

/** All of a descriptor that says what bytes mean. */
function meaningOf({
  typeTag,
  shape,
  byteOffset,
  layout,
  quantisation,
  shard,
  extensionType,
  memberRole,
}: Descriptor): string {
  return toJson([typeTag, shape, byteOffset, layout, quantisation, shard, extensionType, memberRole], 0);
}

type Numbers = ArrayLike<number | bigint>;

/** Both as integers where both are of 64 bits, which numbers cannot hold; else as numbers. */
function comparable(a: Values, b: Values): readonly [Numbers, Numbers] {
  const isLong = ({ type }: Values): boolean => type === "int64" || type === "uint64";
  if (isLong(a) && isLong(b)) return [a.elements as BigInt64Array, b.elements as BigInt64Array];
  return [toNumbers(a.type, a.elements), toNumbers(b.type, b.elements)];
}

/** Numbers of a value. */
function partsOf({ type }: Values): 1 | 2 {
  return type === "complex64" || type === "complex128" ? 2 : 1;
}

function valueAt(numbers: Numbers, parts: 1 | 2, i: number): Value {
  return parts === 1 ? numbers[i]! : [Number(numbers[2 * i]), Number(numbers[2 * i + 1])];
}

function sizeOf(value: Value): number {
  return typeof value === "object" ? Math.hypot(...value) : Math.abs(Number(value));
}

/** |a − b|; a real number beside a complex one has the imaginary part 0. */
function distanceOf(a: Value, b: Value): number {
  if (typeof a !== "object" && typeof b !== "object") return realDistance(a, b);
  const pair = (value: Value): readonly [number, number] => (typeof value === "object" ? value : [Number(value), 0]);
  const [p, q] = pair(a);
  const [r, s] = pair(b);
  return Math.hypot(realDistance(p, r), realDistance(q, s));
}

function realDistance(a: number | bigint, b: number | bigint): number {
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
