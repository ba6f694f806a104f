import { crcBy, crcTables } from "../bytes/crc.js";

/** The polynomial of zip and PNG, bits reflected. */
const POLYNOMIAL = 0xedb88320;

let tables: Int32Array | undefined;

/** Computes the CRC-32 of bytes, or continues one: `previous` is the result for the bytes before. */
export function crc32(bytes: Uint8Array, previous = 0): number {
  tables ??= crcTables(POLYNOMIAL);
  return crcBy(tables, bytes, previous);
}
