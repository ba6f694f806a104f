// binary128: a sign, 15 bits of exponent (bias 16383), 112 of fraction, little-endian.

const FRACTION = (1n << 112n) - 1n;

/**
 * Gives the double nearest to a float128, ties to even: it overflows to infinity, and small numbers become subnormal or 0.
 * A NaN is a NaN; its bits are lost.
 *
 * @param at the index of its first byte
 * @since 0.1.0
 */
export function float128ToNumber(bytes: Uint8Array, at: number): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const high = view.getBigUint64(at + 8, true);
  const fraction = ((high << 64n) | view.getBigUint64(at, true)) & FRACTION;
  const sign = high >> 63n === 0n ? 1 : -1;
  const exponent = Number((high >> 48n) & 0x7fffn);
  if (exponent === 0x7fff) return fraction === 0n ? sign * Infinity : Number.NaN;
  const power = exponent - 16383;
  // Subnormal ones lie below 2^-16382: nothing of them is left.
  if (power < -1076) return sign * 0;
  if (power > 1023) return sign * Infinity;
  const digits = fraction | (1n << 112n); // times 2^(power - 112)
  if (power >= -1022) return sign * (Number(digits) / 2 ** 112) * 2 ** power;
  return sign * Number(roundedShift(digits, BigInt(-1074 - (power - 112)))) * Number.MIN_VALUE;
}

/** Writes a double as the float128 of the same value, which always exists. @since 0.1.0 */
export function numberToFloat128(value: number, into: Uint8Array, at: number): void {
  const view = new DataView(into.buffer, into.byteOffset, into.byteLength);
  const scratch = new DataView(new ArrayBuffer(8));
  scratch.setFloat64(0, value);
  const bits = scratch.getBigUint64(0);
  let exponent = Number((bits >> 52n) & 0x7ffn);
  let fraction = bits & ((1n << 52n) - 1n);
  if (exponent === 0 && fraction !== 0n) {
    // A subnormal double is a normal float128: the leading digit moves out of the fraction.
    const shift = 53 - fraction.toString(2).length;
    fraction = (fraction << BigInt(shift)) & ((1n << 52n) - 1n);
    exponent = 1 - shift;
  }
  const wide = exponent === 0x7ff ? 0x7fff : exponent === 0 && fraction === 0n ? 0 : exponent - 1023 + 16383;
  view.setBigUint64(at, (fraction << 60n) & 0xffffffffffffffffn, true);
  view.setBigUint64(at + 8, ((bits >> 63n) << 63n) | (BigInt(wide) << 48n) | (fraction >> 4n), true);
}

/** Shifts down, rounding to nearest, ties to even. */
function roundedShift(digits: bigint, shift: bigint): bigint {
  const whole = digits >> shift;
  const rest = digits - (whole << shift);
  const half = 1n << (shift - 1n);
  return rest > half || (rest === half && (whole & 1n) === 1n) ? whole + 1n : whole;
}
