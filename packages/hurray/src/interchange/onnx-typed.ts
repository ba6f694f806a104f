import { type ElementTypeName, elementTypeNamed } from "../elements.js";
import { packElements } from "../values/pack.js";
import { invalid, type Task } from "./errors.js";
import { foreignBits } from "./types.js";
import { BYTES, FIXED_32, FIXED_64, forEachField, VARINT, WireReader, type WireType } from "./wire.js";

/** The fields of TensorProto that have numbers, by their own number, and how one number is stored. */
export const TYPED_FIELDS: { readonly [field: number]: { readonly name: string; readonly wire: WireType } } = {
  4: { name: "float_data", wire: FIXED_32 },
  5: { name: "int32_data", wire: VARINT },
  7: { name: "int64_data", wire: VARINT },
  10: { name: "double_data", wire: FIXED_64 },
  11: { name: "uint64_data", wire: VARINT },
};

/** The field that has the numbers of a type. */
export function typedField(type: ElementTypeName): number {
  if (type === "float32" || type === "complex64") return 4;
  if (type === "float64" || type === "complex128") return 10;
  if (type === "uint32" || type === "uint64") return 11;
  return type === "int64" ? 7 : 5;
}

/**
 * Reads elements from the field of numbers that belongs to their type, to the bytes that `raw_data` would have. The numbers are
 * counted first, so that nothing is allocated for numbers that are not there.
 */
export function typedBytes(task: Task, message: Uint8Array, type: ElementTypeName, count: number): Uint8Array {
  const field = typedField(type);
  const { name } = TYPED_FIELDS[field]!;
  const { bits: elementBits } = elementTypeNamed(type);
  const isComplex = type === "complex64" || type === "complex128";
  const bits = isComplex ? elementBits / 2 : elementBits === 6 ? 6 : Math.max(8, foreignBits(type));
  // A number is half of a complex element, or a byte of packed ones; six bits are not packed.
  const expected = isComplex ? count * 2 : Math.ceil((count * Math.min(bits, foreignBits(type))) / bits);
  let given = 0;
  forEachNumber(task, message, field, () => given++);
  if (given !== expected) {
    const problem = "there are more or fewer numbers than the shape asks for";
    throw invalid(task, name, 0, problem, given, `${expected} for ${count} elements of ${type}`);
  }
  const width = Math.ceil(bits / 8);
  const target = new Uint8Array(expected * width);
  const fits = type === "int8" || type === "int16" || type === "int32" ? fitsSigned : fitsUnsigned;
  let position = 0;
  forEachNumber(task, message, field, ({ low, high }, at) => {
    if (bits < 64 && !fits(low, high, bits)) {
      const value = BigInt.asIntN(64, (BigInt(high) << 32n) | BigInt(low));
      throw invalid(task, name, at, `the number does not fit ${type}`, value, `a number of ${bits} bits`);
    }
    for (let k = 0; k < width; k++) target[position++] = (k < 4 ? low : high) >>> ((k & 3) * 8);
  });
  if (bits !== 6) return target;
  const packed = new Uint8Array(Math.ceil(count / 4) * 3);
  packElements(type as "float6_e2m3", target, packed);
  return packed;
}

function fitsUnsigned(low: number, high: number, bits: number): boolean {
  return high === 0 && low < 2 ** bits;
}

/** Negative numbers of 32 bits are written as those of 64. */
function fitsSigned(low: number, high: number, bits: number): boolean {
  const value = low | 0;
  return high === (value < 0 ? 0xffffffff : 0) && value >= -(2 ** (bits - 1)) && value < 2 ** (bits - 1);
}

/** Walks over the numbers of a field, packed together or one by one. */
function forEachNumber(
  task: Task,
  message: Uint8Array,
  wanted: number,
  visit: (number: { readonly low: number; readonly high: number }, at: number) => void,
): void {
  const { name, wire: own } = TYPED_FIELDS[wanted]!;
  forEachField(task, message, (field, wire, start, end) => {
    if (field !== wanted) return;
    if (wire !== own && wire !== BYTES) {
      const expected = `${own} or ${BYTES}`;
      throw invalid(task, name, start, "the field is stored in another way", `wire type ${wire}`, expected);
    }
    const reader = new WireReader(task, message, start, end);
    while (!reader.atEnd) {
      const at = reader.position;
      if (own === VARINT) reader.varint(name);
      else reader.fixed(name, own === FIXED_32 ? 4 : 8);
      visit(reader, at);
    }
  });
}
