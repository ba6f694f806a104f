import { float32Bits } from "../convert/float-bits.js";
import type { BlockEncoder, CompoundType } from "./compound-type.js";

// The quantised types that ship, and how a block of each is encoded. Stored scales are exact,
// so that elements are encoded by the very scale that decodes them.

const LARGEST = (2 - 2 ** -23) * 2 ** 127;
const SMALLEST = 2 ** -149;

/** The smallest float32, or the one after it, of which so many steps span a range; 1 for a range of nothing. */
function scaleOf(range: number, steps: number): number {
  if (range === 0) return 1;
  const exact = range / steps;
  const scale = Math.fround(exact);
  return scale < exact ? Math.fround(scale + Math.max(scale * 2 ** -23, SMALLEST)) : scale;
}

/** Steps of a scale, to the nearest, but never past the largest float32. */
function stepsOf(element: number, scale: number): number {
  const most = Math.floor(LARGEST / scale);
  return Math.min(Math.max(Math.round(element / scale), -most), most);
}

/**
 * Integers times a scale: symmetric about 0, or with a zero point for blocks that are not. Within half a scale of the
 * element; within one where the nearest multiple is past the largest float32.
 */
function affine(lowest: number, highest: number): (zeroPoints: boolean) => BlockEncoder {
  const symmetric: BlockEncoder = {
    fit: (low, high) => ({ scale: scaleOf(Math.max(-low, high), highest), zero: 0 }),
    encode: (element, scale) => stepsOf(element, scale),
  };
  const shifted: BlockEncoder = {
    fit(low, high) {
      const least = Math.min(low, 0);
      const scale = scaleOf(Math.max(high, 0) - least, highest - lowest);
      return { scale, zero: lowest - Math.round(least / scale) };
    },
    encode: (element, scale, zero) => Math.min(Math.max(stepsOf(element, scale) + zero, lowest), highest),
  };
  return (zeroPoints) => (zeroPoints ? shifted : symmetric);
}

/** The magnitudes of float4_e2m1, and where one becomes the next; ties go to the even pattern. */
const MAGNITUDES: readonly number[] = [0, 0.5, 1, 1.5, 2, 3, 4, 6];
const BOUNDS: readonly number[] = [0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5];

/** The least power of two of which 6, the largest magnitude, reaches the extremes: so nothing saturates. */
const microscaling: BlockEncoder = {
  fit(low, high) {
    const largest = Math.max(-low, high);
    if (largest === 0) return { scale: 1, zero: 0 };
    const bits = float32Bits(largest);
    const exponent = (bits >>> 23) - 127 - ((bits & 0x7fffff) > 0x400000 ? 1 : 2);
    return { scale: 2 ** Math.max(exponent, -126), zero: 0 };
  },
  encode(element, scale) {
    const magnitude = Math.abs(element) / scale;
    let pattern = 0;
    while (pattern < 7 && (magnitude > BOUNDS[pattern]! || (magnitude === BOUNDS[pattern] && pattern % 2 === 1))) {
      pattern++;
    }
    while (MAGNITUDES[pattern]! * scale > LARGEST) pattern--;
    return element < 0 || Object.is(element, -0) ? pattern + 8 : pattern;
  },
};

/**
 * 8-bit integers, a float32 scale a block, and zero points if asked for: |x − x̂| ≤ scale / 2, rounding of x̂ aside.
 * Within one scale where the nearest multiple would be past the largest float32, which 127 scales that were rounded up
 * can be. Without zero points the integers are -127 to 127, and the scale is a 127th of the largest magnitude.
 * @since 0.1.0
 */
export const blockInt8: CompoundType = {
  name: "blockInt8",
  parts: ["int8", "float32"],
  optional: ["int32"],
  rules: [],
  encoder: /* @__PURE__ */ affine(-128, 127),
};

/**
 * 4-bit integers, two to a byte, a float32 scale a block, and zero points if asked for: |x − x̂| ≤ scale / 2, rounding of
 * x̂ aside; within one scale where the nearest multiple would be past the largest float32. Without zero points the
 * integers are -7 to 7, and the scale is a 7th of the largest magnitude.
 * @since 0.1.0
 */
export const blockInt4: CompoundType = {
  name: "blockInt4",
  parts: ["int4", "float32"],
  optional: ["int32"],
  rules: [],
  encoder: /* @__PURE__ */ affine(-8, 7),
};

/**
 * MXFP4: 4-bit floats (float4_e2m1) with a power of two for each block, of 32 elements by default. The power is rounded
 * up, where the MX specification lets elements between 6 and 8 saturate: |x − x̂| ≤ scale for every element.
 * @since 0.1.0
 */
export const mxfp4: CompoundType = {
  name: "mxfp4",
  parts: ["float4_e2m1", "float8_e8m0"],
  rules: [],
  encoder: () => microscaling,
};
