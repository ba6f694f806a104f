import { ByteReader } from "../bytes/reader.js";
import { ByteWriter } from "../bytes/writer.js";
import { byteSpanOf, elementTypeOf } from "../elements.js";
import { HurrayFormatError, HurrayValueError } from "../errors.js";
import { readBuffers, writeBuffers } from "./buffers.js";
import { descriptorLength, FLAGS, readHeader } from "./header.js";
import { entryOf, layoutEntryOf } from "./layouts.js";
import { parameterBuffers, readQuantisation, storageShape, writeQuantisation } from "./quantisation.js";
import {
  readExtensionType,
  readMemberRole,
  readShard,
  writeExtensionType,
  writeMemberRole,
  writeShard,
} from "./sections.js";
import { elementCount } from "./shape.js";
import { readStatistics, writeStatistics } from "./statistics.js";
import type { BufferHandle, Descriptor, Quantisation } from "./types.js";

/** How a descriptor is read. @since 0.1.0 */
export interface DecodeOptions {
  /** What begins the messages of errors; `decodeDescriptor` when absent. */
  readonly operation?: string;
  /** Added to the byte offsets of errors: where the bytes start in the file. */
  readonly base?: number;
  /** `"permissive"` passes over the rules that the format relaxes for inspection (marked P); the descriptor is `opaque` then. */
  readonly mode?: "strict" | "permissive";
  /** Tells which private layouts (by their extension id), schemes and composition rules (by their tag) the caller knows; none when absent. */
  readonly accept?: (what: "layout" | "scheme" | "rule", id: bigint) => boolean;
}

/**
 * Reads the descriptor that the bytes begin with, checks it in every respect that needs no
 * data (rules R1 to R95 and R99), and gives it as plain data. Bytes after it are not looked at.
 *
 * @throws HurrayFormatError when a rule is broken, with the rule and where.
 * @throws HurrayUnsupportedError `SW_HURRAY_LAYOUT_UNSUPPORTED` for a layout that is not read yet.
 * @since 0.1.0
 */
export function decodeDescriptor(bytes: Uint8Array, options: DecodeOptions = {}): Descriptor {
  const operation = options.operation ?? "decodeDescriptor";
  const base = options.base ?? 0;
  const length = descriptorLength(bytes, operation, base);
  if (length > bytes.byteLength) {
    const problem = "the descriptor is cut short";
    throw new HurrayFormatError(
      operation,
      "R1",
      "descriptor_length",
      base + 6,
      problem,
      `${bytes.byteLength} bytes`,
      `${length}`,
    );
  }
  const reader = new ByteReader(bytes, operation, "R6", base, length);
  reader.position = 5;
  const header = readHeader(reader, length);
  const { flags, typeTag, rank, versionMinor } = header;
  const shape = reader.u64s(rank, "shape");
  const offsetAt = reader.position;
  const byteOffset = reader.u64("byte_offset");
  const entry = layoutEntryOf(header.layoutTag)!;
  const layout = entry.read(reader, rank, shape);
  const tableAt = reader.position;
  const buffers = readBuffers(reader);
  const layoutBuffers = entry.bufferCount(rank)!;
  const read = <T>(flag: number, section: () => T): T | undefined => ((flags & flag) !== 0 ? section() : undefined);
  const quantisation = read(FLAGS.quantisation, () =>
    readQuantisation(reader, { typeTag, shape, buffers, layoutBuffers }),
  );
  checkBufferCount(reader, tableAt, buffers, layoutBuffers, quantisation);
  const shard = read(FLAGS.shard, () => readShard(reader, shape));
  const statistics = read(FLAGS.statistics, () => readStatistics(reader));
  const extensionType = read(FLAGS.extensionType, () => readExtensionType(reader));
  const memberRole = read(FLAGS.compositeMember, () => readMemberRole(reader));
  const tail = reader.remaining > 0 ? bytes.slice(reader.position, length) : undefined;
  if (tail !== undefined && versionMinor === 0) {
    reader.fail("R7", "descriptor_length", "bytes remain after the last section", `${reader.remaining} bytes`, "none");
  }
  const descriptor: Descriptor = {
    versionMinor,
    typeTag,
    shape,
    byteOffset,
    layout,
    buffers,
    ...(quantisation && { quantisation }),
    ...(shard && { shard }),
    ...(statistics && { statistics }),
    ...(extensionType && { extensionType }),
    ...(memberRole && { memberRole }),
    ...(tail && { tail }),
  };
  checkReach(reader, descriptor, offsetAt);
  return descriptor;
}

/**
 * Writes a descriptor: the bytes that `decodeDescriptor` read it from, when it did. What is
 * written is read back, so that no descriptor leaves which a strict reader refuses.
 *
 * @throws HurrayFormatError when the descriptor breaks a rule.
 * @throws HurrayValueError `SW_HURRAY_VALUE` for a number that its field cannot hold, or lists that disagree.
 * @since 0.1.0
 */
