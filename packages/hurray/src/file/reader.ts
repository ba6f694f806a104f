import type { Tensor } from "@sw/tensor";
import { quote } from "../bytes/quote.js";
import { decodeDescriptor } from "../descriptor/descriptor.js";
import { descriptorLength } from "../descriptor/header.js";
import type { Descriptor } from "../descriptor/types.js";
import { HurrayFormatError, HurrayLimitError, HurrayLookupError, HurraySourceError } from "../errors.js";
import { type Loaded, type LoadOptions, loadFrom, memoryOf, planLoad } from "../load.js";
import { countOption, refuseValue } from "../number-option.js";
import { type HurrayInput, sourceOf } from "../source/input.js";
import { type HurraySource, readBytes } from "../source/source.js";
import { crc32c } from "./crc32c.js";
import {
  checkFileSize,
  FILE_HEADER_LENGTH,
  type FileHeader,
  type FileTrailer,
  readFileHeader,
  readTrailer,
  TRAILER_LENGTH,
} from "./frame.js";
import { entryAt, type IndexEntry, indexEntries, readIndex } from "./index-section.js";
import { findKey, type Keyed, keysOf } from "./keys.js";
import { ENTRY_MEMORY, type KvEntry, type KvSection, kvEntries, readKv } from "./kv.js";
import { type Metadata, plainMetadata } from "./metadata.js";
import { bufferStarts, type Located } from "./regions.js";

const MAXIMUM = "maximumDecodedBytes";

/** Something that can be called off. @since 0.1.0 */
export interface Abortable {
  readonly signal?: AbortSignal;
}

/** How a file is opened. @since 0.1.0 */
export interface OpenHurrayOptions extends Abortable {
  /**
   * Bytes that `entries` may take in memory, and so may `kv` with `metadata`, by an estimate; when absent 256 MiB, and no
   * more than three times the file and 1 MiB.
   */
  readonly maximumDecodedBytes?: number;
}

/**
 * Opens a file: reads its header, trailer, index and metadata, and no tensor.
 *
 * @throws HurrayFormatError when the file breaks a rule, with the rule and where.
 * @throws HurraySourceError `SW_HURRAY_SOURCE_SHORT` when the source gives fewer bytes than it promised.
 * @since 0.1.0
 */
export async function openHurray(input: HurrayInput, options: OpenHurrayOptions = {}): Promise<HurrayFile> {
  const operation = "openHurray";
  options.signal?.throwIfAborted();
  const source = sourceOf(input, operation);
  const size = source.byteLength;
  checkFileSize(operation, size);
  const most = Math.min(3 * size + 2 ** 20, 2 ** 28);
  const maximum = countOption(operation, MAXIMUM, options[MAXIMUM], 0, most);
  const read = (start: number, end: number): Promise<Uint8Array> =>
    readBytes(source, operation, start, end, options.signal);
  // Entries are decoded later, as they were checked: a source may give windows of memory that is written to.
  const keep = async (start: number, end: number): Promise<Uint8Array> => new Uint8Array(await read(start, end));
  const header = readFileHeader(await read(0, FILE_HEADER_LENGTH), operation, size);
  const bodyEnd = size - TRAILER_LENGTH;
  const trailer = readTrailer(await read(bodyEnd, size), operation, size, header);
  const indexStart = Number(trailer.indexOffset);
  const index = await keep(indexStart, indexStart + Number(trailer.indexLength));
  options.signal?.throwIfAborted();
  const checksum = crc32c(index);
  if (header.hasIndexChecksum && checksum !== trailer.indexChecksum) {
    const problem = "the index is damaged";
    const at = bodyEnd + 28;
    throw new HurrayFormatError(operation, "R136", "index_crc32c", at, problem, checksum, `${trailer.indexChecksum}`);
  }
  const names = readIndex(index, { operation, base: indexStart, bodyEnd, sorted: header.sortedIndex });
  const kvStart = Number(trailer.kvOffset);
  // Without a section there are as many entries as in one of zeros.
  const kv = trailer.kvLength === 0 ? new Uint8Array(4) : await keep(kvStart, kvStart + trailer.kvLength);
  const keys = readKv(kv, operation, kvStart);
  options.signal?.throwIfAborted();
  return new HurrayFile(source, header, trailer, names, keys, maximum);
}

