import { ByteReader } from "../bytes/reader.js";
import { ByteWriter } from "../bytes/writer.js";
import { MAGIC } from "../descriptor/header.js";
import { HurrayFormatError, type Rule } from "../errors.js";

/** Bytes of the file header. */
export const FILE_HEADER_LENGTH = 64;

/** Bytes of the trailer, at the very end. */
export const TRAILER_LENGTH = 40;

/** Stands for "the writer did not know" in the hint of how many tensors follow. @since 0.1.0 */
export const COUNT_UNKNOWN: bigint = 0xffffffffffffffffn;

/** Text that opens every file. */
export const FILE_MAGIC = [0x48, 0x52, 0x52, 0x59, 0x46, 0x49, 0x4c, 0x45] as const;

/** The first 64 bytes of a file. @since 0.1.0 */
export interface FileHeader {
  readonly versionMinor: number;
  readonly hasMetadata: boolean;
  readonly sortedIndex: boolean;
  readonly hasIndexChecksum: boolean;
  /** What the start of every buffer is a multiple of. */
  readonly dataBufferAlignment: number;
  readonly firstDescriptorOffset: bigint;
  /** A hint, never trusted; `COUNT_UNKNOWN` when the writer did not know. */
  readonly tensorCountHint: bigint;
}

/** The last 40 bytes of a file. @since 0.1.0 */
export interface FileTrailer {
  readonly indexOffset: bigint;
  readonly indexLength: bigint;
  /** 0 when there is no metadata section. */
  readonly kvOffset: bigint;
  readonly kvLength: number;
  readonly indexChecksum: number;
}

/** Refuses a file that cannot hold header and trailer. */
export function checkFileSize(operation: string, byteLength: number): void {
  const least = FILE_HEADER_LENGTH + TRAILER_LENGTH;
  if (byteLength >= least) return;
  const problem = "this is no Hurray file";
  throw new HurrayFormatError(operation, "R125", "file", 0, problem, `${byteLength} bytes`, `at least ${least}`);
}

/** Reads the file header. */
export function readFileHeader(bytes: Uint8Array, operation: string, fileSize: number): FileHeader {
  const r = new ByteReader(bytes, operation, "R125");
  r.magic("R126", FILE_MAGIC, "this is no Hurray file");
  r.within("R127", r.u8("container_version_major"), 1, 1);
  const versionMinor = r.u8("container_version_minor");
  r.reserved(2, "R129");
  const flags = r.u32("file_flags");
  if (flags >>> 3 > 0) {
    r.refuse("R128", `0x${flags.toString(16)}`, "bits 0 to 2 only");
  }
  const alignment = r.powerOfTwo("R130", r.u32("data_buffer_alignment"), 4096, 2097152);
  const first = r.u64("first_descriptor_offset");
  const end = fileSize - TRAILER_LENGTH;
  if (first < 64n || first % 8n !== 0n || first > end) {
    r.refuse("R131", first, `a multiple of 8 from 64 to ${end}`);
  }
  const tensorCountHint = r.u64("tensor_count_hint");
  r.reserved(28, "R129");
  return {
    versionMinor,
    hasMetadata: (flags & 1) > 0,
    sortedIndex: (flags & 2) > 0,
    hasIndexChecksum: (flags & 4) > 0,
    dataBufferAlignment: alignment,
    firstDescriptorOffset: first,
    tensorCountHint,
  };
}

/** Reads the trailer and proves that the sections it names lie in the body of the file. */
export function readTrailer(bytes: Uint8Array, operation: string, fileSize: number, header: FileHeader): FileTrailer {
  const base = fileSize - TRAILER_LENGTH;
  const r = new ByteReader(bytes, operation, "R125", base);
  // Without it nothing before it means anything.
  r.position = 36;
  r.magic("R132", MAGIC, "the end is no trailer", "trailer_magic");
  r.position = 0;
  const indexOffset = r.within("R134", r.u64("index_offset"), 64n);
  const indexLength = r.u64("index_length");
  r.within("R134", indexOffset + indexLength, 0n, BigInt(base));
  if (indexOffset % 8n !== 0n) r.failAt(0, "R135", "index_offset", indexOffset, "a multiple of 8");
  const kvOffset = r.u64("kv_offset");
  const kvLength = r.u32("kv_length");
  const present = kvOffset > 0n && kvLength > 0;
  const refuseKv = (rule: Rule, given: unknown, expected: string): never =>
    r.failAt(16, rule, "kv_offset", given, expected);
  if (header.hasMetadata && !present) refuseKv("R147", `${kvOffset}, length ${kvLength}`, "both other than 0");
  if (present) {
    const kvEnd = kvOffset + BigInt(kvLength);
    if (kvOffset < 64n || kvEnd > base) refuseKv("R146", `${kvOffset} to ${kvEnd}`, `64 to ${base}`);
    if (kvOffset % 8n !== 0n) refuseKv("R135", kvOffset, "a multiple of 8");
  }
  const indexChecksum = r.within("R137", r.u32("index_crc32c"), 0, header.hasIndexChecksum ? undefined : 0);
  r.reserved(4, "R133");
  return {
    indexOffset,
    indexLength,
    kvOffset: present ? kvOffset : 0n,
    kvLength: present ? kvLength : 0,
    indexChecksum,
  };
}

/** Writes the file header. */
export function writeFileHeader(operation: string, header: FileHeader): Uint8Array {
  const w = new ByteWriter(operation, FILE_HEADER_LENGTH);
  w.append(Uint8Array.from(FILE_MAGIC));
  w.u8(1, "container_version_major");
  w.u8(header.versionMinor, "container_version_minor");
  w.zeros(2);
  w.u32((header.hasMetadata ? 1 : 0) | (header.sortedIndex ? 2 : 0) | (header.hasIndexChecksum ? 4 : 0), "file_flags");
  w.u32(header.dataBufferAlignment, "data_buffer_alignment");
  w.u64(header.firstDescriptorOffset, "first_descriptor_offset");
  w.u64(header.tensorCountHint, "tensor_count_hint");
  w.zeros(28);
  return w.done();
}

/** Writes the trailer. */
export function writeTrailer(operation: string, trailer: FileTrailer): Uint8Array {
  const w = new ByteWriter(operation, TRAILER_LENGTH);
  w.u64(trailer.indexOffset, "index_offset");
  w.u64(trailer.indexLength, "index_length");
  w.u64(trailer.kvOffset, "kv_offset");
  w.u32(trailer.kvLength, "kv_length");
  w.u32(trailer.indexChecksum, "index_crc32c");
  w.zeros(4);
  w.append(Uint8Array.from(MAGIC));
  return w.done();
}
