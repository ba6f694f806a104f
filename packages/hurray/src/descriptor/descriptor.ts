import { ByteReader } from "../bytes/reader.js";
import { ByteWriter } from "../bytes/writer.js";
import { bitsOfTag, byteSpanOf } from "../elements.js";
import { HurrayValueError } from "../errors.js";
import { HANDLE_LENGTH, readBuffers, writeBuffers } from "./buffers.js";
import { FLAGS } from "./flags.js";
import { MAGIC, readHeader, readLength } from "./header.js";
import type { LayoutContext } from "./layout-entry.js";
import { entryOf, kindOfTag, tagOfKind } from "./layouts.js";
import { readQuantisation, writeQuantisation } from "./quantisation.js";
import { parameterBuffers, storageShape } from "./schemes.js";
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
import type { Descriptor } from "./types.js";

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
 * Private layouts, schemes and rules are refused unless `accept` knows them. In permissive mode they pass,
 * as do unknown tags and the other violations that the format relaxes; the descriptor says `opaque` then.
 *
 * @throws HurrayFormatError when a rule is broken, with the rule and where.
 * @since 0.1.0
 */
export function decodeDescriptor(bytes: Uint8Array, options: DecodeOptions = {}): Descriptor {
  const { operation = "decodeDescriptor", base = 0, mode, accept = () => false } = options;
  const reader = new ByteReader(bytes, operation, "R1", base);
  const length = readLength(reader);
  if (length > bytes.byteLength) reader.refuse("R1", length, `at most ${bytes.byteLength}`);
  reader.end = length;
  reader.overrun = "R6";
  reader.isPermissive = mode === "permissive";
  const { flags, typeTag, layoutTag: tag, rank, versionMinor } = readHeader(reader);
  const shape = reader.u64s(rank, "shape");
  const byteOffset = reader.u64("byte_offset");
  const entry = entryOf(kindOfTag(tag));
  const layout = entry.read(reader, { tag, shape, flags, accept });
  const descriptor: Draft = { versionMinor, typeTag, shape, byteOffset, layout, buffers: [] };
  if (layout.kind !== "unknown") readRest(reader, descriptor, flags, accept);
  if (reader.hasRelaxed) descriptor.opaque = true;
  return descriptor;
}

/** A descriptor in the making. */
type Draft = { -readonly [K in keyof Descriptor]: Descriptor[K] };

/** Reads and checks what follows the layout: the buffer table and the sections that are there. */
function readRest(reader: ByteReader, d: Draft, flags: number, accept: LayoutContext["accept"]): void {
  const { shape } = d;
  const { layoutClass, bufferCount } = entryOf(d.layout.kind);
  const offsetAt = 20 + 8 * shape.length;
  if (d.byteOffset !== 0n && layoutClass !== "dense" && layoutClass !== "private") {
    const rule = layoutClass === "virtual" ? "R49" : "R18";
    reader.failAt(offsetAt, rule, "byte_offset", d.byteOffset, "0");
  }
  const tableAt = reader.position;
  d.buffers = readBuffers(reader, layoutClass === "virtual");
  const own = bufferCount(shape.length);
  // Of a private layout buffer 0 alone is known to be its own (A40).
  if (flags & FLAGS.quantisation) d.quantisation = readQuantisation(reader, d, own ?? 1, tableAt + 1, accept);
  const count = d.buffers.length;
  // A scheme that means nothing to us has buffers of its own.
  const expected = own === undefined || isUnread(d) ? count : own + parameterBuffers(d.quantisation).length;
  if (count !== expected) {
    const rule = layoutClass === "dense" ? "R53" : "R54";
    reader.failAt(tableAt, rule, "buffer_count", count, `${expected}`);
  }
  if (flags & FLAGS.shard) d.shard = readShard(reader, shape);
  if (flags & FLAGS.statistics) d.statistics = readStatistics(reader);
  if (flags & FLAGS.extensionType) d.extensionType = readExtensionType(reader);
  if (flags & FLAGS.compositeMember) d.memberRole = readMemberRole(reader);
  if (reader.remaining > 0) {
    if (d.versionMinor === 0) {
      const given = `${reader.remaining} bytes more`;
      reader.failAt(reader.position, "R7", "descriptor_length", given, "none");
    }
    d.tail = reader.window(reader.remaining, "later sections").slice();
  }
  checkSizes(reader, d, offsetAt, tableAt + 1);
}

