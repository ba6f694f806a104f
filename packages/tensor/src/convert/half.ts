import { float32Bits, float32FromBits, roundOnce } from "./float-bits.js";

/**
 * Converts the bits of a float32 to the bits of a binary16: nearest, ties to even;
 * a NaN stays quiet and keeps its sign and top nine payload bits (OneModel section 10).
 */
export function float32BitsToHalf(bits: number): number {
  const sign = (bits >>> 16) & 0x8000;
  const a = bits & 0x7fffffff;
  if (a < 0x38800000) return sign | subnormalHalf(a);
  if (a < 0x477ff000) return sign | ((a - (112 << 23) + 0xfff + ((a >>> 13) & 1)) >>> 13);
  return sign | (a > 0x7f800000 ? 0x7e00 | ((a >>> 13) & 0x1ff) : 0x7c00);
}

/** Rounds the bits of a positive float32 below the least normal binary16. */
function subnormalHalf(a: number): number {
  if (a <= 0x33000000) return 0;
  const mantissa = (a & 0x7fffff) | 0x800000;
  const shift = 126 - (a >>> 23);
  const kept = mantissa >>> shift;
  const remainder = mantissa & ((1 << shift) - 1);
  const half = 1 << (shift - 1);
  return remainder > half || (remainder === half && (kept & 1) === 1) ? kept + 1 : kept;
}

/** Converts the bits of a binary16 to the bits of the equal float32; a NaN keeps its payload and becomes quiet. */
export function halfToFloat32Bits(half: number): number {
  const sign = (half & 0x8000) << 16;
  const exponent = (half >>> 10) & 0x1f;
  const fraction = half & 0x3ff;
  if (exponent === 31) return (fraction === 0 ? sign | 0x7f800000 : sign | 0x7fc00000 | (fraction << 13)) >>> 0;
  if (exponent !== 0) return (sign | ((exponent + 112) << 23) | (fraction << 13)) >>> 0;
  if (fraction === 0) return sign >>> 0;
  // Subnormal: shift until the leading one stands where a normal number implies it.
  const shift = Math.clz32(fraction) - 21;
  return (sign | ((113 - shift) << 23) | (((fraction << shift) & 0x3ff) << 13)) >>> 0;
}

/** Converts a number to the bits of a binary16 through float32, as `cast` does: a float64 is rounded twice (D10). */
export function float32ToHalf(x: number): number {
  return float32BitsToHalf(float32Bits(x));
}

/** Converts a number to the bits of a binary16 in one rounding, as making a tensor from numbers does (field case 16). @since 0.1.0 */
export function numberToHalf(x: number): number {
  return Number.isNaN(x) ? 0x7e00 : roundOnce(x, 10, 15, 16777216);
}

/** Converts the bits of a binary16 to the number they stand for, exactly. @since 0.1.0 */
export function halfToNumber(half: number): number {
  return float32FromBits(halfToFloat32Bits(half));
}
