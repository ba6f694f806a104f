import { ByteReader } from "../bytes/reader.js";
import type { ByteWriter } from "../bytes/writer.js";
import { isPrivateTag, rangeOfTag } from "../elements.js";
import { HANDLE_LENGTH } from "./buffers.js";
import type { LayoutContext } from "./layout-entry.js";
import { DYNAMIC } from "./shape.js";
import type { BufferHandle, Descriptor, DescriptorLayout, Quantisation } from "./types.js";

/** The schemes of the format. */
type Scheme = Exclude<Quantisation["scheme"], "private" | "unknown">;

/** What the format says of one scheme (section 7). */
interface SchemeEntry {
  readonly tag: number;
  readonly length: number;
  /** Whether bit 0 of the flags, SYMMETRIC, is defined. */
  readonly symmetric: boolean;
  /** Tags of the element types that may hold the quantised values. */
  readonly storage: readonly number[];
  /** Smallest and largest block, where there are blocks. */
  readonly block?: readonly [number, number];
}

const INTS_8 = [0x4a, 0x4b, 0x48, 0x49, 0x10, 0x11] as const;
const INTS_32 = [...INTS_8, 0x12, 0x13, 0x14, 0x15] as const;
const SCHEMES: { readonly [S in Scheme]: SchemeEntry } = {
  perTensor: { tag: 1, length: 16, symmetric: false, storage: INTS_32 },
  perChannel: { tag: 2, length: 20, symmetric: true, storage: INTS_32 },
  perBlock: { tag: 3, length: 24, symmetric: true, storage: INTS_8, block: [2, 0x80000000] },
  nf4: { tag: 4, length: 16, symmetric: false, storage: [0x49], block: [8, 0x80000000] },
  mxfp: {
    tag: 5,
    length: 16,
    symmetric: false,
    storage: [0x40, 0x41, 0x43, 0x44, 0x45, 0x10, 0x48],
    block: [16, 2048],
  },
};

/** Stands for "no zero points" in their buffer index. */
const NO_BUFFER = 0xffffffff;

/** What the section is judged against. */
interface QuantisationContext {
  readonly typeTag: number;
  readonly shape: readonly bigint[];
  readonly layout: DescriptorLayout;
  readonly buffers: readonly BufferHandle[];
  /** Buffers that the layout owns; parameters may not lie there. */
  readonly own: number;
}

/** Reads the section after its length, checks it against type and shape, and its buffers against the table. */
export function readQuantisation(
  outer: ByteReader,
  { typeTag, shape, layout, buffers }: Descriptor,
  own: number,
  handlesAt: number,
  accept: LayoutContext["accept"],
): Quantisation {
  const context = { typeTag, shape, layout, buffers, own };
  const length = outer.u32("quantization_length");
  const start = outer.position;
  const window = outer.window(length, "quantization section");
  const reader = new ByteReader(window, outer.operation, "R66", outer.base + start);
  reader.isPermissive = outer.isPermissive;
  const tag = reader.u8("scheme_tag");
  const scheme = schemeOf(tag);
  if (scheme === undefined) return readUnread(reader, outer, tag, accept);
  const entry = SCHEMES[scheme];
  reader.position = 0;
  reader.need(entry.length, "quantization descriptor");
  reader.position = 1;
  const version = reader.u8("scheme_version");
  if (version > 1) reader.refuse("R69", version, "1");
  if (version < 1) reader.refuse("R70", version, "1");
  const flags = reader.u16("scheme flags");
  if ((flags & (entry.symmetric ? 0xfffe : 0xffff)) !== 0) {
    reader.refuse("R71", flags, entry.symmetric ? "0 or 1" : "0");
  }
  if (!entry.storage.includes(typeTag)) {
    const problem = `scheme ${scheme} does not store this element type`;
    outer.failAt(14, "R75", "type_tag", problem, typeTag, entry.storage.join(", "));
  }
  const fields = readFields(reader, scheme, (flags & 1) !== 0, context);
  checkParameters(outer, fields, context, handlesAt);
  const padding = reader.remaining > 0 ? { padding: window.slice(reader.position) } : {};
  return { ...fields, ...padding };
}

/** Reads a scheme whose fields are not known, which is kept as it is: one that the caller accepts, or any in permissive mode. */
function readUnread(reader: ByteReader, outer: ByteReader, tag: number, accept: LayoutContext["accept"]): Quantisation {
  if (tag === 0x00 || tag === 0xff) {
    reader.refuse("R67", tag, "1 to 5");
  }
  const isPrivate = isPrivateTag(tag);
  if (!isPrivate || !accept("scheme", BigInt(tag))) {
    reader.relax("R68", tag, "1 to 5", "the quantisation scheme is unknown");
    outer.hasRelaxed ||= reader.hasRelaxed;
  }
  const version = reader.u8("scheme_version");
  const flags = reader.u16("scheme flags");
  const data = reader.bytes.slice(reader.position);
  return { scheme: isPrivate ? "private" : "unknown", tag, version, flags, data };
}

