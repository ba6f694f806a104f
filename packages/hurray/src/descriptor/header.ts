import { ByteReader } from "../bytes/reader.js";
import { bitsOfTag, isPrivateTag } from "../elements.js";
import { FLAGS } from "./flags.js";
import { kindOfTag } from "./layouts.js";

/** Bytes of the fixed header. */
const HEADER_LENGTH = 20;

/** Bytes that tell how long a descriptor is. */
export const PREFIX_LENGTH = 10;

/** Text that opens every descriptor. */
export const MAGIC = [0x48, 0x52, 0x52, 0x59] as const;

/** The fields of the fixed header that are still of use after it was checked. */
export interface Header {
  readonly versionMinor: number;
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
  return readLength(new ByteReader(bytes, operation, "R1", base));
}

/** Reads the first ten bytes of a descriptor and gives its length. */
export function readLength(reader: ByteReader): number {
  reader.need(PREFIX_LENGTH, "descriptor");
  reader.magic("R2", MAGIC, "this is no Hurray descriptor");
  const major = reader.u8("version_major");
  reader.within(major > 1 ? "R3" : "R4", major, 1, 1);
  reader.position++; // version_minor, read with the rest
  return reader.within("R5", reader.u32("descriptor_length"), HEADER_LENGTH);
}

/** Reads the rest of the fixed header, after its first ten bytes. */
export function readHeader(reader: ByteReader): Header {
  const versionMinor = reader.bytes[5]!;
  const flags = reader.u32("flags");
  if (flags >>> 5 !== 0) reader.refuse("R8", hex(flags), "bits 0 to 4 only");
  const typeTag = reader.u8("type_tag");
  checkTypeTag(reader, typeTag, flags);
  const layoutTag = reader.u8("layout_tag");
  checkLayoutTag(reader, layoutTag);
  const rank = reader.within("R15", reader.u32("rank"), 0, 64);
  if (rank === 0 && layoutTag !== 0x01) {
    reader.failAt(15, "R16", "layout_tag", hex(layoutTag), "0x01 in a scalar");
  }
  return { versionMinor, flags, typeTag, layoutTag, rank };
}

function checkTypeTag(reader: ByteReader, tag: number, flags: number): void {
  const expected = "a tag of the format";
  if (tag === 0x00 || tag === 0xff) reader.refuse("R9", hex(tag), expected);
  const isPrivate = isPrivateTag(tag);
  if (!isPrivate && bitsOfTag(tag) === undefined) reader.relax("R10", hex(tag), expected);
  if (isPrivate !== ((flags & FLAGS.extensionType) !== 0)) {
    reader.refuse("R11", hex(tag), "HAS_EXTENSION_TYPE with 0xf0 to 0xfe only");
  }
}

function checkLayoutTag(reader: ByteReader, tag: number): void {
  const expected = "a tag of the format";
  if (tag === 0x00 || tag === 0xff) reader.refuse("R12", hex(tag), expected);
  if (kindOfTag(tag) === "unknown") reader.relax("R13", hex(tag), expected);
}

function hex(tag: number): string {
  return `0x${tag.toString(16).padStart(2, "0")}`;
}
