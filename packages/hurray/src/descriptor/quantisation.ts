import type { ByteReader } from "../bytes/reader.js";
import type { ByteWriter } from "../bytes/writer.js";
import { isPrivateTag, rangeOfTag } from "../elements.js";
import { HANDLE_LENGTH } from "./buffers.js";
import type { LayoutContext } from "./layout-entry.js";
import { parameterSizes, SCHEMES, type Scheme, schemeOf, zeroPointsOf } from "./schemes.js";
import { DYNAMIC } from "./shape.js";
import type { Descriptor, Quantisation } from "./types.js";

/** Stands for "no zero points" in their buffer index. */
const NO_BUFFER = 0xffffffff;

/**
 * Reads the section, its length first, and checks it against the type, the shape and the buffer table of the
 * descriptor that is being read. The layout owns the first `own` buffers, where parameters may not lie.
 */
export function readQuantisation(
  reader: ByteReader,
  d: Descriptor,
  own: number,
  handlesAt: number,
  accept: LayoutContext["accept"],
): Quantisation {
  const length = reader.u32("quantization_length");
  const { end, overrun } = reader;
  reader.need(length, "quantization_length");
  reader.end = reader.position + length;
  reader.overrun = "R66";
  const fields = readScheme(reader, d, own, accept);
  for (const [index, size] of parameterSizes(fields, d.shape, d.layout) ?? []) {
    const given = d.buffers[index]!.byteSize;
    if (given !== size) {
      const expected = `${size} in buffer ${index}`;
      reader.failAt(handlesAt + HANDLE_LENGTH * index, "R85", "byte_size", given, expected);
    }
  }
  const padding = reader.window(reader.remaining, "padding").slice();
  reader.end = end;
  reader.overrun = overrun;
  return padding.byteLength === 0 ? fields : { ...fields, padding };
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

function readScheme(reader: ByteReader, d: Descriptor, own: number, accept: LayoutContext["accept"]): Quantisation {
  const { typeTag } = d;
  const tag = reader.within("R67", reader.u8("scheme_tag"), 0x01, 0xfe);
  const scheme = schemeOf(tag);
  if (scheme === undefined) {
    const isPrivate = isPrivateTag(tag);
    if (!isPrivate || !accept("scheme", BigInt(tag))) reader.relax("R68", tag, "1 to 5");
    const version = reader.u8("scheme_version");
    const flags = reader.u16("scheme flags");
    const data = reader.window(reader.remaining, "scheme").slice();
    return { scheme: isPrivate ? "private" : "unknown", tag, version, flags, data };
  }
  const { length, symmetric, storage } = SCHEMES[scheme];
  reader.need(length - 1, "quantization_length");
  const version = reader.u8("scheme_version");
  reader.within(version > 1 ? "R69" : "R70", version, 1, 1);
  const flags = reader.within("R71", reader.u16("scheme flags"), 0, symmetric ? 1 : 0);
  if (!storage.includes(typeTag)) {
    reader.failAt(14, "R75", "type_tag", typeTag, `${storage.join(", ")} with scheme ${scheme}`);
  }
  return scheme === "perTensor" ? readPerTensor(reader, typeTag) : readArrays(reader, d, own, scheme, flags === 1);
}

function readPerTensor(reader: ByteReader, typeTag: number): Quantisation {
  const scale = reader.f32("scale");
  if (scale === 0 || !Number.isFinite(scale)) reader.refuse("R73", scale, "finite and not 0");
  const zeroPoint = reader.within("R74", reader.i32("zero_point"), ...rangeOfTag(typeTag)!);
  reader.reserved(4, "R72");
  return { scheme: "perTensor", scale, zeroPoint };
}

/** Reads the schemes whose parameters are arrays in buffers of their own. */
function readArrays(
  reader: ByteReader,
  { shape, layout, buffers }: Descriptor,
  own: number,
  scheme: Exclude<Scheme, "perTensor">,
  isSymmetric: boolean,
): Quantisation {
  const axis = reader.u32("axis");
  const extent = shape[axis];
  if (extent === undefined) reader.refuse("R76", axis, `below the rank, ${shape.length}`);
  if (extent === DYNAMIC) reader.refuse("R77", axis, "a known size");
  const pageSize = layout.kind === "blockPaged" ? layout.pageSize : undefined;
  if (pageSize !== undefined && (axis === 0 ? scheme === "perChannel" : scheme === "perBlock")) {
    reader.refuse(axis === 0 ? "R42" : "R41", axis, axis === 0 ? "1 or 2" : "0");
  }
  const blockSize = scheme === "perChannel" ? 0 : readBlockSize(reader, scheme, extent, pageSize);
  const readIndex = (field: string): number => {
    const index = reader.u32(field);
    if (index >= buffers.length) reader.refuse("R83", index, `below ${buffers.length}`);
    if (index < own) reader.refuse("R84", index, `at least ${own}`);
    return index;
  };
  const scaleBuffer = readIndex("scale_buffer_index");
  if (scheme === "nf4" || scheme === "mxfp") return { scheme, axis, blockSize, scaleBuffer };
  let zeroPoints = {};
  if (!isSymmetric) zeroPoints = { zeroPointBuffer: readIndex("zero_point_buffer_index") };
  else {
    const index = reader.u32("zero_point_buffer_index");
    if (index !== NO_BUFFER) reader.refuse("R82", index, `${NO_BUFFER}`);
  }
  const scaleTypeTag = reader.within("R81", reader.u8("scale_type_tag"), scheme === "perChannel" ? 3 : 1, 3);
  reader.reserved(3, "R72");
  if (scheme === "perChannel") return { scheme, axis, scaleBuffer, ...zeroPoints };
  return { scheme, axis, blockSize, scaleBuffer, ...zeroPoints, scaleTypeTag };
}

function readBlockSize(
  reader: ByteReader,
  scheme: "perBlock" | "nf4" | "mxfp",
  extent: bigint,
  pageSize: number | undefined,
): number {
  const size = reader.powerOfTwo("R78", reader.u32("block_size"), ...SCHEMES[scheme].block!);
  if (scheme === "mxfp") {
    if (extent === 0n || extent % BigInt(size) !== 0n) reader.refuse("R80", size, `a divisor of the axis, ${extent}`);
  } else if (pageSize === undefined) {
    if (extent > 0n && BigInt(size) > extent) reader.refuse("R79", size, `at most the axis, ${extent}`);
  } else if (scheme === "perBlock" && size !== pageSize) {
    reader.refuse("R41", size, `${pageSize}`);
  }
  return size;
}
