import { type Crc, crcOf } from "../bytes/crc.js";

/** The polynomial of zip and PNG, bits reflected. */
const POLYNOMIAL = 0xedb88320;

let crc: Crc | undefined;

/** Computes the CRC-32 of bytes, or continues one: `previous` is the result for the bytes before. */
export function crc32(bytes: Uint8Array, previous = 0): number {
  crc ??= crcOf(POLYNOMIAL);
  return crc(bytes, previous);
}
