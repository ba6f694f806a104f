import { ByteReader } from "../bytes/reader.js";
import type { ByteWriter } from "../bytes/writer.js";
import { elementTypeOf } from "../elements.js";
import { DYNAMIC } from "./shape.js";
import type { BufferHandle, Quantisation } from "./types.js";

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
export interface QuantisationContext {
  readonly typeTag: number;
  readonly shape: readonly bigint[];
  readonly buffers: readonly BufferHandle[];
  /** Buffers that the layout owns; parameters may not lie there. */
  readonly layoutBuffers: number;
}

/** Reads the section after its length, checks it against type and shape, and its buffers against the table. */
export function readQuantisation(outer: ByteReader, context: QuantisationContext): Quantisation {
  const length = outer.u32("quantization_length");
  const start = outer.position;
  const window = outer.window(length, "quantization section");
  const reader = new ByteReader(window, outer.operation, "R66", outer.base + start);
  const tag = reader.u8("scheme_tag");
  const scheme = schemeOf(reader, tag);
  const entry = SCHEMES[scheme];
  reader.position = 0;
  reader.need(entry.length, "quantization descriptor");
  reader.position = 1;
  const version = reader.u8("scheme_version");
  if (version > 1) reader.failBack(1, "R69", "scheme_version", "the scheme is of a later version", version, "1");
  if (version < 1) reader.failBack(1, "R70", "scheme_version", "the scheme is of an earlier version", version, "1");
  const flags = reader.u16("scheme flags");
  if ((flags & (entry.symmetric ? 0xfffe : 0xffff)) !== 0) {
    reader.failBack(
      2,
      "R71",
      "scheme flags",
      "reserved scheme flag bits are set",
      flags,
      entry.symmetric ? "0 or 1" : "0",
    );
  }
  if (!entry.storage.includes(context.typeTag)) {
    const name = elementTypeOf(context.typeTag)?.name ?? `type tag ${context.typeTag}`;
    const names = entry.storage.map((t) => elementTypeOf(t)!.name).join(", ");
    reader.failAt(0, "R75", "type_tag", `scheme ${scheme} does not store this element type`, name, names);
  }
  const fields = readFields(reader, scheme, (flags & 1) !== 0, context);
  checkParameters(reader, fields, context);
  const padding = reader.remaining > 0 ? { padding: window.slice(reader.position) } : {};
  return { ...fields, ...padding };
}

