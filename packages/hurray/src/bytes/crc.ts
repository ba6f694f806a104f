/** Computes a checksum of 32 bits, or continues one: `previous` is the result for the bytes before. */
export type Crc = (bytes: Uint8Array, previous: number) => number;

/**
 * Makes the checksum of a polynomial, given reflected. Sixteen bytes are taken a step, in words: a load and the check of
 * its bounds cost more than the arithmetic that takes the bytes apart.
 */
export function crcOf(polynomial: number): Crc {
  // Table k of 256 holds what a byte leaves that k zero bytes follow. Signed: what is read is a small integer, never a double.
  const t = new Int32Array(16 * 256);
  const shift = (crc: number): number => t[crc & 0xff]! ^ (crc >>> 8);
  for (let i = 0; i < t.length; i++) {
    let left = i;
    if (i < 256) for (let bit = 0; bit < 8; bit++) left = (left & 1 && polynomial) ^ (left >>> 1);
    else left = shift(t[i - 256]!);
    t[i] = left;
  }
  /** What a word leaves that so many zero bytes follow, times 256. */
  const leave = (zeros: number, word: number): number =>
    t[zeros + 0x300 + (word & 0xff)]! ^
    t[zeros + 0x200 + ((word >>> 8) & 0xff)]! ^
    t[zeros + 0x100 + ((word >>> 16) & 0xff)]! ^
    t[zeros + (word >>> 24)]!;
  return (bytes, previous) => {
    const length = bytes.byteLength;
    const view = new DataView(bytes.buffer, bytes.byteOffset, length);
    let crc = ~previous;
    let i = 0;
    for (; i + 16 <= length; i += 16) {
      crc =
        leave(0xc00, crc ^ view.getInt32(i, true)) ^
        leave(0x800, view.getInt32(i + 4, true)) ^
        leave(0x400, view.getInt32(i + 8, true)) ^
        leave(0, view.getInt32(i + 12, true));
    }
    for (; i < length; i++) crc = shift(crc ^ bytes[i]!);
    return ~crc >>> 0;
  };
}