export function encodeDescriptor(descriptor: Descriptor, operation = "encodeDescriptor"): Uint8Array {
  const d = descriptor;
  const rank = d.shape.length;
  const entry = entryOf(d.layout.kind);
  if (d.layout.kind === "strided" && d.layout.strides.length !== rank) {
    const given = d.layout.strides.length;
    throw new HurrayValueError(operation, "strides", "strides and shape differ in length", given, `${rank}`);
  }
  const writer = new ByteWriter(operation);
  writer.append(Uint8Array.of(0x48, 0x52, 0x52, 0x59, 1));
  writer.u8(d.versionMinor, "version_minor");
  writer.zeros(4); // descriptor_length, known at the end
  writer.u32(descriptorFlags(d), "flags");
  writer.u8(d.typeTag, "type_tag");
  writer.u8(layoutTag(d), "layout_tag");
  writer.u32(rank, "rank");
  for (const extent of d.shape) writer.u64(extent, "shape");
  writer.u64(d.byteOffset, "byte_offset");
  entry.write(writer, d.layout);
  writeBuffers(writer, d.buffers);
  if (d.quantisation) writeQuantisation(writer, d.quantisation);
  if (d.shard) writeShard(writer, d.shard, rank);
  if (d.statistics) writeStatistics(writer, d.statistics);
  if (d.extensionType) writeExtensionType(writer, d.extensionType);
  if (d.memberRole) writeMemberRole(writer, d.memberRole);
  if (d.tail) writer.append(d.tail);
  writer.view.setUint32(6, writer.position, true);
  const bytes = writer.done().slice();
  decodeDescriptor(bytes, { operation });
  return bytes;
}

/** The width of a descriptor's elements, in bits; `undefined` for an unknown type, which only permissive mode reads. @since 0.1.0 */
export function elementBits(descriptor: Descriptor): number | undefined {
  return descriptor.extensionType?.bitWidth ?? elementTypeOf(descriptor.typeTag)?.bits;
}

/** The flags that the header of a descriptor has: which optional sections are there. @since 0.1.0 */
export function descriptorFlags(d: Descriptor): number {
  return (
    (d.quantisation ? FLAGS.quantisation : 0) |
    (d.shard ? FLAGS.shard : 0) |
    (d.extensionType ? FLAGS.extensionType : 0) |
    (d.statistics ? FLAGS.statistics : 0) |
    (d.memberRole ? FLAGS.compositeMember : 0)
  );
}

/** The tag of a descriptor's layout. @since 0.1.0 */
export function layoutTag({ layout }: Descriptor): number {
  return "tag" in layout ? layout.tag : entryOf(layout.kind).tag;
}

/**
 * Computes which bytes of buffer 0 the elements of a dense layout occupy: `start` and `end`, from the start of
 * the buffer; an empty range when there is no element. `undefined` while a dimension is dynamic, for other
 * layouts, and for elements of an unknown width.
 * @since 0.1.0
 */
export function dataRange(descriptor: Descriptor): { readonly start: bigint; readonly end: bigint } | undefined {
  const { shape, layout, byteOffset } = descriptor;
  const entry = entryOf(layout.kind);
  const stored = entry.storesWholeBlocks ? storageShape(shape, descriptor.quantisation) : shape;
  const count = elementCount(stored);
  const bits = elementBits(descriptor);
  if (entry.span === undefined || count === undefined || bits === undefined) return undefined;
  if (count === 0n) return { start: byteOffset, end: byteOffset };
  const { lowest, highest } = entry.span(layout, stored);
  const span = byteSpanOf(bits, lowest, highest);
  return { start: byteOffset + span.start, end: byteOffset + span.end };
}

function checkBufferCount(
  reader: ByteReader,
  tableAt: number,
  buffers: readonly BufferHandle[],
  layoutBuffers: number,
  quantisation: Quantisation | undefined,
): void {
  const expected = layoutBuffers + parameterBuffers(quantisation).length;
  if (buffers.length !== expected) {
    reader.failAt(
      tableAt,
      "R53",
      "buffer_count",
      "the tensor has another number of buffers",
      buffers.length,
      `${expected}`,
    );
  }
}

/** Refuses elements outside buffer 0: byte offset (R17), size (R65), strides (R99). */
function checkReach(reader: ByteReader, descriptor: Descriptor, offsetAt: number): void {
  const sizeRule = descriptor.layout.kind === "strided" ? "R99" : "R65";
  const size = descriptor.buffers[0]!.byteSize;
  if (descriptor.byteOffset > size) {
    reader.failAt(
      offsetAt,
      "R17",
      "byte_offset",
      "the byte offset lies past the end of buffer 0",
      descriptor.byteOffset,
      `at most ${size}`,
    );
  }
  const range = dataRange(descriptor);
  if (range === undefined) return;
  if (range.start < 0n) {
    reader.failAt(
      offsetAt,
      sizeRule,
      "byte_offset",
      "elements lie before the start of buffer 0",
      `byte ${range.start}`,
      "at least 0",
    );
  }
  if (range.end > size) {
    reader.failAt(
      offsetAt,
      sizeRule,
      "byte_size",
      "buffer 0 is too small for the shape",
      `${size} bytes`,
      `at least ${range.end}`,
    );
  }
}
