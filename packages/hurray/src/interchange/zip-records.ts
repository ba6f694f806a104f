// The records of zip archives (PKWARE's APPNOTE, 4.3): lists of [field, bytes], read and written by the same loop.

/** The number that says that a field of 4 bytes is too small, and that the wide one counts (ZIP64). */
export const SATURATED_4 = 0xffffffff;
export const SATURATED_2 = 0xffff;

export const LOCAL_SIGNATURE = 0x04034b50;
export const DIRECTORY_SIGNATURE = 0x02014b50;
export const END_SIGNATURE = 0x06054b50;
export const WIDE_END_SIGNATURE = 0x06064b50;
export const WIDE_LOCATOR_SIGNATURE = 0x07064b50;
export const DESCRIPTOR_SIGNATURE = 0x08074b50;
/** Of the extra field with the wide sizes. */
export const WIDE_EXTRA = 1;

/** Bits of the flags. */
export const FLAG_ENCRYPTED = 0x0001;
export const FLAG_DESCRIPTOR = 0x0008;
export const FLAG_STRONG = 0x0040;
export const FLAG_UTF8 = 0x0800;
export const FLAG_MASKED = 0x2000;

export const METHOD_STORED = 0;
export const METHOD_DEFLATE = 8;

export const LOCAL_HEADER = [
  ["signature", 4],
  ["versionNeeded", 2],
  ["flags", 2],
  ["method", 2],
  ["time", 2],
  ["date", 2],
  ["crc", 4],
  ["compressedSize", 4],
  ["size", 4],
  ["nameLength", 2],
  ["extraLength", 2],
] as const;

export const DIRECTORY_HEADER = [
  ["signature", 4],
  ["versionMade", 2],
  ["versionNeeded", 2],
  ["flags", 2],
  ["method", 2],
  ["time", 2],
  ["date", 2],
  ["crc", 4],
  ["compressedSize", 4],
  ["size", 4],
  ["nameLength", 2],
  ["extraLength", 2],
  ["commentLength", 2],
  ["disk", 2],
  ["internal", 2],
  ["external", 4],
  ["headerOffset", 4],
] as const;

export const DIRECTORY_END = [
  ["signature", 4],
  ["disk", 2],
  ["directoryDisk", 2],
  ["diskEntries", 2],
  ["entries", 2],
  ["directoryLength", 4],
  ["directoryOffset", 4],
  ["commentLength", 2],
] as const;

export const WIDE_LOCATOR = [
  ["signature", 4],
  ["endDisk", 4],
  ["endOffset", 8],
  ["disks", 4],
] as const;

export const WIDE_END = [
  ["signature", 4],
  ["recordLength", 8],
  ["versionMade", 2],
  ["versionNeeded", 2],
  ["disk", 4],
  ["directoryDisk", 4],
  ["diskEntries", 8],
  ["entries", 8],
  ["directoryLength", 8],
  ["directoryOffset", 8],
] as const;

type Fields = readonly (readonly [name: string, bytes: number])[];
type RecordOf<F extends Fields> = { readonly [name in F[number][0]]: number };

/** Bytes of a record, without what follows it in variable length. */
export function recordLength(fields: Fields): number {
  return fields.reduce((sum, [, bytes]) => sum + bytes, 0);
}

/** Reads a record, whose bytes are there. A field of 8 bytes that no number holds is rounded: it is beyond all files anyway. */
export function readRecord<F extends Fields>(fields: F, bytes: Uint8Array, at: number): RecordOf<F> {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  const record: { [name: string]: number } = {};
  let position = at;
  for (const [name, width] of fields) {
    if (width === 2) record[name] = view.getUint16(position, true);
    else if (width === 4) record[name] = view.getUint32(position, true);
    else record[name] = Number(view.getBigUint64(position, true));
    position += width;
  }
  return record as RecordOf<F>;
}

/** Writes a record; fields that are not given are 0. */
export function writeRecord<F extends Fields>(fields: F, values: Partial<RecordOf<F>>): Uint8Array {
  const bytes = new Uint8Array(recordLength(fields));
  const view = new DataView(bytes.buffer);
  let position = 0;
  for (const [name, width] of fields) {
    const value = (values as { readonly [name: string]: number | undefined })[name] ?? 0;
    if (width === 2) view.setUint16(position, value, true);
    else if (width === 4) view.setUint32(position, value, true);
    else view.setBigUint64(position, BigInt(value), true);
    position += width;
  }
  return bytes;
}
