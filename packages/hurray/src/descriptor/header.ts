import type { ByteReader } from "../bytes/reader.js";
import { elementTypeOf, isPrivateTag } from "../elements.js";
import { HurrayFormatError, HurrayUnsupportedError } from "../errors.js";
import { isKnownLayoutTag, LAYOUT_NAMES, layoutEntryOf, readableLayouts } from "./layouts.js";

/** Bytes of the fixed header. */
const HEADER_LENGTH = 20;

/** Bytes that tell how long a descriptor is. */
const PREFIX_LENGTH = 10;

/** Flag bits of the optional sections. */
export const FLAGS = { quantisation: 1, shard: 2, extensionType: 4, statistics: 8, compositeMember: 16 } as const;

/** Text that opens every descriptor. */
const MAGIC = [0x48, 0x52, 0x52, 0x59] as const;

/** The fields of the fixed header that are still of use after it was checked. */
export interface Header {
  readonly versionMinor: number;
  readonly length: number;
  readonly flags: number;
  readonly typeTag: number;
  readonly layoutTag: number;
  readonly rank: number;
}

/**
 * Reads how long a descriptor is from its first ten bytes, so that it can be skipped
 * or read whole without being parsed.
 *
 * @throws HurrayFormatError R1 to R5 when the bytes do not begin a descriptor.
 * @since 0.1.0
 */
export function descriptorLength(bytes: Uint8Array, operation = "descriptorLength", base = 0): number {
  const refuse = (
    rule: "R1" | "R2" | "R3" | "R4" | "R5",
    field: string,
    at: number,
    problem: string,
    given: unknown,
    expected: string,
  ): never => {
    throw new HurrayFormatError(operation, rule, field, base + at, problem, given, expected);
  };
  if (bytes.byteLength < PREFIX_LENGTH) {
    refuse("R1", "descriptor", 0, "the descriptor is cut short", `${bytes.byteLength} bytes`, "at least 10");
  }
  for (let k = 0; k < 4; k++) {
    if (bytes[k] !== MAGIC[k]) refuse("R2", "magic", k, "this is no Hurray descriptor", bytes[k], `byte ${MAGIC[k]}`);
  }
  const major = bytes[4]!;
  if (major > 1) refuse("R3", "version_major", 4, "the descriptor is of a later major version", major, "1");
  if (major < 1) refuse("R4", "version_major", 4, "the descriptor is of an earlier major version", major, "1");
  const length = new DataView(bytes.buffer, bytes.byteOffset + 6, 4).getUint32(0, true);
  if (length < HEADER_LENGTH) {
    refuse("R5", "descriptor_length", 6, "the descriptor is shorter than its header", length, "at least 20");
  }
  return length;
}

/** Reads the rest of the fixed header; the reader stands at the minor version. */
export function readHeader(reader: ByteReader, length: number): Header {
  const versionMinor = reader.u8("version_minor");
  reader.advance(4, "descriptor_length");
  const flags = reader.u32("flags");
  if (flags >>> 5 !== 0) {
    reader.failBack(4, "R8", "flags", "reserved flag bits are set", `0x${flags.toString(16)}`, "bits 0 to 4 only");
  }
  const typeTag = reader.u8("type_tag");
  checkTypeTag(reader, typeTag, flags);
  const layoutTag = reader.u8("layout_tag");
  checkLayoutTag(reader, layoutTag);
  const rank = reader.u32("rank");
  if (rank > 64) reader.failBack(4, "R15", "rank", "the rank is too large", rank, "at most 64");
  if (rank === 0 && layoutTag !== 0x01) {
    reader.failAt(15, "R16", "layout_tag", "a scalar has another layout than row-major", hex(layoutTag), "0x01");
  }
  if (layoutEntryOf(layoutTag) === undefined) {
    throw new HurrayUnsupportedError(
      "SW_HURRAY_LAYOUT_UNSUPPORTED",
      `${reader.operation}: this layout is not read yet: got ${LAYOUT_NAMES[layoutTag]} (layout tag ${hex(layoutTag)}), expected one of ${readableLayouts()}.`,
      { layoutTag },
    );
  }
  return { versionMinor, length, flags, typeTag, layoutTag, rank };
}

function checkTypeTag(reader: ByteReader, tag: number, flags: number): void {
  if (tag === 0x00 || tag === 0xff) {
    reader.failBack(1, "R9", "type_tag", "the element type is invalid", hex(tag), "a type tag of the format");
  }
  const own = isPrivateTag(tag);
  if (!own && elementTypeOf(tag) === undefined) {
    reader.failBack(1, "R10", "type_tag", "the element type is unknown", hex(tag), "a type tag of the format");
  }
  const described = (flags & FLAGS.extensionType) !== 0;
  if (described !== own) {
    reader.failBack(
      1,
      "R11",
      "type_tag",
      own ? "a private element type is not described" : "a type of the format has an extension type section",
      hex(tag),
      own ? "HAS_EXTENSION_TYPE with tags 0xf0 to 0xfe" : "HAS_EXTENSION_TYPE with tags 0xf0 to 0xfe only",
    );
  }
}

function checkLayoutTag(reader: ByteReader, tag: number): void {
  if (tag === 0x00 || tag === 0xff) {
    reader.failBack(1, "R12", "layout_tag", "the layout is invalid", hex(tag), "a layout tag of the format");
  }
  if (isPrivateTag(tag)) {
    reader.failBack(
      1,
      "R14",
      "layout_tag",
      "the layout is private and not registered",
      hex(tag),
      "a layout of the format",
    );
  }
  if (!isKnownLayoutTag(tag)) {
    reader.failBack(1, "R13", "layout_tag", "the layout is unknown", hex(tag), "a layout tag of the format");
  }
}

function hex(tag: number): string {
  return `0x${tag.toString(16).padStart(2, "0")}`;
}