/** An open file. Tensors are read when they are asked for; asking for one touches no other. @since 0.1.0 */
export class HurrayFile {
  declare readonly source: HurraySource;
  declare readonly header: FileHeader;
  declare readonly trailer: FileTrailer;
  isClosed = false;
  /** Where the entries of the index lie in its bytes. @internal */
  declare readonly index: Keyed;
  /** Where those of the metadata do. @internal */
  declare readonly keys: KvSection;
  /** Bytes that either may take once they are decoded. @internal */
  declare readonly maximum: number;
  /** What has been decoded, since it was asked for. @internal */
  readonly decoded: { entries?: ReadonlyMap<string, IndexEntry>; kv?: readonly KvEntry[]; metadata?: Metadata } = {};

  /** Files are opened by `openHurray`. @internal */
  constructor(
    source: HurraySource,
    header: FileHeader,
    trailer: FileTrailer,
    index: Keyed,
    keys: KvSection,
    maximum: number,
  ) {
    this.source = source;
    this.header = header;
    this.trailer = trailer;
    this.index = index;
    this.keys = keys;
    this.maximum = maximum;
  }

  /**
   * The index, in the order of the file. All of it is decoded when it is first asked for; `entry` decodes one.
   *
   * @throws HurrayLimitError `SW_HURRAY_LIMIT` when that takes more than `maximumDecodedBytes`.
   */
  get entries(): ReadonlyMap<string, IndexEntry> {
    const { bytes, byKey } = this.index;
    this.checkMemory("entries", ENTRY_MEMORY * byKey.length + 2 * bytes.length);
    this.decoded.entries ??= new Map(indexEntries(this.index).map((entry) => [entry.name, entry]));
    return this.decoded.entries;
  }

  /**
   * The metadata with the exact types of its values, in the order of the file.
   *
   * @throws HurrayLimitError `SW_HURRAY_LIMIT` when its values take more than `maximumDecodedBytes`.
   */
  get kv(): readonly KvEntry[] {
    this.checkMemory("kv", this.keys.memory);
    this.decoded.kv ??= kvEntries(this.keys);
    return this.decoded.kv;
  }

  /** Refuses to decode what takes too much memory. @internal */
  checkMemory(operation: string, bytes: number): void {
    const { maximum } = this;
    if (bytes <= maximum) return;
    const advice = "Allow more.";
    throw new HurrayLimitError(operation, MAXIMUM, BigInt(bytes), `at most ${maximum}`, advice);
  }

  /** The metadata as plain values, by key. Throws as `kv`. */
  get metadata(): Metadata {
    this.decoded.metadata ??= plainMetadata(this.kv);
    return this.decoded.metadata;
  }

  /** The names of the tensors, in the order of the index. */
  names(): string[] {
    return keysOf(this.index);
  }

  /** Tells whether the file has a tensor of that name. */
  has(name: string): boolean {
    return findKey(this.index, name) !== undefined;
  }

  /**
   * Finds where a tensor lies, by a binary search.
   *
   * @throws TypeError for a name that is no text.
   * @throws HurrayLookupError `SW_HURRAY_NAME_UNKNOWN`, with the eight names whose bytes come first.
   */
  entry(name: string): IndexEntry {
    const { bytes, byKey } = this.index;
    const found = findKey(this.index, name);
    if (found !== undefined) return entryAt(bytes, found);
    if (typeof name !== "string") refuseValue("read", "name", name, "", "text");
    const names = keysOf({ bytes, byKey: byKey.subarray(0, 8) });
    throw new HurrayLookupError("read", name, names, byKey.length);
  }

