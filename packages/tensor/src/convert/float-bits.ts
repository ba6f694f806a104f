/** Eight bytes through which one number at a time is seen as its bits. */
const WINDOW: DataView = /* @__PURE__ */ new DataView(/* @__PURE__ */ new ArrayBuffer(8));

/** Rounds a number to float32 and returns its 32 bits. A NaN gives the quiet pattern that the host writes. */
export function float32Bits(x: number): number {
  WINDOW.setFloat32(0, x);
  return WINDOW.getUint32(0);
}

/** Reads 32 bits as a float32. The payload of a NaN does not survive in a JS number. */
export function float32FromBits(bits: number): number {
  WINDOW.setUint32(0, bits);
  return WINDOW.getFloat32(0);
}

/**
 * Rounds a finite or infinite float64 once, to nearest with ties to even, to a 16-bit
 * format of `fractionBits` and `bias`, and returns its bits.
 *
 * `subnormalScale` is 1 over the format's smallest subnormal: a power of two, so that the product is exact.
 */
export function roundOnce(x: number, fractionBits: number, bias: number, subnormalScale: number): number {
  WINDOW.setFloat64(0, x);
  const high = WINDOW.getUint32(0);
  const low = WINDOW.getUint32(4);
  const sign = (high >>> 16) & 0x8000;
  const exponent = ((high >>> 20) & 0x7ff) - 1023;
  if (exponent > bias) return sign | ((2 * bias + 1) << fractionBits);
  if (exponent <= -bias) return sign | roundToEven(Math.abs(x) * subnormalScale);
  const dropped = 20 - fractionBits;
  const kept = ((exponent + bias) << fractionBits) | ((high & 0xfffff) >> dropped);
  const remainder = high & ((1 << dropped) - 1);
  const half = 1 << (dropped - 1);
  const up = remainder > half || (remainder === half && (low !== 0 || (kept & 1) === 1));
  // A carry into the exponent is correct, up to infinity.
  return sign | (kept + (up ? 1 : 0));
}

/** Nearest integer, ties to even, of 0 ≤ x < 2⁵²: the sum has no room for a fraction. */
function roundToEven(x: number): number {
  return x + 4503599627370496 - 4503599627370496;
}
