import { encodeText } from "../bytes/text.js";
import { HurrayValueError } from "../errors.js";
import { isWithin, refuseValue } from "../number-option.js";
import { crc32c } from "./crc32c.js";
import { COUNT_UNKNOWN, FILE_HEADER_LENGTH, writeFileHeader, writeTrailer } from "./frame.js";
import { appendEntry, beginIndex, type IndexDraft, indexBytes } from "./index-section.js";

/** The alignment of buffers in files of ours. */
const DATA_ALIGNMENT = 4096;
const LARGEST_ALIGNMENT = 2097152;

/** What is fixed before the first byte of a file, since a writer goes forward only. */
export interface FormOptions {
  readonly dataBufferAlignment?: number;
  readonly sortedIndex?: boolean;
  readonly tensorCountHint?: bigint;
}

const ZEROS_LENGTH = 65536;

/**
 * What a file consists of beside the contents of its buffers, front to back (section 9), and where each thing lies.
 * Every byte is given once, in order; one small record a tensor is kept for the index. Whoever writes a file, at once
 * or as tensors come, takes it from here.
 */
export class FileForm {
  readonly operation: string;
  readonly alignment: number;
  readonly sortedIndex: boolean;
  readonly tensorCountHint: bigint;
  readonly index: IndexDraft;
  /** Bytes given so far, buffers included. */
  position = 0;

  /** @throws HurrayValueError `SW_HURRAY_VALUE` for an alignment that files do not have. */
  constructor(operation: string, options: FormOptions) {
    const { dataBufferAlignment: alignment = DATA_ALIGNMENT } = options;
    if (!isWithin(alignment, DATA_ALIGNMENT, LARGEST_ALIGNMENT) || !Number.isInteger(Math.log2(alignment))) {
      const expected = `a power of two from ${DATA_ALIGNMENT} to ${LARGEST_ALIGNMENT}`;
      refuseValue(operation, "dataBufferAlignment", alignment, 0, expected);
    }
    this.operation = operation;
    this.alignment = alignment;
    this.sortedIndex = options.sortedIndex ?? false;
    this.tensorCountHint = options.tensorCountHint ?? COUNT_UNKNOWN;
    this.index = beginIndex(operation);
  }

  /** Gives the header. */
  begin(hasMetadata: boolean): Uint8Array {
    return this.pass(
      writeFileHeader(this.operation, {
        versionMinor: 0,
        hasMetadata,
        sortedIndex: this.sortedIndex,
        hasIndexChecksum: true,
        dataBufferAlignment: this.alignment,
        firstDescriptorOffset: BigInt(FILE_HEADER_LENGTH),
        tensorCountHint: this.tensorCountHint,
      }),
    );
  }

  /** Gives the bytes of a tensor; a number stands for those of that buffer. The head of a composite has no buffers. */
  *tensor(
    name: Uint8Array,
    descriptor: Uint8Array,
    byteLengths: readonly number[],
  ): Generator<Uint8Array | number, void, void> {
    const descriptorOffset = this.position;
    yield this.pass(descriptor);
    let dataOffset: number | undefined;
    let dataEnd = 0;
    for (const [k, byteLength] of byteLengths.entries()) {
      yield* this.pad(this.alignment);
      dataOffset ??= this.position;
      yield k;
      this.position += byteLength;
      dataEnd = this.position;
    }
    yield* this.pad(8);
    appendEntry(this.index, name, {
      descriptorOffset: BigInt(descriptorOffset),
      descriptorLength: descriptor.byteLength,
      // Nothing is aligned for a head: it ends where the next tensor starts (A19).
      dataOffset: BigInt(dataOffset ?? this.position),
      dataLength: dataOffset === undefined ? 0n : BigInt(dataEnd - dataOffset),
    });
  }

  /** Gives the metadata section, if there is one, the index and the trailer. */
  *end(kv: Uint8Array | undefined): Generator<Uint8Array, void, void> {
    const kvOffset = kv === undefined ? 0 : this.position;
    if (kv !== undefined) {
      yield this.pass(kv);
      yield* this.pad(8);
    }
    const index = indexBytes(this.index, this.sortedIndex);
    const indexOffset = this.position;
    yield this.pass(index);
    yield this.pass(
      writeTrailer(this.operation, {
        indexOffset: BigInt(indexOffset),
        indexLength: BigInt(index.byteLength),
        kvOffset: BigInt(kvOffset),
        kvLength: kv?.byteLength ?? 0,
        indexChecksum: crc32c(index),
      }),
    );
  }

  pass(bytes: Uint8Array): Uint8Array {
    this.position += bytes.byteLength;
    return bytes;
  }

  *pad(multiple: number): Generator<Uint8Array, void, void> {
    let left = (multiple - (this.position % multiple)) % multiple;
    for (; left > 0; left -= Math.min(left, ZEROS_LENGTH))
      yield this.pass(new Uint8Array(Math.min(left, ZEROS_LENGTH)));
  }
}

/**
 * Gives a name in the bytes of the file.
 *
 * @throws HurrayValueError `SW_HURRAY_VALUE` for a name that the format cannot hold; TypeError for what is no text.
 */
export function encodeName(name: string, operation: string): Uint8Array {
  const bytes = encodeText(name, operation, "tensor name");
  if (bytes.byteLength >= 1 && bytes.byteLength <= 0xffff) return bytes;
  const problem = "a tensor name has no allowed length";
  throw new HurrayValueError(operation, "name", problem, `${bytes.byteLength} bytes`, "1 to 65535 bytes of UTF-8");
}