  /**
   * Reads what the file says of a tensor, and none of its data.
   *
   * @throws HurrayLookupError, HurrayFormatError, HurrayUnsupportedError, HurraySourceError.
   */
  async descriptor(name: string, options: Abortable = {}): Promise<Descriptor> {
    return (await this.locate(name, options)).descriptor;
  }

  /**
   * Reads what the file says of a tensor and finds where its buffers are. Nothing of its data is read.
   *
   * @throws HurrayLookupError, HurrayFormatError, HurraySourceError.
   */
  async locate(name: string, options: Abortable = {}): Promise<Located> {
    const entry = this.entry(name);
    const operation = `read ${quote(name)}`;
    const start = Number(entry.descriptorOffset);
    const bytes = await this.read(operation, start, entry.descriptorLength, options);
    const length = descriptorLength(bytes, operation, start);
    if (length !== entry.descriptorLength) {
      const problem = "index and descriptor differ";
      const given = entry.descriptorLength;
      throw new HurrayFormatError(operation, "R145", "descriptor_length", start + 6, problem, given, `${length}`);
    }
    const descriptor = decodeDescriptor(bytes, { operation, base: start });
    const starts = bufferStarts(entry, descriptor, operation, this.header, this.source.byteLength);
    return { name, descriptor, starts };
  }

  /**
   * Reads the buffers of a tensor as they are in the file, by its name or by what `locate` found. They may be
   * windows of the source's memory.
   *
   * @throws HurrayLookupError, HurrayFormatError, HurraySourceError.
   */
  async buffers(tensor: string | Located, options: Abortable = {}): Promise<Uint8Array[]> {
    const { name, descriptor, starts } = typeof tensor === "string" ? await this.locate(tensor, options) : tensor;
    const buffers: Uint8Array[] = [];
    for (const [k, start] of starts.entries()) {
      const byteLength = Number(descriptor.buffers[k]!.byteSize);
      buffers.push(await this.read(`read ${quote(name)}`, start, byteLength, options));
    }
    return buffers;
  }

  /**
   * Reads a tensor into memory of its own, from the allocator in force when the call is made.
   *
   * @throws HurrayLookupError, HurrayFormatError, HurraySourceError.
   * @throws HurrayUnsupportedError for layouts, element types, schemes and devices that are not read as tensors.
   * @throws HurrayLimitError `SW_HURRAY_LIMIT` beyond the limits of a tensor.
   */
  async tensor(name: string, options: LoadOptions = {}): Promise<Tensor> {
    return (await this.load(name, options)).tensor;
  }

  /** Reads a tensor as `tensor` does, and says how: copied or shared, moved to an aligned place, unpacked. */
  async load(name: string, options: LoadOptions = {}): Promise<Loaded> {
    const memory = memoryOf(options);
    const { descriptor, starts } = await this.locate(name, options);
    const operation = `read ${quote(name)}`;
    const plan = planLoad(descriptor, operation);
    return loadFrom(this.source, operation, plan, starts[0]!, { ...options, memory });
  }

  /** Reads bytes for an operation, while the file is open. @internal */
  async read(operation: string, start: number, byteLength: number, { signal }: Abortable): Promise<Uint8Array> {
    if (this.isClosed) {
      const message = `${operation}: got a closed file, expected an open one.`;
      throw new HurraySourceError("SW_HURRAY_CLOSED", message, 0);
    }
    signal?.throwIfAborted();
    const bytes = await readBytes(this.source, operation, start, start + byteLength, signal);
    signal?.throwIfAborted();
    return bytes;
  }

  /** Lets go of the source; nothing can be read afterwards. Closing twice is nothing. */
  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.source.close?.();
  }

  /** The same as {@link HurrayFile.close}, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }
}
