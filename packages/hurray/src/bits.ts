/** Writes one bit per element, lowest first: element i of `values` becomes bit `firstBit + i`. Any byte but 0 is true. */
export function packBits(values: Uint8Array, firstBit: number, target: Uint8Array): void {
  for (let i = 0; i < values.length; i++) {
    if (values[i] !== 0) {
      const bit = firstBit + i;
      target[bit >>> 3] = target[bit >>> 3]! | (1 << (bit & 7));
    }
  }
}

/** Reads one bit per element into one byte per element, 0 or 1: the reverse of `packBits`. */
export function unpackBits(bits: Uint8Array, firstBit: number, target: Uint8Array): void {
  for (let i = 0; i < target.length; i++) {
    const bit = firstBit + i;
    target[i] = (bits[bit >>> 3]! >>> (bit & 7)) & 1;
  }
}