/**
 * Writes a descriptor: the bytes that `decodeDescriptor` read it from, when it did. What is written is
 * read back, so that no descriptor leaves which a strict reader refuses. Private layouts, schemes and rules
 * pass, since who writes them knows them; an opaque descriptor is read back in permissive mode.
 *
 * @throws HurrayFormatError when the descriptor breaks a rule.
 * @throws HurrayValueError `SW_HURRAY_VALUE` for a number that its field cannot hold, or lists that disagree.
 * @throws TypeError for values of the wrong type.
 * @since 0.1.0
 */
export function encodeDescriptor(descriptor: Descriptor, operation = "encodeDescriptor"): Uint8Array {
  const d = descriptor;
  const rank = d.shape.length;
  const tag = layoutTag(d);
  const writer = new ByteWriter(operation);
  writer.append(Uint8Array.of(...MAGIC, 1));
  writer.u8(d.versionMinor, "version_minor");
  writer.zeros(4); // descriptor_length, known at the end
  writer.u32(descriptorFlags(d), "flags");
  writer.u8(d.typeTag, "type_tag");
  writer.u8(tag, "layout_tag");
  writer.u32(rank, "rank");
  writer.list("u64", d.shape, rank, "shape");
  writer.u64(d.byteOffset, "byte_offset");
  // What is no layout has the tag 0, which the read-back refuses.
  entryOf(d.layout.kind)?.write(writer, d.layout, rank);
  if (d.layout.kind !== "unknown") writeRest(writer, d, rank);
  writer.view.setUint32(6, writer.position, true);
  const bytes = writer.done().slice();
  const again = decodeDescriptor(bytes, { operation, accept: () => true, mode: d.opaque ? "permissive" : "strict" });
  if (again.layout.kind !== d.layout.kind || again.quantisation?.scheme !== d.quantisation?.scheme) {
    const found = `${again.layout.kind}, ${again.quantisation?.scheme}`;
    throw new HurrayValueError(operation, "tag", "a tag is that of another kind", found, "its own");
  }
  return bytes;
}

/** Writes what follows the layout: the buffer table and the sections that are there. */
function writeRest(writer: ByteWriter, d: Descriptor, rank: number): void {
  writeBuffers(writer, d.buffers);
  if (d.quantisation) writeQuantisation(writer, d.quantisation);
  if (d.shard) writeShard(writer, d.shard, rank);
  if (d.statistics) writeStatistics(writer, d.statistics);
  if (d.extensionType) writeExtensionType(writer, d.extensionType);
  if (d.memberRole) writeMemberRole(writer, d.memberRole);
  if (d.tail) writer.append(d.tail);
}

/** The width of a descriptor's elements, in bits; `undefined` for an unknown type, which only permissive mode reads. @since 0.1.0 */
export function elementBits(descriptor: Descriptor): number | undefined {
  return descriptor.extensionType?.bitWidth ?? bitsOfTag(descriptor.typeTag);
}

/** The flags that the header of a descriptor has: which optional sections are there. @since 0.1.0 */
export function descriptorFlags(d: Descriptor): number {
  if (d.layout.kind === "unknown") return d.layout.flags;
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
  return "tag" in layout ? layout.tag : tagOfKind(layout.kind);
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

/** Tells whether the fields of a scheme mean nothing to us, so that what its buffers hold is not known. */
function isUnread({ quantisation }: Descriptor): boolean {
  return quantisation !== undefined && "data" in quantisation;
}

/** Refuses elements outside buffer 0, and buffers too small for layout and shape: R17, R65, of strides R99. */
function checkSizes(reader: ByteReader, descriptor: Descriptor, offsetAt: number, handlesAt: number): void {
  const { layout, shape, buffers, byteOffset } = descriptor;
  const { layoutClass, needs } = entryOf(layout.kind);
  const size = buffers[0]?.byteSize ?? 0n;
  if (layoutClass === "dense" && byteOffset > size) {
    reader.failAt(offsetAt, "R17", "byte_offset", byteOffset, `at most the ${size} bytes of buffer 0`);
  }
  if (isUnread(descriptor)) return;
  const rule = layout.kind === "strided" ? "R99" : "R65";
  const range = dataRange(descriptor);
  if (range !== undefined && range.start < 0n) {
    reader.failAt(offsetAt, rule, "byte_offset", `elements at byte ${range.start}`, "at least 0");
  }
  const bits = elementBits(descriptor);
  const least = range !== undefined ? [range.end] : bits !== undefined ? needs?.(layout, shape, bits) : undefined;
  least?.forEach((bytes, k) => {
    const { byteSize } = buffers[k]!;
    if (byteSize < bytes) {
      const expected = `at least ${bytes} in buffer ${k}`;
      reader.failAt(handlesAt + HANDLE_LENGTH * k, rule, "byte_size", byteSize, expected);
    }
  });
}
