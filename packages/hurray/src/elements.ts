/** The element types that the format names. Private types (tags 0xF0 to 0xFE) have no name. @since 0.1.0 */
export type ElementTypeName =
  | "float16"
  | "bfloat16"
  | "float32"
  | "float64"
  | "int8"
  | "uint8"
  | "int16"
  | "uint16"
  | "int32"
  | "uint32"
  | "int64"
  | "uint64"
  | "bool"
  | "float8_e4m3"
  | "float8_e5m2"
  | "float8_e8m0"
  | "float4_e2m1"
  | "float6_e2m3"
  | "float6_e3m2"
  | "float128"
  | "int4"
  | "uint4"
  | "int2"
  | "uint2"
  | "complex64"
  | "complex128";

/** What the format says of an element type. @since 0.1.0 */
export interface ElementType {
  readonly tag: number;
  readonly name: ElementTypeName;
  /** Bits of one element; below 8 elements are packed, lowest bits first. */
  readonly bits: number;
  /** Natural alignment, in bytes. */
  readonly alignment: number;
  /** 1: every reader has it. 2: optional. */
  readonly tier: 1 | 2;
  /** The integers the type holds, for the integer types of at most 32 bits. */
  readonly range?: readonly [number, number];
}

/** Tags in the order of the names. */
const TAGS: readonly number[] = [
  1, 2, 3, 4, 16, 17, 18, 19, 20, 21, 22, 23, 32, 64, 65, 66, 67, 68, 69, 70, 72, 73, 74, 75, 80, 81,
];

/** Names in the order of the tags. */
const NAMES: readonly ElementTypeName[] = [
  "float16",
  "bfloat16",
  "float32",
  "float64",
  "int8",
  "uint8",
  "int16",
  "uint16",
  "int32",
  "uint32",
  "int64",
  "uint64",
  "bool",
  "float8_e4m3",
  "float8_e5m2",
  "float8_e8m0",
  "float4_e2m1",
  "float6_e2m3",
  "float6_e3m2",
  "float128",
  "int4",
  "uint4",
  "int2",
  "uint2",
  "complex64",
  "complex128",
];

/** Bits of an element, by tag: the first number of the name. */
const BITS: { readonly [tag: number]: number } = /* @__PURE__ */ Object.fromEntries(
  NAMES.map((name, k) => [TAGS[k]!, Number(/\d+/.exec(name) ?? 1)]),
);

/** Every element type of the format (section 2), in the order of the tags. @since 0.1.0 */
export const ELEMENT_TYPES: readonly ElementType[] = /* @__PURE__ */ NAMES.map((name, k) => {
  const tag = TAGS[k]!;
  const bits = BITS[tag]!;
  const range = rangeOfTag(tag);
  // A complex number is two numbers; everything else is aligned to its own size.
  const alignment = Math.max(1, name.startsWith("complex") ? bits / 16 : bits >> 3);
  return { tag, name, bits, alignment, tier: tag < 0x40 ? 1 : 2, ...(range && { range }) };
});

/** The name of a type, by its tag; `undefined` for private and unassigned tags. */
export function nameOfTag(tag: number): ElementTypeName | undefined {
  return NAMES[TAGS.indexOf(tag)];
}

/** The width of a type's elements in bits, by its tag; `undefined` for private and unassigned tags. */
export function bitsOfTag(tag: number): number | undefined {
  return BITS[tag];
}

/** The integers that a type of at most 32 bits holds, by its tag; `undefined` for all other types. Signed types have even tags. */
export function rangeOfTag(tag: number): readonly [number, number] | undefined {
  if ((tag < 0x10 || tag > 0x15) && (tag < 0x48 || tag > 0x4b)) return undefined;
  const size = 2 ** BITS[tag]!;
  return tag % 2 === 0 ? [-size / 2, size / 2 - 1] : [0, size - 1];
}

/** Finds the element type of a tag; `undefined` for private and unassigned tags. @since 0.1.0 */
export function elementTypeOf(tag: number): ElementType | undefined {
  return ELEMENT_TYPES.find((type) => type.tag === tag);
}

/** Finds the element type of a name. @since 0.1.0 */
export function elementTypeNamed(name: ElementTypeName): ElementType {
  return ELEMENT_TYPES.find((type) => type.name === name)!;
}

/** Tells whether a type tag is one that parties agree on between themselves. */
export function isPrivateTag(tag: number): boolean {
  return tag >= 0xf0 && tag <= 0xfe;
}

/** A range of bytes that elements occupy, relative to the byte offset of the first element. */
export interface ByteSpan {
  /** Where the first byte lies; negative when elements lie before the first one. */
  readonly start: bigint;
  /** One past the last byte. */
  readonly end: bigint;
}

/**
 * Computes the bytes that the elements with offsets `lowest` to `highest` (inclusive) occupy,
 * exactly. Widths 1, 2 and 4 share bytes, width 6 packs groups of four elements in three bytes.
 */
export function byteSpanOf(bits: number, lowest: bigint, highest: bigint): ByteSpan {
  if (bits === 6) return { start: floorDivide(lowest, 4n) * 3n, end: (floorDivide(highest, 4n) + 1n) * 3n };
  if (bits < 8) {
    const perByte = BigInt(8 / bits);
    return { start: floorDivide(lowest, perByte), end: floorDivide(highest, perByte) + 1n };
  }
  const width = BigInt(bits / 8);
  return { start: lowest * width, end: (highest + 1n) * width };
}

/** Computes how many bytes `count` elements need, packed from bit 0 of the first byte on. @since 0.1.0 */
export function byteLengthOf(bits: number, count: bigint): bigint {
  return count <= 0n ? 0n : byteSpanOf(bits, 0n, count - 1n).end;
}

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value < 0n && quotient * divisor !== value ? quotient - 1n : quotient;
}
