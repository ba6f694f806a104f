import { asTensor, type Tensor } from "@sw/tensor";

/** The codes of an {@link IdxFormatError}. */
export type IdxErrorCode =
  | "SW_IDX_MAGIC"
  | "SW_IDX_TYPE"
  | "SW_IDX_RANK"
  | "SW_IDX_EXTENT"
  | "SW_IDX_TRUNCATED"
  | "SW_IDX_TRAILING"
  | "SW_IDX_COUNT"
  | "SW_IDX_LABEL";

/** Where bytes break the IDX format, and how. */
export interface IdxErrorFields {
  readonly given: number;
  readonly expected: number;
  readonly byteOffset: number;
  readonly file: string;
}

/** A file that is not the IDX file it should be. */
export class IdxFormatError extends RangeError {
  readonly code: IdxErrorCode;
  readonly given: number;
  readonly expected: number;
  /** Where in the file the first wrong or missing byte lies. */
  readonly byteOffset: number;
  readonly file: string;
  constructor(code: IdxErrorCode, message: string, fields: IdxErrorFields) {
    super(message);
    this.name = "IdxFormatError";
    this.code = code;
    this.given = fields.given;
    this.expected = fields.expected;
    this.byteOffset = fields.byteOffset;
    this.file = fields.file;
  }
}

/** What a file should hold. */
export interface IdxExpectation {
  /** Named in errors. */
  readonly file: string;
  /** One entry per axis; `undefined` where the file decides. */
  readonly extents: readonly (number | undefined)[];
}

/** An IDX file as a tensor over the file's own bytes. */
export interface IdxFile {
  readonly tensor: Tensor<"uint8">;
  readonly file: string;
  /** Where the elements begin in the file. */
  readonly headerByteLength: number;
}

const UINT8 = 0x08;
const GZIP = 0x1f8b;

/**
 * Reads an IDX file of bytes. The tensor shares the memory of `bytes`, which may be a window: no element is copied.
 *
 * @throws IdxFormatError when the magic number, the type, the rank, an extent or the length is not what it should be.
 */
export function parseIdx(bytes: Uint8Array, expectation: IdxExpectation): IdxFile {
  const { file, extents } = expectation;
  const rank = extents.length;
  const headerByteLength = 4 + 4 * rank;
  checkMagic(bytes, file, rank);
  if (bytes.byteLength < headerByteLength) throw truncated("the header is", bytes, headerByteLength, file);

  // The bytes may be a window of a larger buffer, so both ends are its own.
  const header = new DataView(bytes.buffer, bytes.byteOffset, headerByteLength);
  const shape = extents.map((expected, axis) => {
    const byteOffset = 4 + 4 * axis;
    const given = header.getUint32(byteOffset);
    if (expected !== undefined && given !== expected) {
      throw new IdxFormatError(
        "SW_IDX_EXTENT",
        `readIdx: ${file}: axis ${axis} has another extent at byte ${byteOffset}: got ${given}, expected ${expected}.`,
        { given, expected, byteOffset, file },
      );
    }
    return given;
  });

  const needed = shape.reduce((size, extent) => size * extent, 1) + headerByteLength;
  if (bytes.byteLength < needed) throw truncated(`the data of shape [${shape.join(",")}] is`, bytes, needed, file);
  if (bytes.byteLength > needed) {
    throw new IdxFormatError(
      "SW_IDX_TRAILING",
      `readIdx: ${file}: there is more data than the count at byte 4 says: got ${bytes.byteLength} bytes, expected ${needed} for shape [${shape.join(",")}].`,
      { given: bytes.byteLength, expected: needed, byteOffset: needed, file },
    );
  }
  return { tensor: asTensor(bytes.subarray(headerByteLength), shape), file, headerByteLength };
}

/** Two zero bytes, the type of the elements, the number of axes. */
function checkMagic(bytes: Uint8Array, file: string, rank: number): void {
  if (bytes.byteLength < 4) throw truncated("the magic number is", bytes, 4, file);
  const [first, second, type, axes] = bytes as unknown as [number, number, number, number];
  const leading = first * 256 + second;
  const hint = leading === GZIP ? " The file is compressed: unpack it with gunzip." : "";
  if (leading !== 0) {
    throw new IdxFormatError(
      "SW_IDX_MAGIC",
      `readIdx: ${file}: not an IDX file: got ${hex(bytes)} at byte 0, expected ${hex([0, 0, UINT8, rank])}.${hint}`,
      { given: leading, expected: 0, byteOffset: 0, file },
    );
  }
  if (type !== UINT8) {
    throw new IdxFormatError(
      "SW_IDX_TYPE",
      `readIdx: ${file}: the elements are not unsigned bytes: got type ${type} at byte 2, expected ${UINT8}.`,
      { given: type, expected: UINT8, byteOffset: 2, file },
    );
  }
  if (axes !== rank) {
    throw new IdxFormatError(
      "SW_IDX_RANK",
      `readIdx: ${file}: another number of axes: got ${axes} at byte 3, expected ${rank}.`,
      { given: axes, expected: rank, byteOffset: 3, file },
    );
  }
}

function truncated(what: string, bytes: Uint8Array, expected: number, file: string): IdxFormatError {
  const given = bytes.byteLength;
  return new IdxFormatError(
    "SW_IDX_TRUNCATED",
    `readIdx: ${file}: ${what} truncated at byte ${given}: got ${given} bytes, expected ${expected}.`,
    { given, expected, byteOffset: given, file },
  );
}

function hex(bytes: Uint8Array | readonly number[]): string {
  return `0x${Array.from(bytes.slice(0, 4), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/**
 * Checks that a file of images and a file of labels belong together, and that every label is a class.
 *
 * @throws IdxFormatError `SW_IDX_COUNT` when they hold different counts; `SW_IDX_LABEL` for a label out of range.
 */
export function checkPair(images: IdxFile, labels: IdxFile, classes: number): void {
  const given = labels.tensor.shape[0] as number;
  const expected = images.tensor.shape[0] as number;
  const { file } = labels;
  if (given !== expected) {
    throw new IdxFormatError(
      "SW_IDX_COUNT",
      `readIdx: ${file}: the labels do not belong to the images: got ${given} labels at byte 4, expected ${expected} as in ${images.file}.`,
      { given, expected, byteOffset: 4, file },
    );
  }
  const values = labels.tensor.data();
  const wrong = values.findIndex((label) => label >= classes);
  if (wrong === -1) return;
  const byteOffset = labels.headerByteLength + wrong;
  throw new IdxFormatError(
    "SW_IDX_LABEL",
    `readIdx: ${file}: a label is no class at byte ${byteOffset}: got ${values[wrong]}, expected 0 to ${classes - 1}.`,
    { given: values[wrong] as number, expected: classes - 1, byteOffset, file },
  );
}
