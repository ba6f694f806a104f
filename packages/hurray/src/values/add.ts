import { type ElementTypeName, elementTypeNamed } from "../elements.js";
import { HurrayUnsupportedError } from "../errors.js";
import { type ElementArray, entriesOf } from "./arrays.js";
import type { Copy } from "./copy.js";
import { decoderOf, encoderOf } from "./numbers.js";
import { isSigned, signShift } from "./pack.js";

/**
 * What adds elements to others, in their own type: floats round once, integers wrap around.
 *
 * @throws HurrayUnsupportedError `SW_HURRAY_TYPE_UNSUPPORTED` for bool and float128, which have no sum here.
 */
export function adderOf(operation: string, type: ElementTypeName, source: ElementArray, target: ElementArray): Copy {
  if (type === "bool" || type === "float128") {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_TYPE_UNSUPPORTED",
      `${operation}: elements of this type are not added: got ${type}, expected integers or floats of at most 64 bits.`,
      { typeTag: elementTypeNamed(type).tag },
    );
  }
  const entries = entriesOf(type);
  const add = sumOf(operation, type);
  // Either numbers or bigints, in both arrays: a store into the array rounds and wraps as the type does.
  const from = source as Float64Array;
  const to = target as Float64Array;
  return (start, step, toStart, toStep, count) => {
    for (let i = 0; i < count; i++) {
      const a = (start + i * step) * entries;
      const b = (toStart + i * toStep) * entries;
      for (let e = 0; e < entries; e++) to[b + e] = add(to[b + e]!, from[a + e]!);
    }
  };
}

function sumOf(operation: string, type: ElementTypeName): (a: number, b: number) => number {
  const decode = decoderOf(type);
  if (decode !== undefined) {
    const encode = encoderOf(operation, type, undefined);
    return (a, b) => encode(decode(a) + decode(b));
  }
  const { bits } = elementTypeNamed(type);
  if (bits >= 8) return (a, b) => a + b;
  const shift = signShift(bits, isSigned(type));
  const mask = (1 << bits) - 1;
  return (a, b) => (((a + b) & mask) << shift) >> shift;
}
