import { type Crc, crcOf } from "../bytes/crc.js";

/** Castagnoli's polynomial, bits reflected. */
const POLYNOMIAL = 0x82f63b78;

let crc: Crc | undefined;

/**
 * Computes the CRC-32C of bytes, or continues one: pass the result for the bytes before as
 * `previous`. Takes sixteen bytes a step.
 * @since 0.1.0
 */
export function crc32c(bytes: Uint8Array, previous = 0): number {
  crc ??= crcOf(POLYNOMIAL);
  return crc(bytes, previous);
}
