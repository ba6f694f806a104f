import { compareBytes, encodeText } from "../bytes/text.js";
import { HurrayValueError } from "../errors.js";
import { crc32c } from "./crc32c.js";
import { COUNT_UNKNOWN, FILE_HEADER_LENGTH, writeFileHeader, writeTrailer } from "./frame.js";
import { type IndexEntry, writeIndex } from "./index-section.js";
import { type KvEntry, writeKv } from "./kv.js";

/** The alignment of buffers in files of ours. */
export const DATA_ALIGNMENT = 4096;

/** A tensor on its way into a file: its descriptor's bytes, and its buffers piece by piece; the head of a composite has none. */
export interface RawTensor {
  readonly name: string;
  readonly descriptor: Uint8Array;
  /** The byte size of each buffer, as the descriptor declares it. */
  readonly byteLengths: readonly number[];
  /** The bytes of a buffer in order; a piece is used up before the next one is asked for. */
  pieces(buffer: number): Iterable<Uint8Array>;
}

/** What can be set about a file. The defaults are what this library writes. */
export interface FileOptions {
  readonly operation: string;
  readonly metadata?: readonly KvEntry[];
  readonly dataBufferAlignment?: number;
  /** Whether the flag says that there is metadata; files of other writers may leave it clear (A17). */
  readonly metadataFlag?: boolean;
  readonly sortedIndex?: boolean;
  readonly tensorCountHint?: bigint;
}

const ZEROS_LENGTH = 65536;

/**
 * Produces a whole file, front to back (section 9). Names and metadata are checked at once; one
 * small record per tensor is kept for the index. `names` are those of the tensors, in their order.
 *
 * @throws HurrayValueError `SW_HURRAY_VALUE` for a name or a key that the format cannot hold.
 */
export function fileChunks(
  names: readonly string[],
  tensors: Iterable<RawTensor>,
  options: FileOptions,
): Iterable<Uint8Array> {
  const encodedNames = encodeNames(names, options.operation);
  const kv = options.metadata === undefined ? undefined : writeKv(options.metadata, options.operation);
  return generate(encodedNames, tensors, kv, options);
}

function* generate(
  encodedNames: readonly Uint8Array[],
  tensors: Iterable<RawTensor>,
  kv: Uint8Array | undefined,
  options: FileOptions,
): Generator<Uint8Array, void, void> {
  const { operation } = options;
  const alignment = options.dataBufferAlignment ?? DATA_ALIGNMENT;
  let position = 0;
  const emit = (bytes: Uint8Array): Uint8Array => {
    position += bytes.byteLength;
    return bytes;
  };
  function* pad(multiple: number): Generator<Uint8Array, void, void> {
    let left = (multiple - (position % multiple)) % multiple;
    for (; left > 0; left -= Math.min(left, ZEROS_LENGTH)) yield emit(new Uint8Array(Math.min(left, ZEROS_LENGTH)));
  }
  yield emit(
    writeFileHeader(operation, {
      versionMinor: 0,
      hasMetadata: kv !== undefined && options.metadataFlag !== false,
      sortedIndex: options.sortedIndex ?? false,
      hasIndexChecksum: true,
      dataBufferAlignment: alignment,
      firstDescriptorOffset: BigInt(FILE_HEADER_LENGTH),
      tensorCountHint: options.tensorCountHint ?? COUNT_UNKNOWN,
    }),
  );
  const entries: IndexEntry[] = [];
  for (const tensor of tensors) {
    const descriptorOffset = BigInt(position);
    yield emit(tensor.descriptor);
    let dataOffset: number | undefined;
    let dataEnd = 0;
    for (let k = 0; k < tensor.byteLengths.length; k++) {
      yield* pad(alignment);
      dataOffset ??= position;
      for (const piece of tensor.pieces(k)) yield emit(piece);
      dataEnd = position;
    }
    yield* pad(8);
    entries.push({
      name: tensor.name,
      descriptorOffset,
      descriptorLength: tensor.descriptor.byteLength,
      // The head of a composite has no buffer: nothing is aligned for it, and it ends where the next tensor starts (A19).
      dataOffset: BigInt(dataOffset ?? position),
      dataLength: dataOffset === undefined ? 0n : BigInt(dataEnd - dataOffset),
    });
  }
  const kvOffset = kv === undefined ? 0 : position;
  if (kv !== undefined) {
    yield emit(kv);
    yield* pad(8);
  }
  const order = entries.map((_, k) => k);
  if (options.sortedIndex) order.sort((a, b) => compareBytes(encodedNames[a]!, encodedNames[b]!));
  const index = writeIndex(
    operation,
    order.map((k) => entries[k]!),
    order.map((k) => encodedNames[k]!),
  );
  const indexOffset = position;
  yield emit(index);
  yield emit(
    writeTrailer(operation, {
      indexOffset: BigInt(indexOffset),
      indexLength: BigInt(index.byteLength),
      kvOffset: BigInt(kvOffset),
      kvLength: kv?.byteLength ?? 0,
      indexChecksum: crc32c(index),
    }),
  );
}

function encodeNames(names: readonly string[], operation: string): Uint8Array[] {
  if (new Set(names).size !== names.length) {
    throw new HurrayValueError(operation, "name", "two tensors have the same name", names.length, "different names");
  }
  return names.map((name) => {
    const bytes = encodeText(name, operation, "tensor name");
    if (bytes.byteLength >= 1 && bytes.byteLength <= 0xffff) return bytes;
    const given = `${bytes.byteLength} bytes`;
    throw new HurrayValueError(
      operation,
      "name",
      "a tensor name has no allowed length",
      given,
      "1 to 65535 bytes of UTF-8",
    );
  });
}
