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

/** Every element type of the format (section 2), in the order of the tags. @since 0.1.0 */
export const ELEMENT_TYPES: readonly ElementType[] = [
  { tag: 0x01, name: "float16", bits: 16, alignment: 2, tier: 1 },
  { tag: 0x02, name: "bfloat16", bits: 16, alignment: 2, tier: 1 },
  { tag: 0x03, name: "float32", bits: 32, alignment: 4, tier: 1 },
  { tag: 0x04, name: "float64", bits: 64, alignment: 8, tier: 1 },
  { tag: 0x10, name: "int8", bits: 8, alignment: 1, tier: 1, range: [-128, 127] },
  { tag: 0x11, name: "uint8", bits: 8, alignment: 1, tier: 1, range: [0, 255] },
  { tag: 0x12, name: "int16", bits: 16, alignment: 2, tier: 1, range: [-32768, 32767] },
  { tag: 0x13, name: "uint16", bits: 16, alignment: 2, tier: 1, range: [0, 65535] },
  { tag: 0x14, name: "int32", bits: 32, alignment: 4, tier: 1, range: [-2147483648, 2147483647] },
  { tag: 0x15, name: "uint32", bits: 32, alignment: 4, tier: 1, range: [0, 4294967295] },
  { tag: 0x16, name: "int64", bits: 64, alignment: 8, tier: 1 },
  { tag: 0x17, name: "uint64", bits: 64, alignment: 8, tier: 1 },
  { tag: 0x20, name: "bool", bits: 1, alignment: 1, tier: 1 },
  { tag: 0x40, name: "float8_e4m3", bits: 8, alignment: 1, tier: 2 },
  { tag: 0x41, name: "float8_e5m2", bits: 8, alignment: 1, tier: 2 },
  { tag: 0x42, name: "float8_e8m0", bits: 8, alignment: 1, tier: 2 },
  { tag: 0x43, name: "float4_e2m1", bits: 4, alignment: 1, tier: 2 },
  { tag: 0x44, name: "float6_e2m3", bits: 6, alignment: 1, tier: 2 },
  { tag: 0x45, name: "float6_e3m2", bits: 6, alignment: 1, tier: 2 },
  { tag: 0x46, name: "float128", bits: 128, alignment: 16, tier: 2 },
  { tag: 0x48, name: "int4", bits: 4, alignment: 1, tier: 2, range: [-8, 7] },
  { tag: 0x49, name: "uint4", bits: 4, alignment: 1, tier: 2, range: [0, 15] },
  { tag: 0x4a, name: "int2", bits: 2, alignment: 1, tier: 2, range: [-2, 1] },
  { tag: 0x4b, name: "uint2", bits: 2, alignment: 1, tier: 2, range: [0, 3] },
  { tag: 0x50, name: "complex64", bits: 64, alignment: 4, tier: 2 },
  { tag: 0x51, name: "complex128", bits: 128, alignment: 8, tier: 2 },
];

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
