import { crcBy, crcTables } from "../bytes/crc.js";

/** Castagnoli's polynomial, bits reflected. */
const POLYNOMIAL = 0x82f63b78;

let tables: Int32Array | undefined;

/**
 * Computes the CRC-32C of bytes, or continues one: pass the result for the bytes before as
 * `previous`. Takes eight bytes a step.
 * @since 0.1.0
 */
export function crc32c(bytes: Uint8Array, previous = 0): number {
  tables ??= crcTables(POLYNOMIAL);
  return crcBy(tables, bytes, previous);
}