/** Writes the section, its length first. */
export function writeQuantisation(writer: ByteWriter, q: Quantisation): void {
  if (q.scheme === "private" || q.scheme === "unknown") {
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
function parameterSizes(q: Quantisation, shape: readonly bigint[]): Map<number, bigint> | undefined {
  const sizes = new Map<number, bigint>();
  if (!("scaleBuffer" in q)) return sizes;
  let count = shape[q.axis]!;
  if (q.scheme !== "perChannel") {
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
    reader.failBack(
      4,
      "R76",
      "axis",
      "the quantised axis does not exist",
      axis,
      `below the rank, ${context.shape.length}`,
    );
  }
  const extent = context.shape[axis]!;
  if (extent === DYNAMIC) {
    reader.failBack(4, "R77", "axis", "the quantised axis is dynamic", `axis ${axis}`, "an axis of known size");
  }
  if (scheme === "perChannel") {
    const scaleBuffer = readIndex(reader, "scale_buffer_index", context);
    const zeroPoints = readZeroPoints(reader, symmetric, context);
    const scaleType = reader.u8("scale_type_tag");
    if (scaleType !== 3) reader.failBack(1, "R81", "scale_type_tag", "the scales have another type", scaleType, "3");
    reader.reserved(3, "R72", "reserved bytes of the quantisation");
    return { scheme, axis, scaleBuffer, ...zeroPoints };
  }
  const blockSize = readBlockSize(reader, scheme, extent);
  const scaleBuffer = readIndex(reader, "scale_buffer_index", context);
  if (scheme !== "perBlock") return { scheme, axis, blockSize, scaleBuffer };
  const zeroPoints = readZeroPoints(reader, symmetric, context);
  const scaleTypeTag = reader.u8("scale_type_tag");
  if (scaleTypeTag < 1 || scaleTypeTag > 3) {
    reader.failBack(1, "R81", "scale_type_tag", "the scales have another type", scaleTypeTag, "1, 2 or 3");
  }
  reader.reserved(3, "R72", "reserved bytes of the quantisation");
  return { scheme, axis, blockSize, scaleBuffer, ...zeroPoints, scaleTypeTag };
}

function readPerTensor(reader: ByteReader, typeTag: number): Quantisation {
  const scale = reader.f32("scale");
  if (scale === 0 || !Number.isFinite(scale)) {
    reader.failBack(4, "R73", "scale", "the scale is no usable number", scale, "a finite number other than 0");
  }
  const zeroPoint = reader.i32("zero_point");
  const [lowest, highest] = elementTypeOf(typeTag)!.range!;
  if (zeroPoint < lowest || zeroPoint > highest) {
    reader.failBack(4, "R74", "zero_point", "the zero point is no stored value", zeroPoint, `${lowest} to ${highest}`);
  }
  reader.reserved(4, "R72", "reserved bytes of the quantisation");
  return { scheme: "perTensor", scale, zeroPoint };
}

function readBlockSize(reader: ByteReader, scheme: "perBlock" | "nf4" | "mxfp", extent: bigint): number {
  const size = reader.u32("block_size");
  const [lowest, highest] = SCHEMES[scheme].block!;
  if (size < lowest || size > highest || (size & (size - 1)) !== 0) {
    reader.failBack(
      4,
      "R78",
      "block_size",
      "the block size is not allowed",
      size,
      `a power of two from ${lowest} to ${highest}`,
    );
  }
  if (scheme === "mxfp") {
    if (extent === 0n || extent % BigInt(size) !== 0n) {
      reader.failBack(
        4,
        "R80",
        "block_size",
        "the axis does not consist of whole blocks",
        `${extent} elements`,
        `a multiple of ${size}`,
      );
    }
  } else if (extent > 0n && BigInt(size) > extent) {
    reader.failBack(4, "R79", "block_size", "a block is longer than the axis", size, `at most ${extent}`);
  }
  return size;
}

function readIndex(reader: ByteReader, field: string, context: QuantisationContext): number {
  const index = reader.u32(field);
  if (index >= context.buffers.length) {
    reader.failBack(4, "R83", field, "the parameter buffer does not exist", index, `below ${context.buffers.length}`);
  }
  if (index < context.layoutBuffers) {
    reader.failBack(
      4,
      "R84",
      field,
      "the parameter buffer belongs to the layout",
      index,
      `at least ${context.layoutBuffers}`,
    );
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
    reader.failBack(4, "R82", field, "a symmetric scheme names zero points", index, `${NO_BUFFER}`);
  }
  return {};
}

function checkParameters(reader: ByteReader, q: Quantisation, context: QuantisationContext): void {
  const sizes = parameterSizes(q, context.shape);
  for (const [index, size] of sizes ?? []) {
    const given = context.buffers[index]!.byteSize;
    if (given !== size) {
      reader.failAt(
        0,
        "R85",
        "byte_size",
        `parameter buffer ${index} has another size`,
        `${given} bytes`,
        `exactly ${size}`,
      );
    }
  }
}

function schemeOf(reader: ByteReader, tag: number): Scheme {
  for (const scheme of Object.keys(SCHEMES) as Scheme[]) {
    if (SCHEMES[scheme].tag === tag) return scheme;
  }
  if (tag === 0x00 || tag === 0xff) {
    reader.failBack(1, "R67", "scheme_tag", "the quantisation scheme is invalid", tag, "1 to 5");
  }
  return reader.failBack(1, "R68", "scheme_tag", "the quantisation scheme is unknown", tag, "1 to 5");
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
