/**
 * Makes eight tables of 256 for a polynomial of 32 bits, given reflected: table k holds the remainders of a byte followed by
 * k zero bytes.
 */
export function crcTables(polynomial: number): Int32Array {
  const made = new Int32Array(8 * 256); // signed: what is read is a small integer, never a double
  for (let byte = 0; byte < 256; byte++) {
    let remainder = byte;
    for (let bit = 0; bit < 8; bit++) remainder = remainder & 1 ? (remainder >>> 1) ^ polynomial : remainder >>> 1;
    made[byte] = remainder;
  }
  for (let k = 256; k < made.length; k++) {
    const before = made[k - 256]!;
    made[k] = (before >>> 8) ^ made[before & 0xff]!;
  }
  return made;
}

/** Computes the checksum of bytes, or continues one: `previous` is the result for the bytes before. Takes eight bytes a step. */
export function crcBy(t: Int32Array, bytes: Uint8Array, previous: number): number {
  const length = bytes.byteLength;
  let crc = ~previous;
  let i = 0;
  for (const whole = length - (length % 8); i < whole; i += 8) {
    // The four terms that wait for the remainder so far come last: the other four are looked up meanwhile.
    const later = t[0x300 + bytes[i + 4]!]! ^ t[0x200 + bytes[i + 5]!]! ^ t[0x100 + bytes[i + 6]!]! ^ t[bytes[i + 7]!]!;
    crc =
      later ^
      t[0x700 + ((crc ^ bytes[i]!) & 0xff)]! ^
      t[0x600 + (((crc >>> 8) ^ bytes[i + 1]!) & 0xff)]! ^
      t[0x500 + (((crc >>> 16) ^ bytes[i + 2]!) & 0xff)]! ^
      t[0x400 + ((crc >>> 24) ^ bytes[i + 3]!)]!;
  }
  for (; i < length; i++) crc = t[(crc ^ bytes[i]!) & 0xff]! ^ (crc >>> 8);
  return ~crc >>> 0;
}
