import { float32Bits, float32FromBits, roundOnce } from "./float-bits.js";

/**
 * Converts the bits of a float32 to the bits of a bfloat16: nearest, ties to even;
 * a NaN stays quiet and keeps its sign and top payload bits (OneModel section 10).
 */
export function float32BitsToBfloat16(bits: number): number {
  const high = bits >>> 16;
  if ((bits & 0x7fffffff) > 0x7f800000) return high | 0x40;
  // Added to the low half alone: the sum over all 32 bits could leave the unsigned range.
  return high + (((bits & 0xffff) + 0x7fff + (high & 1)) >>> 16);
}

/** Converts the bits of a bfloat16 to the bits of the equal float32; a NaN keeps its payload and becomes quiet. */
export function bfloat16ToFloat32Bits(bfloat16: number): number {
  const bits = (bfloat16 << 16) >>> 0;
  return (bits & 0x7fffffff) > 0x7f800000 ? (bits | 0x400000) >>> 0 : bits;
}

/** Converts a number to the bits of a bfloat16 through float32, as `cast` does: a float64 is rounded twice (D10). */
export function float32ToBfloat16(x: number): number {
  return float32BitsToBfloat16(float32Bits(x));
}

/** Converts a number to the bits of a bfloat16 in one rounding, as making a tensor from numbers does. @since 0.1.0 */
export function numberToBfloat16(x: number): number {
  return Number.isNaN(x) ? 0x7fc0 : roundOnce(x, 7, 127, 2 ** 133);
}

/** Converts the bits of a bfloat16 to the number they stand for, exactly. @since 0.1.0 */
export function bfloat16ToNumber(bfloat16: number): number {
  return float32FromBits(bfloat16ToFloat32Bits(bfloat16));
}