/** Writes the section, its length first. */
export function writeQuantisation(writer: ByteWriter, q: Quantisation): void {
  if ("data" in q) {
    writer.u32(4 + q.data.byteLength, "quantization_length");
    writer.u8(q.tag, "scheme_tag");
    writer.u8(q.version, "scheme_version");
    writer.u16(q.flags, "scheme flags");
    writer.append(q.data);
    return;
  }
  const entry = SCHEMES[q.scheme];
  writer.u32(entry.length + (q.padding?.byteLength ?? 0), "quantization_length");
  writer.u8(entry.tag, "scheme_tag");
  writer.u8(1, "scheme_version");
  const symmetric = entry.symmetric && zeroPointsOf(q) === undefined;
  writer.u16(symmetric ? 1 : 0, "scheme flags");
  if (q.scheme === "perTensor") {
    writer.f32(q.scale);
    writer.i32(q.zeroPoint, "zero_point");
    writer.zeros(4);
  } else {
    writer.u32(q.axis, "axis");
    if (q.scheme !== "perChannel") writer.u32(q.blockSize, "block_size");
    writer.u32(q.scaleBuffer, "scale_buffer_index");
    if (entry.symmetric) {
      writer.u32(zeroPointsOf(q) ?? NO_BUFFER, "zero_point_buffer_index");
      writer.u8(q.scheme === "perBlock" ? q.scaleTypeTag : 3, "scale_type_tag");
      writer.zeros(3);
    }
  }
  if (q.padding !== undefined) writer.append(q.padding);
}

/** The buffers that hold parameters, without repetition. */
export function parameterBuffers(q: Quantisation | undefined): number[] {
  if (q === undefined || !("scaleBuffer" in q)) return [];
  const zeroPoints = zeroPointsOf(q);
  return zeroPoints === undefined || zeroPoints === q.scaleBuffer ? [q.scaleBuffer] : [q.scaleBuffer, zeroPoints];
}

/** The exact byte sizes of the parameter buffers, or `undefined` while a dimension is dynamic (R85). */
function parameterSizes(
  q: Quantisation,
  shape: readonly bigint[],
  layout: DescriptorLayout,
): Map<number, bigint> | undefined {
  const sizes = new Map<number, bigint>();
  if (!("scaleBuffer" in q)) return sizes;
  let count = shape[q.axis]!;
  if (q.scheme === "perBlock" && layout.kind === "blockPaged") {
    // One for each place of each page, whatever the shape (4.9).
    count = layout.numPages * BigInt(layout.pageSize);
  } else if (q.scheme !== "perChannel") {
    if (shape.includes(DYNAMIC)) return undefined;
    count = wholeBlocks(count, q.blockSize);
    shape.forEach((extent, k) => {
      if (k !== q.axis) count *= extent;
    });
  }
  sizes.set(q.scaleBuffer, count * scaleWidth(q));
  const zeroPoints = zeroPointsOf(q);
  if (zeroPoints !== undefined) sizes.set(zeroPoints, (sizes.get(zeroPoints) ?? 0n) + count * 4n);
  return sizes;
}

/** The shape that row-major and column-major strides follow: a quantised axis holds whole blocks (A7). */
export function storageShape(shape: readonly bigint[], q: Quantisation | undefined): readonly bigint[] {
  if (q === undefined || (q.scheme !== "perBlock" && q.scheme !== "nf4")) return shape;
  const size = BigInt(q.blockSize);
  return shape.map((extent, k) => (k === q.axis ? wholeBlocks(extent, q.blockSize) * size : extent));
}

