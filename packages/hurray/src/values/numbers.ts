import { type ElementTypeName, elementTypeNamed } from "../elements.js";
import { HurrayValueError } from "../errors.js";
import { type ElementArray, type ElementArrays, entriesOf, newElements } from "./arrays.js";
import { float128ToNumber, numberToFloat128 } from "./float128.js";
import {
  decodeE8m0,
  decodeSmallFloat,
  encodeE8m0,
  encodeSmallFloat,
  type Overflow,
  smallFloatOf,
} from "./small-floats.js";

/**
 * Converts unpacked elements to numbers: one an element, two for complex types. Exact for all types but int64, uint64
 * and float128, which give the nearest double, and for what a Float32Array as `into` cannot hold.
 *
 * @param into where the numbers go; a new Float64Array when absent
 * @throws RangeError `SW_HURRAY_VALUE` for an `into` of another length.
 * @example
 * ```ts
 * import { toNumbers } from "@sw/hurray/values";
 * console.log(toNumbers("float4_e2m1", Uint8Array.of(1, 7, 15))); // Float64Array(3) [ 0.5, 6, -6 ]
 * ```
 * @since 0.1.0
 */
export function toNumbers(type: ElementTypeName, elements: ElementArray): Float64Array;
export function toNumbers<N extends Float32Array | Float64Array>(
  type: ElementTypeName,
  elements: ElementArray,
  into: N,
): N;
export function toNumbers(
  type: ElementTypeName,
  elements: ElementArray,
  into?: Float32Array | Float64Array,
): Float32Array | Float64Array {
  const count = type === "float128" ? Math.floor(elements.length / 16) : elements.length;
  const numbers = into ?? new Float64Array(count);
  if (numbers.length !== count) {
    throw new HurrayValueError("toNumbers", "into", "into has another length", numbers.length, `${count}`);
  }
  const { bits } = elementTypeNamed(type);
  // A table pays for itself once there are as many elements as codes.
  const decode = decoderOf(type);
  const table =
    decode && count >= 2 ** bits ? Float32Array.from({ length: 2 ** bits }, (_, code) => decode(code)) : undefined;
  if (table !== undefined) {
    const codes = elements as Uint8Array;
    for (let i = 0; i < count; i++) numbers[i] = table[codes[i]!]!;
  } else if (type === "float128") {
    for (let i = 0; i < count; i++) numbers[i] = float128ToNumber(elements as Uint8Array, i * 16);
  } else if (type === "int64" || type === "uint64") {
    const wide = elements as BigInt64Array | BigUint64Array;
    for (let i = 0; i < count; i++) numbers[i] = Number(wide[i]!);
  } else if (decode === undefined) {
    numbers.set(elements as Float64Array);
  } else {
    const codes = elements as Uint16Array;
    for (let i = 0; i < count; i++) numbers[i] = decode(codes[i]!);
  }
  return numbers;
}

/**
 * Rounds numbers to elements of a type, once: floats to nearest, ties to even; integers are cut to whole numbers and to
 * the range of the type, a NaN is 0 (D11); for bool everything but 0 is true. Complex types take pairs.
 *
 * @param options `overflow` says what becomes of numbers too large for a float of 16 bits or fewer; when absent they
 * become infinity, or the largest number of a type that has no infinity.
 * @throws RangeError `SW_HURRAY_VALUE` for a NaN of a type that has none, for what no e8m0 holds, and for half a pair.
 * @example
 * ```ts
 * import { fromNumbers } from "@sw/hurray/values";
 * console.log(fromNumbers("float8_e4m3", [1, 1000])); // Uint8Array(2) [ 56, 126 ]
 * ```
 * @since 0.1.0
 */
export function fromNumbers<T extends ElementTypeName>(
  type: T,
  numbers: ArrayLike<number>,
  options: { readonly overflow?: Overflow } = {},
): ElementArrays[T] {
  const operation = "fromNumbers";
  const perElement = type === "float128" ? 1 : entriesOf(type);
  if (numbers.length % perElement !== 0) {
    throw new HurrayValueError(
      operation,
      "numbers",
      "a pair is not whole",
      numbers.length,
      "an even number of numbers",
    );
  }
  const elements = newElements(type, numbers.length / perElement);
  if (type === "float128") {
    for (let i = 0; i < numbers.length; i++) numberToFloat128(numbers[i]!, elements as Uint8Array, i * 16);
  } else if (type === "int64" || type === "uint64") {
    const wide = elements as BigInt64Array | BigUint64Array;
    const [lowest, highest] = type === "int64" ? [-(2n ** 63n), 2n ** 63n - 1n] : [0n, 2n ** 64n - 1n];
    for (let i = 0; i < numbers.length; i++) wide[i] = wholeWithin(numbers[i]!, lowest, highest);
  } else {
    const encode = encoderOf(operation, type, options.overflow);
    const narrow = elements as Exclude<ElementArray, BigInt64Array | BigUint64Array>;
    for (let i = 0; i < numbers.length; i++) narrow[i] = encode(numbers[i]!);
  }
  return elements;
}

/** What turns a code into its number; `undefined` where the elements are numbers. */
export function decoderOf(type: ElementTypeName): ((code: number) => number) | undefined {
  if (type === "float8_e8m0") return decodeE8m0;
  const float = smallFloatOf(type);
  return float && ((code) => decodeSmallFloat(float, code));
}

/** What rounds a number to an element. */
export function encoderOf(
  operation: string,
  type: ElementTypeName,
  overflow: Overflow | undefined,
): (value: number) => number {
  if (type === "float8_e8m0") return (value) => encodeE8m0(operation, value);
  if (type === "bool") return (value) => (value === 0 ? 0 : 1);
  const float = smallFloatOf(type);
  if (float !== undefined) return (value) => encodeSmallFloat(operation, type, float, value, overflow);
  const { range } = elementTypeNamed(type);
  if (range === undefined) return (value) => value;
  return (value) => (Number.isNaN(value) ? 0 : Math.trunc(Math.min(range[1], Math.max(range[0], value))));
}

function wholeWithin(value: number, lowest: bigint, highest: bigint): bigint {
  if (Number.isNaN(value)) return 0n;
  if (value <= Number(lowest)) return lowest;
  return value >= Number(highest) ? highest : BigInt(Math.trunc(value));
}