function readFields(
  reader: ByteReader,
  scheme: Scheme,
  symmetric: boolean,
  context: QuantisationContext,
): Quantisation {
  if (scheme === "perTensor") return readPerTensor(reader, context.typeTag);
  const axis = reader.u32("axis");
  if (axis >= context.shape.length) {
    reader.refuse("R76", axis, `below the rank, ${context.shape.length}`);
  }
  const extent = context.shape[axis]!;
  if (extent === DYNAMIC) {
    reader.refuse("R77", `axis ${axis}`, "an axis of known size", "the quantised axis is dynamic");
  }
  const { layout } = context;
  const isPaged = layout.kind === "blockPaged";
  if (isPaged && scheme === "perChannel" && axis === 0) {
    reader.refuse("R42", axis, "1 or 2", "a paged tensor has channels of tokens");
  }
  if (isPaged && scheme === "perBlock" && axis !== 0) {
    reader.refuse("R41", axis, "0", "a paged tensor has blocks along another axis");
  }
  if (scheme === "perChannel") {
    const scaleBuffer = readIndex(reader, "scale_buffer_index", context);
    const zeroPoints = readZeroPoints(reader, symmetric, context);
    const scaleType = reader.u8("scale_type_tag");
    if (scaleType !== 3) reader.refuse("R81", scaleType, "3");
    reader.reserved(3, "R72");
    return { scheme, axis, scaleBuffer, ...zeroPoints };
  }
  const blockSize = readBlockSize(reader, scheme, extent, isPaged);
  if (isPaged && scheme === "perBlock" && blockSize !== layout.pageSize) {
    reader.refuse("R41", blockSize, `${layout.pageSize}`, "a block of a paged tensor is no page");
  }
  const scaleBuffer = readIndex(reader, "scale_buffer_index", context);
  if (scheme !== "perBlock") return { scheme, axis, blockSize, scaleBuffer };
  const zeroPoints = readZeroPoints(reader, symmetric, context);
  const scaleTypeTag = reader.u8("scale_type_tag");
  if (scaleTypeTag < 1 || scaleTypeTag > 3) {
    reader.refuse("R81", scaleTypeTag, "1, 2 or 3");
  }
  reader.reserved(3, "R72");
  return { scheme, axis, blockSize, scaleBuffer, ...zeroPoints, scaleTypeTag };
}

function readPerTensor(reader: ByteReader, typeTag: number): Quantisation {
  const scale = reader.f32("scale");
  if (scale === 0 || !Number.isFinite(scale)) {
    reader.refuse("R73", scale, "a finite number other than 0");
  }
  const zeroPoint = reader.i32("zero_point");
  const [lowest, highest] = rangeOfTag(typeTag)!;
  if (zeroPoint < lowest || zeroPoint > highest) {
    reader.refuse("R74", zeroPoint, `${lowest} to ${highest}`);
  }
  reader.reserved(4, "R72");
  return { scheme: "perTensor", scale, zeroPoint };
}

function readBlockSize(
  reader: ByteReader,
  scheme: "perBlock" | "nf4" | "mxfp",
  extent: bigint,
  isPaged: boolean,
): number {
  const size = reader.u32("block_size");
  const [lowest, highest] = SCHEMES[scheme].block!;
  if (size < lowest || size > highest || (size & (size - 1)) !== 0) {
    reader.refuse("R78", size, `a power of two from ${lowest} to ${highest}`);
  }
  if (scheme === "mxfp") {
    if (extent === 0n || extent % BigInt(size) !== 0n) {
      reader.refuse("R80", `${extent} elements`, `a multiple of ${size}`, "the axis does not consist of whole blocks");
    }
  } else if (!isPaged && extent > 0n && BigInt(size) > extent) {
    reader.refuse("R79", size, `at most ${extent}`, "a block is longer than the axis");
  }
  return size;
}

function readIndex(reader: ByteReader, field: string, context: QuantisationContext): number {
  const index = reader.u32(field);
  if (index >= context.buffers.length) {
    reader.refuse("R83", index, `below ${context.buffers.length}`, "the parameter buffer does not exist");
  }
  if (index < context.own) {
    reader.refuse("R84", index, `at least ${context.own}`, "the parameter buffer belongs to the layout");
  }
  return index;
}

function readZeroPoints(
  reader: ByteReader,
  symmetric: boolean,
  context: QuantisationContext,
): { zeroPointBuffer?: number } {
  const field = "zero_point_buffer_index";
  if (!symmetric) return { zeroPointBuffer: readIndex(reader, field, context) };
  const index = reader.u32(field);
  if (index !== NO_BUFFER) {
    reader.refuse("R82", index, `${NO_BUFFER}`, "a symmetric scheme names zero points");
  }
  return {};
}

function checkParameters(outer: ByteReader, q: Quantisation, context: QuantisationContext, handlesAt: number): void {
  const sizes = parameterSizes(q, context.shape, context.layout);
  for (const [index, size] of sizes ?? []) {
    const given = context.buffers[index]!.byteSize;
    if (given !== size) {
      const problem = `parameter buffer ${index} has another size`;
      const at = handlesAt + HANDLE_LENGTH * index;
      outer.failAt(at, "R85", "byte_size", problem, `${given} bytes`, `exactly ${size}`);
    }
  }
}

function schemeOf(tag: number): Scheme | undefined {
  return (Object.keys(SCHEMES) as Scheme[]).find((scheme) => SCHEMES[scheme].tag === tag);
}

function zeroPointsOf(q: Quantisation): number | undefined {
  return q.scheme === "perChannel" || q.scheme === "perBlock" ? q.zeroPointBuffer : undefined;
}

function scaleWidth(q: Quantisation): bigint {
  if (q.scheme === "mxfp") return 1n;
  return q.scheme === "perBlock" && q.scaleTypeTag !== 3 ? 2n : 4n;
}

function wholeBlocks(extent: bigint, blockSize: number): bigint {
  const size = BigInt(blockSize);
  return (extent + size - 1n) / size;
}
